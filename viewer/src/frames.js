// Frames that were fetched, up to a number of bytes, and those that are being fetched.
import { fetchParticles, fetchSurface } from "./api.js";

const mostBytes = 384 * 2 ** 20;
const atOnce = 2; // fetches

const fetchers = { particles: fetchParticles, surface: fetchSurface };
const keyOf = (r) => `${r.kind}/${r.frame}/${r.attribute}`;

export class FrameStore {
  constructor({ loaded, failed }) {
    this.loaded = loaded;
    this.failed = failed;
    this.kept = new Map(); // in the order of their last use
    this.bytes = 0;
    this.fetching = new Map();
    this.wanted = [];
    this.missing = new Set(); // asked for in vain
  }

  get(request) {
    const key = keyOf(request);
    const found = this.kept.get(key);
    if (!found) return null;
    this.kept.delete(key);
    this.kept.set(key, found);
    return found;
  }

  has(request) {
    return this.kept.has(keyOf(request));
  }

  // What should be there, the most urgent first. What is on its way and not in the list is given up.
  want(requests) {
    this.wanted = requests;
    const keys = new Set(requests.map(keyOf));
    for (const [key, abort] of this.fetching)
      if (!keys.has(key)) {
        abort.abort();
        this.fetching.delete(key);
      }
    this.start();
  }

  clear() {
    for (const abort of this.fetching.values()) abort.abort();
    this.fetching.clear();
    this.kept.clear();
    this.missing.clear();
    this.bytes = 0;
  }

  start() {
    for (const request of this.wanted) {
      if (this.fetching.size >= atOnce) return;
      const key = keyOf(request);
      if (!this.kept.has(key) && !this.fetching.has(key) && !this.missing.has(key)) this.fetch(request, key);
    }
  }

  async fetch(request, key) {
    const abort = new AbortController();
    this.fetching.set(key, abort);
    try {
      const packet = await fetchers[request.kind](request.frame, request.attribute, abort.signal);
      if (this.fetching.get(key) !== abort) return;
      this.fetching.delete(key);
      this.keep(key, packet);
      this.loaded(request, packet);
    } catch (error) {
      if (this.fetching.get(key) !== abort) return;
      this.fetching.delete(key);
      if (error.status > 0) this.missing.add(key);
      this.failed(request, error);
      if (!(error.status > 0)) return; // the server is gone: do not try the rest
    }
    this.start();
  }

  keep(key, packet) {
    this.kept.set(key, packet);
    this.bytes += packet.bytes;
    for (const [oldest, old] of this.kept) {
      if (this.bytes <= mostBytes || this.kept.size <= 2) break;
      this.kept.delete(oldest);
      this.bytes -= old.bytes;
    }
  }
}
