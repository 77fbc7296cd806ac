// The panel of a run in progress: its progress, and buttons to control it.
import { sendCommand } from "../api.js";
import { button, element, setIcon } from "../dom.js";
import { duration, grouped, short } from "../format.js";

const words = {
  recorded: "recorded", starting: "starting", running: "running", paused: "paused", stepping: "one frame on",
  stopping: "stopping", finished: "finished", failed: "failed", interrupted: "stopped",
};
export const hasEnded = (state) => ["recorded", "finished", "failed", "interrupted"].includes(state);

export function makeLivePanel(store) {
  // events report the effect of a command; the response may be older than they are
  const order = (name, done) => sendCommand(name).then(() => done && store.set({ notice: done }), (error) => store.set({ notice: error.message }));
  const pauseOrResume = () => order(store.values.live.state === "paused" ? "resume" : "pause");
  const pause = button("pause", "pause or resume the run (Shift+Space)", pauseOrResume, "run-pause");
  const buttons = element("div.orders", { testid: "orders" }, pause,
    button("step", "let the run make one more frame", () => order("step"), "run-step"),
    button("save", "save a checkpoint", () => order("save", "a checkpoint was asked for"), "run-save"),
    button("stop", "stop the run; dollop resume goes on with it", () => confirm("Stop the run? `dollop resume` can go on with it later.") && order("stop"), "run-stop"));
  const pill = element("span.pill", { testid: "state-readout" });
  const left = element("span.left", { testid: "time-left" });
  const details = element("span.details", {});
  const progress = element("span.dim.progress", { testid: "progress-readout" }, left, details);
  store.on(["live"], ({ live }) => {
    pill.textContent = words[live.state] ?? live.state;
    pill.dataset.state = live.state;
    pill.title = live.message ?? "";
    buttons.hidden = hasEnded(live.state);
    setIcon(pause, live.state === "paused" ? "play" : "pause");
    progress.hidden = hasEnded(live.state) || !live.frames;
    if (progress.hidden) return;
    // what matters most comes first: the rest is cut off where the window is narrow
    left.textContent = `frame ${live.frame}/${live.frames}${live.remaining >= 0 ? ` · ${duration(live.remaining)} left` : ""}`;
    details.textContent = `· dt ${short(live.dt, 2)} s · ${short(live.steps_per_second)} steps/s`;
  });
  return { element: element("div.live", {}, pill, progress, buttons), pauseOrResume };
}
