// Plots of metrics over time, with a marker at the current frame.
import { button, element, section } from "../dom.js";
import { short } from "../format.js";
import { titleWithUnit } from "../units.js";

const colours = ["#7fb2ff", "#ffb86b", "#7fe0a8", "#f08fb4", "#c3a6ff", "#f2dd6e"];

const standard = [
  { title: "Energies [J]", names: ["kinetic_energy", "elastic_energy"] },
  { title: "Momentum [kg m/s]", names: ["momentum.x", "momentum.y", "momentum.z"] },
  { title: "Largest speed [m/s]", names: ["max_speed"] },
  { title: "Velocity noise [m/s]", names: ["velocity_noise"] },
  { title: "Particles", names: ["particles"] },
  { title: "Mass [kg]", names: ["mass"] },
  { title: "Time step [s]", names: ["dt_min", "dt_max"] },
  { title: "Particle steps [1/s]", names: ["particle_steps_per_s"] },
];
const shownFirst = ["Energies [J]", "Largest speed [m/s]", "Particles"];

class Plot {
  constructor(title, names, store, player, remove) {
    Object.assign(this, { title, names, store });
    this.canvas = element("canvas", { testid: "plot", onpointerdown: (event) => this.point(event, player), onpointermove: (event) => event.buttons && this.point(event, player) });
    this.legend = element("span.legend", {});
    this.element = element("figure.plot", { title: names.join(", ") },
      element("figcaption", {}, element("b", {}, title), this.legend, button("close", "remove this plot", remove)), this.canvas);
    this.element.dataset.plot = title;
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  point(event, player) {
    const { run } = this.store.values;
    const box = this.canvas.getBoundingClientRect();
    const frames = this.store.values.metrics.frame ?? [];
    const last = Math.max(run?.frame_count ?? 0, frames.at(-1) ?? 0);
    player.seek(Math.round(((event.clientX - box.left) / box.width) * last));
  }

  draw() {
    const { metrics, frame, run } = this.store.values;
    const canvas = this.canvas;
    const ratio = devicePixelRatio;
    const w = (canvas.width = canvas.clientWidth * ratio);
    const h = (canvas.height = canvas.clientHeight * ratio);
    const frames = metrics.frame ?? [];
    if (!run || frames.length === 0 || w === 0) return;
    const paint = canvas.getContext("2d");
    const series = this.names.map((name) => metrics[name] ?? []);
    let low = Infinity;
    let high = -Infinity;
    for (const values of series) for (const v of values) if (v !== null && v !== undefined) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!(low <= high)) return;
    if (low > 0 && low < 0.4 * high) low = 0;
    if (high - low < 1e-12 * Math.max(Math.abs(high), 1e-300)) { low -= Math.abs(low) * 0.05 || 1; high += Math.abs(high) * 0.05 || 1; }
    const last = Math.max(run.frame_count, frames.at(-1), 1);
    const pad = 5 * ratio;
    const px = (f) => (f / last) * w;
    const py = (v) => h - pad - ((v - low) / (high - low)) * (h - 2 * pad);
    paint.strokeStyle = "#26314433";
    paint.lineWidth = ratio;
    paint.strokeStyle = "#2b374b";
    for (const s of [0, 0.5, 1]) { paint.beginPath(); paint.moveTo(0, py(low + s * (high - low))); paint.lineTo(w, py(low + s * (high - low))); paint.stroke(); }
    if (low < 0 && high > 0) { paint.strokeStyle = "#45546d"; paint.beginPath(); paint.moveTo(0, py(0)); paint.lineTo(w, py(0)); paint.stroke(); }
    series.forEach((values, k) => {
      paint.strokeStyle = colours[k % colours.length];
      paint.lineWidth = 1.6 * ratio;
      paint.lineJoin = "round";
      paint.beginPath();
      let down = false;
      values.forEach((v, i) => {
        if (v === null || v === undefined) { down = false; return; }
        down ? paint.lineTo(px(frames[i]), py(v)) : paint.moveTo(px(frames[i]), py(v));
        down = true;
      });
      paint.stroke();
    });
    this.mark(paint, { px, py, h, ratio, series, at: frames.indexOf(frame), frame });
    paint.fillStyle = "#7d8ba1";
    paint.font = `${10 * ratio}px system-ui, sans-serif`;
    paint.fillText(short(high), 3 * ratio, 11 * ratio);
    paint.fillText(short(low), 3 * ratio, h - 4 * ratio);
  }

  mark(paint, { px, py, h, ratio, series, at, frame }) {
    paint.strokeStyle = "#e8edf6aa";
    paint.lineWidth = ratio;
    paint.beginPath();
    paint.moveTo(px(frame), 0);
    paint.lineTo(px(frame), h);
    paint.stroke();
    this.legend.replaceChildren();
    series.forEach((values, k) => {
      const v = values[at];
      const label = this.names.length > 1 ? `${this.names[k].replace(/^.*[._]([^._]+)$/, this.names[k].includes(".") ? "$1" : "$&").replace(/_energy$/, "")} ` : "";
      this.legend.append(element("span", { style: `color:${colours[k % colours.length]}` }, `${label}${short(v)}`));
      if (v === null || v === undefined) return;
      paint.fillStyle = colours[k % colours.length];
      paint.beginPath();
      paint.arc(px(frame), py(v), 3 * ratio, 0, 7);
      paint.fill();
    });
  }
}

export function makePlotsPanel(store, player) {
  const holder = element("div.stack", {});
  const plots = [];
  const add = element("select", { testid: "add-plot", onchange: () => { addPlot(add.value); add.value = ""; } });

  function addPlot(key) {
    const group = standard.find((g) => g.title === key) ?? { title: titleWithUnit(key), names: [key] };
    if (plots.some((p) => p.title === group.title)) return;
    const plot = new Plot(group.title, group.names, store, player, () => {
      plots.splice(plots.indexOf(plot), 1);
      plot.element.remove();
    });
    plots.push(plot);
    holder.append(plot.element);
    plot.draw();
  }

  let known = "";
  store.on(["metrics"], ({ metrics }) => {
    const names = Object.keys(metrics).filter((name) => name !== "frame").sort();
    if (known === names.join()) return;
    known = names.join();
    const options = (list) => list.map((name) => element("option", { value: name }, name));
    add.replaceChildren(element("option", { value: "" }, "add a plot …"),
      element("optgroup", { label: "groups" }, ...options(standard.map((g) => g.title))),
      element("optgroup", { label: "single numbers" }, ...options(names)));
  });
  shownFirst.forEach(addPlot);
  store.on(["metrics", "frame", "run"], () => plots.forEach((plot) => plot.draw()));
  return section("Plots", holder, add);
}
