// The page: its state, its parts and their interaction.
import { fetchParticle, fetchParticleById } from "./api.js";
import { colormapBytes } from "./colormaps.js";
import { button, element } from "./dom.js";
import { grouped } from "./format.js";
import { FrameStore } from "./frames.js";
import { listen, makeKeys } from "./keys.js";
import { makeColourBar, makeColourPanel } from "./panels/colour.js";
import { makeHelp } from "./panels/help.js";
import { makeLivePanel } from "./panels/live.js";
import { makePlotsPanel } from "./panels/plots.js";
import { makeSelectionPanel } from "./panels/selection.js";
import { makeTimeline } from "./panels/timeline.js";
import { makeClipPanel, makeViewPanel } from "./panels/view.js";
import { Player } from "./player.js";
import { Session } from "./session.js";
import { createStore } from "./store.js";
import { setColormap, shared } from "./stage/shading.js";
import { Stage } from "./stage/stage.js";

const store = createStore({
  run: null, looks: [], live: { state: "recorded" }, metrics: {}, frames: [], // from the server
  frame: 0, shown: null, playing: false, rate: 30, loop: true, follow: false, loadedCount: 0, // the requested and the displayed frame
  showPoints: true, showSurface: false, showColliders: true, pointSize: 1,
  quantity: "", colormap: "viridis", autoRange: true, rangeLow: 0, rangeHigh: 1, seenLow: 0, seenHigh: 1,
  clipOn: false, clipAxis: 2, clipPlace: 0.5, clipFlip: false,
  picked: null, lost: false, notice: "", help: false, panel: true,
});

const canvasHost = element("div.canvas", { testid: "canvas" });
const app = document.getElementById("app");
app.replaceChildren(canvasHost);
const stage = new Stage(canvasHost);

const frames = new FrameStore({
  loaded: () => {
    store.set({ loadedCount: store.values.loadedCount + 1 });
    show();
  },
  failed: (request, error) => {
    if (error.status > 0) store.set({ notice: `frame ${request.frame}: ${error.message}` });
  },
});
const player = new Player(store, frames);
const session = new Session(store, stage, frames);

// --- from state to picture ------------------------------------------------------------------------------------

const onScreen = { particles: null, surface: null };
const ranges = new Map(); // of each quantity, over the frames displayed so far

function noteRange(packet) {
  if (!packet.quantity) return;
  const { name, usual_low: low, usual_high: high, low: least, high: most } = packet.quantity;
  const before = ranges.get(name) ?? { low, high, least, most };
  ranges.set(name, { low: Math.min(before.low, low), high: Math.max(before.high, high), least: Math.min(before.least, least), most: Math.max(before.most, most) });
  applyRange();
}

function applyRange() {
  const { quantity, autoRange } = store.values;
  const seen = ranges.get(quantity);
  if (!seen) return;
  store.set({ seenLow: seen.least, seenHigh: seen.most });
  if (autoRange) store.set({ rangeLow: seen.low, rangeHigh: seen.high > seen.low ? seen.high : seen.low + (Math.abs(seen.low) * 1e-3 || 1) });
}

// Displays the requested frame as soon as all of its data is loaded.
function show() {
  const { run, frame, quantity, showSurface } = store.values;
  if (!run || !player.ready(frame)) return;
  const [particles, surface] = player.requests(frame).map((request) => frames.get(request));
  if (onScreen.particles !== particles) {
    onScreen.particles = particles;
    stage.showParticles(particles);
    stage.setPoses(particles.colliders);
    session.loadChanging(frame);
    noteRange(particles);
  }
  if (showSurface && onScreen.surface !== surface) {
    onScreen.surface = surface;
    stage.showSurface(surface);
  }
  shared.uByValue.value = quantity && particles.quantity ? 1 : 0;
  counts.textContent = `${grouped(particles.count)} particles${showSurface ? ` · ${grouped(surface.triangles)} triangles` : ""}`;
  if (store.values.shown !== frame) store.set({ shown: frame });
}

store.on(["frame", "run", "quantity", "showSurface"], () => queueMicrotask(show));
store.on(["quantity", "autoRange"], applyRange);
store.on(["quantity", "rangeLow", "rangeHigh"], ({ rangeLow, rangeHigh }) => {
  shared.uRange.value.set(rangeLow, rangeHigh, 0);
  stage.draw();
});
store.on(["colormap"], ({ colormap }) => {
  setColormap(colormapBytes(colormap));
  stage.draw();
});
store.on(["showPoints", "showSurface", "showColliders", "pointSize", "run", "shown"], ({ showPoints, showSurface, showColliders, pointSize, shown }) => {
  stage.particles.object.visible = showPoints && shown !== null;
  stage.surface.object.visible = showSurface && shown !== null;
  stage.solids.visible = showColliders;
  stage.particles.uniforms.uScale.value = pointSize;
  stage.draw(true);
});
store.on(["clipOn", "clipAxis", "clipPlace", "clipFlip", "run"], (v) => {
  if (v.run) stage.setClip(v.clipOn ? { axis: v.clipAxis, place: v.clipPlace, flip: v.clipFlip } : null);
});

// --- the selected particle --------------------------------------------------------------------------------------

async function pickAt(event) {
  const box = canvasHost.getBoundingClientRect();
  const index = stage.pick(event.clientX - box.left, event.clientY - box.top);
  const picked = index < 0 ? null : await fetchParticle(store.values.shown, index).catch(() => null);
  store.set({ picked });
  return picked;
}

let pressed = null;
canvasHost.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY, event.button]));
canvasHost.addEventListener("pointerup", (event) => {
  if (!pressed || pressed[2] !== 0) return;
  if (Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) pickAt(event);
  pressed = null;
});
canvasHost.addEventListener("dblclick", async (event) => {
  const picked = await pickAt(event);
  if (picked) stage.controls.target.set(...picked.position);
});

// keeps the same particle selected when the frame changes
store.on(["shown"], async ({ shown, picked, playing }) => {
  if (!picked || shown === null || playing) return;
  const now = await fetchParticleById(shown, picked.id).catch(() => ({ ...picked, gone: true }));
  if (store.values.picked?.id === picked.id) store.set({ picked: now });
});
store.on(["playing"], ({ playing, shown, picked }) => {
  if (!playing && picked && shown !== null) fetchParticleById(shown, picked.id).then((now) => store.set({ picked: now }), () => {});
});
store.on(["picked", "playing"], ({ picked, playing }) =>
  stage.setMark(picked && !picked.gone && !playing ? picked.position : null, picked ? stage.particles.uniforms.uRadii.value[picked.material] * store.values.pointSize : 1));

// --- the parts of the page --------------------------------------------------------------------------------------

function savePicture() {
  const name = `${store.values.run?.folder ?? "dollop"}.${String(store.values.frame).padStart(4, "0")}.png`;
  element("a", { href: stage.picture(), download: name }).click();
}

const live = makeLivePanel(store);
const keys = makeKeys({ store, player, stage, live, savePicture });
const title = element("h1", { testid: "title" });
const counts = element("span.dim", { testid: "particles-readout" });
const banner = element("div.banner", { testid: "error-banner", role: "alert" });
const notice = element("div.notice", { testid: "notice" });
const side = element("aside.panel", {},
  makeViewPanel(store, stage), makeColourPanel(store), makeClipPanel(store), makeSelectionPanel(store), makePlotsPanel(store, player));

app.append(
  element("header.top", {}, title, counts, live.element, element("span.grow", {}),
    button("home", "the first view again (F)", () => stage.home(), "home"),
    button("camera", "save the picture (I)", savePicture),
    button("panel", "panel at the side (B)", () => store.set({ panel: !store.values.panel })),
    button("help", "keys (?)", () => store.set({ help: !store.values.help }), "help-button")),
  side, makeTimeline(store, player), makeColourBar(store), banner, notice, makeHelp(keys, store));

store.on(["run"], ({ run }) => (title.textContent = run?.title ?? "Dollop"));
store.on(["panel"], ({ panel }) => app.classList.toggle("wide", !panel));
store.on(["lost"], ({ lost }) => {
  banner.hidden = !lost;
  banner.textContent = "The server does not answer. It may have been ended; this page goes on when it is back.";
});
let noticeTimer = 0;
store.on(["notice"], ({ notice: text }) => {
  notice.hidden = text === "";
  notice.textContent = text;
  clearTimeout(noticeTimer);
  if (text) noticeTimer = setTimeout(() => store.set({ notice: "" }), 6000);
});
listen(keys);

// for tests and debugging
globalThis.dollop = { store, stage, player, frames };
