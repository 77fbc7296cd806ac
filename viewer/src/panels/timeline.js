// The bar at the bottom: play, step, scrub, speed.
import { button, element, setIcon } from "../dom.js";
import { frameTime, short } from "../format.js";

export function makeTimeline(store, player) {
  const play = button("play", "play or pause (space)", () => player.toggle(), "play");
  const slider = element("input.scrub", {
    type: "range", min: 0, max: 0, step: 1, value: 0, testid: "timeline", ariaLabel: "frame",
    oninput: () => player.seek(Number(slider.value)),
  });
  const track = element("canvas.track", {});
  const readout = element("span.readout", { testid: "frame-readout" });
  const time = element("span.readout.dim", { testid: "time-readout" });
  const rate = element("select", { title: "frames a second", testid: "rate", onchange: () => store.set({ rate: Number(rate.value) }) });
  for (const [text, value] of [["1 fps", 1], ["5 fps", 5], ["12 fps", 12], ["24 fps", 24], ["30 fps", 30], ["60 fps", 60]])
    rate.append(element("option", { value }, text));
  const loop = button("loop", "start again at the end (o)", () => store.set({ loop: !store.values.loop }), "loop");
  const follow = element("button.text", { testid: "follow", title: "show the newest frame as it comes (l)", onclick: () => player.setFollow(!store.values.follow) }, "Follow");

  function drawTrack() {
    const { run, frames } = store.values;
    const ratio = devicePixelRatio;
    const w = track.clientWidth * ratio;
    const h = track.clientHeight * ratio;
    if (!run || w === 0) return;
    if (track.width !== w || track.height !== h) Object.assign(track, { width: w, height: h });
    const paint = track.getContext("2d");
    paint.clearRect(0, 0, w, h);
    const last = Math.max(Number(slider.max), 1);
    const knob = 7 * ratio; // half the width of the slider's knob
    const place = (frame) => knob + (frame / last) * (w - 2 * knob);
    const wide = Math.max((w - 2 * knob) / last, 1);
    paint.fillStyle = "#2a3547";
    paint.fillRect(knob, 0, w - 2 * knob, h);
    paint.fillStyle = "#43536d";
    for (const frame of frames) paint.fillRect(place(frame) - wide / 2, 0, wide + 0.5, h);
    paint.fillStyle = "#6f9bd8";
    for (const frame of frames) if (player.ready(frame)) paint.fillRect(place(frame) - wide / 2, 0, wide + 0.5, h);
  }

  store.on(["playing"], ({ playing }) => setIcon(play, playing ? "pause" : "play"));
  store.on(["rate"], (v) => (rate.value = String(v.rate)));
  store.on(["loop"], (v) => loop.classList.toggle("on", v.loop));
  store.on(["follow", "live"], ({ follow: on, live }) => {
    follow.classList.toggle("on", on);
    follow.hidden = live.state === "recorded" || ["finished", "failed", "interrupted"].includes(live.state);
  });
  store.on(["run", "frames"], ({ run, frames }) => {
    if (!run) return;
    slider.max = Math.max(run.frame_count, frames.at(-1) ?? 0);
  });
  store.on(["frame", "shown", "run", "frames", "loadedCount"], ({ run, frame, shown, frames }) => {
    if (!run) return;
    slider.value = frame;
    readout.textContent = frames.length ? `${frame} / ${slider.max}` : "no frames";
    time.textContent = `${short(frameTime(run, frame), 4)} s`;
    readout.dataset.shown = shown ?? "";
    drawTrack();
  });
  new ResizeObserver(drawTrack).observe(track);

  return element("footer.timeline", {},
    button("first", "first frame (Home)", () => player.jump(0), "first"),
    button("previous", "one frame back (←)", () => player.move(-1), "previous"),
    play,
    button("next", "one frame on (→)", () => player.move(1), "next"),
    button("last", "last frame (End)", () => player.jump(Infinity), "last"),
    element("div.scrubber", {}, track, slider),
    readout, time, rate, loop, follow);
}
