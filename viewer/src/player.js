// Playback: the current frame, and the data to fetch for it.
const prefetch = 6; // frames that are fetched in advance while playing

export class Player {
  constructor(store, frames) {
    this.store = store;
    this.frames = frames;
    this.dueTime = 0;
    this.direction = 1;
    const loop = (now) => {
      requestAnimationFrame(loop);
      this.tick(now);
    };
    requestAnimationFrame(loop);
    store.on(["frame", "frames", "quantity", "showPoints", "showSurface"], () => this.want());
  }

  // the data that a frame needs
  requests(frame) {
    const { quantity: attribute, showSurface } = this.store.values;
    const list = [{ kind: "particles", frame, attribute }];
    if (showSurface) list.push({ kind: "surface", frame, attribute });
    return list;
  }

  ready(frame) {
    return this.requests(frame).every((request) => this.frames.has(request));
  }

  want() {
    const { frame, frames, playing } = this.store.values;
    if (frames.length === 0) return;
    const at = frames.indexOf(frame);
    if (at < 0) return;
    const list = [...this.requests(frame)];
    const reach = playing ? prefetch : 3;
    for (let k = 1; k <= reach; ++k) {
      const next = frames[at + k * this.direction] ?? (this.store.values.loop && playing ? frames[at + k * this.direction - frames.length] : undefined);
      if (next !== undefined) list.push(...this.requests(next));
    }
    if (!playing && frames[at - this.direction] !== undefined) list.push(...this.requests(frames[at - this.direction]));
    this.frames.want(list);
  }

  // --- commands

  toggle() {
    const { playing, frame, frames } = this.store.values;
    if (!playing && frame === frames.at(-1)) this.store.set({ frame: frames[0] });
    this.direction = 1;
    this.store.set({ playing: !playing, follow: false });
    this.want();
  }

  // goes to the nearest existing frame
  seek(frame) {
    const { frames } = this.store.values;
    if (frames.length === 0) return;
    const nearest = frames.reduce((a, b) => (Math.abs(b - frame) < Math.abs(a - frame) ? b : a));
    this.direction = nearest < this.store.values.frame ? -1 : 1;
    this.store.set({ frame: nearest, follow: false });
  }

  jump(place) {
    const { frames } = this.store.values;
    this.store.set({ playing: false });
    if (frames.length) this.seek(place === 0 ? frames[0] : frames.at(-1));
  }

  move(by) {
    const { frames, frame } = this.store.values;
    const at = Math.min(Math.max(frames.indexOf(frame) + by, 0), frames.length - 1);
    this.store.set({ playing: false });
    if (at >= 0) this.seek(frames[at]);
    this.direction = Math.sign(by);
  }

  setFollow(follow) {
    const { frames } = this.store.values;
    this.store.set({ follow, playing: false, ...(follow && frames.length ? { frame: frames.at(-1) } : {}) });
  }

  // --- timing

  tick(now) {
    const { playing, frame, frames, rate, loop, shown } = this.store.values;
    if (!playing || now < this.dueTime || shown !== frame) return;
    const at = frames.indexOf(frame);
    const next = frames[at + 1] ?? (loop ? frames[0] : undefined);
    if (next === undefined) {
      this.store.set({ playing: false });
      return;
    }
    if (!this.ready(next)) return; // waits until it is loaded
    this.dueTime = Math.max(this.dueTime + 1000 / rate, now - 500 / rate);
    this.store.set({ frame: next });
  }
}
