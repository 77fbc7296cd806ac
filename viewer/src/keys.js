// Keyboard shortcuts: keys, help text, action.

export function makeKeys({ store, player, stage, live, savePicture }) {
  const toggle = (key) => () => store.set({ [key]: !store.values[key] });
  const { values } = store;
  return [
    { keys: [" "], show: "Space", text: "play or pause", run: () => player.toggle() },
    { keys: ["ArrowLeft"], show: "←", text: "one frame back; with Shift ten", run: (e) => player.move(e.shiftKey ? -10 : -1) },
    { keys: ["ArrowRight"], show: "→", text: "one frame on; with Shift ten", run: (e) => player.move(e.shiftKey ? 10 : 1) },
    { keys: ["Home"], show: "Home", text: "first frame", run: () => player.jump(0) },
    { keys: ["End"], show: "End", text: "last frame", run: () => player.jump(Infinity) },
    { keys: ["o"], show: "O", text: "start again at the end", run: toggle("loop") },
    { keys: ["p"], show: "P", text: "particles", run: toggle("showPoints") },
    { keys: ["s"], show: "S", text: "surface", run: toggle("showSurface") },
    { keys: ["c"], show: "C", text: "colliders", run: toggle("showColliders") },
    { keys: ["["], show: "[", text: "smaller particles", run: () => store.set({ pointSize: Math.max(values.pointSize / 1.15, 0.2) }) },
    { keys: ["]"], show: "]", text: "larger particles", run: () => store.set({ pointSize: Math.min(values.pointSize * 1.15, 3) }) },
    { keys: ["a"], show: "A", text: "next quantity to colour by", run: () => nextQuantity(store) },
    { keys: ["r"], show: "R", text: "range of the colours from the frames seen", run: () => store.set({ autoRange: true }) },
    { keys: ["x"], show: "X", text: "clipping plane", run: toggle("clipOn") },
    { keys: ["f"], show: "F", text: "the first view again", run: () => stage.home() },
    { keys: ["b"], show: "B", text: "panel at the side", run: toggle("panel") },
    { keys: ["i"], show: "I", text: "save the picture", run: savePicture },
    { keys: ["l"], show: "L", text: "follow a run that goes on", run: () => player.setFollow(!values.follow) },
    { keys: ["Shift "], show: "Shift Space", text: "pause or resume the run itself", run: live.pauseOrResume },
    { keys: ["?", "h"], show: "?", text: "this list", run: toggle("help") },
    { keys: ["Escape"], show: "Esc", text: "close, let go of the particle", run: () => store.set(values.help ? { help: false } : { picked: null }) },
  ];
}

function nextQuantity(store) {
  const all = ["", ...(store.values.run?.quantities ?? [])];
  store.set({ quantity: all[(all.indexOf(store.values.quantity) + 1) % all.length] });
}

export function listen(keys) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { tagName, type } = event.target;
    // input fields handle their own keys
    if (tagName === "SELECT" || (tagName === "INPUT" && type === "text")) return;
    if (tagName === "INPUT" && type === "range" && /^(Arrow|Home|End|Page)/.test(event.key) && event.target.dataset.testid !== "timeline") return;
    const name = event.key === " " && event.shiftKey ? "Shift " : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = keys.find((k) => k.keys.includes(name));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}
