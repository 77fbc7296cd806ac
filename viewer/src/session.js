// Synchronises the page's state with the server: the run, its frames, its metrics, the connection.
import { fetchColliderMesh, fetchMetrics, fetchRun, followEvents } from "./api.js";
import { materialLooks } from "./looks.js";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export class Session {
  constructor(store, stage, frames) {
    Object.assign(this, { store, stage, frames, opening: 0 });
    // subscribe to events first, so that no change between them and the responses is missed
    followEvents({
      found: () => this.found(),
      lost: () => store.set({ lost: true }),
      state: (live) => store.set({ live }),
      progress: (live) => store.set({ live }),
      frames: ({ added }) => this.addFrames(added),
      metrics: ({ rows }) => this.addRows(rows),
      reset: () => this.open(),
    });
  }

  found() {
    this.store.set({ lost: false });
    this.open(); // again after a lost connection: much may have changed
  }

  async open() {
    const turn = ++this.opening;
    for (;;) {
      try {
        const [{ run, live }, metrics] = [await fetchRun(), await fetchMetrics()];
        if (turn === this.opening) this.begin(run, live, metrics.columns);
        return;
      } catch (error) {
        if (turn !== this.opening || error.status === 0) return; // found() will be called again
        this.store.set({ notice: error.message });
        if (error.status !== 503) return;
        await sleep(300);
      }
    }
  }

  begin(run, live, metrics) {
    const { store, stage } = this;
    const before = store.values.run;
    this.frames.clear();
    const looks = materialLooks(run.materials);
    const same = before && JSON.stringify([before.bounds, before.camera, before.colliders]) === JSON.stringify([run.bounds, run.camera, run.colliders]);
    if (!same) {
      stage.setRun(run, looks);
      run.colliders.forEach((collider, k) => {
        if (!collider.plane) this.loadCollider(k, run.frames[0] ?? 0);
      });
    }
    const follow = before ? store.values.follow : live.state !== "recorded" && !["finished", "failed", "interrupted"].includes(live.state);
    const last = run.frames.at(-1) ?? 0;
    // at first the newest frame: what comes out of emitters is not there in frame 0
    const frame = before && !follow && run.frames.includes(store.values.frame) ? store.values.frame : last;
    document.title = `${run.title} · Dollop`;
    store.set({ run, looks, live, metrics, frames: run.frames, frame, follow, shown: null, notice: "", rate: before ? store.values.rate : nearestRate(run.frame_rate) });
  }

  async loadCollider(index, frame) {
    try {
      this.stage.setColliderMesh(index, await fetchColliderMesh(index, frame));
    } catch (error) {
      this.store.set({ notice: `collider ${index + 1}: ${error.message}` });
    }
  }

  // reloads colliders whose shape depends on time
  loadChanging(frame) {
    this.store.values.run.colliders.forEach((collider, k) => collider.changes && this.loadCollider(k, frame));
  }

  addFrames(added) {
    const { store } = this;
    const { run, frames, follow, frame } = store.values;
    if (!run) return;
    const all = [...new Set([...frames, ...added])].sort((a, b) => a - b);
    store.set({ frames: all, frame: follow || frames.length === 0 ? all.at(-1) : frame });
    if (run.quantities.length === 0) this.open(); // the first frame determines the available quantities
  }

  addRows(rows) {
    const { metrics } = this.store.values;
    const length = metrics.frame?.length ?? 0;
    const columns = Object.fromEntries(Object.entries(metrics).map(([name, values]) => [name, [...values]]));
    let row = length;
    for (const values of rows) {
      const known = columns.frame?.indexOf(values.frame) ?? -1;
      const at = known >= 0 ? known : row++;
      for (const [name, value] of Object.entries(values)) (columns[name] ??= new Array(at).fill(null))[at] = value;
    }
    this.store.set({ metrics: columns });
  }
}

// the selectable rate that is closest to the run's own
const nearestRate = (rate) => [1, 5, 12, 24, 30, 60].reduce((a, b) => (Math.abs(b - rate) < Math.abs(a - rate) ? b : a));
