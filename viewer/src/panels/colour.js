// The panel of the coloured quantity, and the colour bar.
import { checkbox, element, section } from "../dom.js";
import { colormapCss, colormaps } from "../colormaps.js";
import { short } from "../format.js";
import { titleWithUnit, unitOf } from "../units.js";

const steps = 1000;

export function makeColourPanel(store) {
  const quantity = element("select", { testid: "quantity", onchange: () => store.set({ quantity: quantity.value }) });
  const map = element("select", { testid: "colormap", onchange: () => store.set({ colormap: map.value }) });
  for (const name of Object.keys(colormaps)) map.append(element("option", { value: name }, name));

  const auto = checkbox("range from the frames seen", true, (on) => store.set({ autoRange: on }), "auto-range");
  const slider = (end) => {
    const input = element("input", {
      type: "range", min: 0, max: steps, step: 1, testid: `range-slider-${end}`, ariaLabel: `${end} end of the range`,
      oninput: () => {
        const { seenLow, seenHigh } = store.values;
        change(end, seenLow + (Number(input.value) / steps) * (seenHigh - seenLow));
      },
    });
    return input;
  };
  const field = (end) => {
    const input = element("input.number", { type: "text", inputMode: "decimal", testid: `range-${end}`, ariaLabel: `${end} end of the range`, onkeydown: (event) => event.key === "Enter" && input.blur(), onchange: () => {
      const value = Number(input.value);
      if (Number.isFinite(value) && input.value.trim() !== "") change(end, value);
      else update(store.values);
    } });
    return input;
  };
  const sliders = { low: slider("low"), high: slider("high") };
  const fields = { low: field("low"), high: field("high") };

  function change(end, value) {
    const { rangeLow, rangeHigh } = store.values;
    if (end === "low") store.set({ autoRange: false, rangeLow: value, rangeHigh: Math.max(rangeHigh, value) });
    else store.set({ autoRange: false, rangeHigh: value, rangeLow: Math.min(rangeLow, value) });
  }

  function update({ rangeLow, rangeHigh, seenLow, seenHigh }) {
    const width = seenHigh - seenLow || 1;
    sliders.low.value = ((rangeLow - seenLow) / width) * steps;
    sliders.high.value = ((rangeHigh - seenLow) / width) * steps;
    fields.low.value = short(rangeLow, 4);
    fields.high.value = short(rangeHigh, 4);
  }

  const unit = element("span.dim.unit", { testid: "range-unit" });
  const details = element("div.stack", {},
    element("label.row", {}, element("span", {}, "Colours"), map),
    auto,
    element("div.dual", {}, sliders.low, sliders.high),
    element("div.row", {}, fields.low, element("span.dim", {}, "to"), fields.high, unit));

  store.on(["run"], ({ run, quantity: chosen }) => {
    quantity.replaceChildren(element("option", { value: "" }, "material"));
    for (const name of run?.quantities ?? []) quantity.append(element("option", { value: name }, name));
    quantity.value = chosen;
  });
  store.on(["quantity"], (v) => {
    quantity.value = v.quantity;
    details.hidden = v.quantity === "";
    unit.textContent = unitOf(v.quantity);
  });
  store.on(["colormap"], (v) => (map.value = v.colormap));
  store.on(["autoRange"], (v) => (auto.input.checked = v.autoRange));
  store.on(["rangeLow", "rangeHigh", "seenLow", "seenHigh"], update);
  return section("Colour", element("label.row", {}, element("span", {}, "By"), quantity), details);
}

// drawn over the 3D view
export function makeColourBar(store) {
  const title = element("div.title", { testid: "colorbar-title" });
  const bar = element("div.gradient", {});
  const ticks = element("div.ticks", {});
  const box = element("div.colorbar", { testid: "colorbar" }, title, element("div.scale", {}, bar, ticks));
  store.on(["quantity", "colormap", "rangeLow", "rangeHigh"], ({ quantity, colormap, rangeLow, rangeHigh }) => {
    box.hidden = quantity === "";
    title.textContent = titleWithUnit(quantity);
    bar.style.background = colormapCss(colormap, "to top");
    ticks.replaceChildren(...[1, 0.75, 0.5, 0.25, 0].map((s) => element("span", {}, short(rangeLow + s * (rangeHigh - rangeLow)))));
  });
  return box;
}
