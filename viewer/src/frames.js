// A least-recently-used cache of frames with a limit in bytes, and the requests in flight.
import { fetchParticles, fetchSurface } from "./api.js";

const maxBytes = 384 * 2 ** 20;
const maxFetches = 2; // concurrent requests

const fetchers = { particles: fetchParticles, surface: fetchSurface };
const keyOf = (r) => `${r.kind}/${r.frame}/${r.attribute}`;

export class FrameStore {
  constructor({ loaded, failed }) {
    this.loaded = loaded;
    this.failed = failed;
    this.cache = new Map(); // least recently used first
    this.bytes = 0;
    this.fetching = new Map();
    this.wanted = [];
    this.missing = new Set(); // not on the server
  }

  get(request) {
    const key = keyOf(request);
    const found = this.cache.get(key);
    if (!found) return null;
    this.cache.delete(key);
    this.cache.set(key, found);
    return found;
  }

  has(request) {
    return this.cache.has(keyOf(request));
  }

  // Sets the requests to load, the most urgent first. Requests in flight that are not in the list are aborted.
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
    this.cache.clear();
    this.missing.clear();
    this.bytes = 0;
  }

  start() {
    for (const request of this.wanted) {
      if (this.fetching.size >= maxFetches) return;
      const key = keyOf(request);
      if (!this.cache.has(key) && !this.fetching.has(key) && !this.missing.has(key)) this.fetch(request, key);
    }
  }

  async fetch(request, key) {
    const abort = new AbortController();
    this.fetching.set(key, abort);
    try {
      const packet = await fetchers[request.kind](request.frame, request.attribute, abort.signal);
      if (this.fetching.get(key) !== abort) return;
      this.fetching.delete(key);
      this.store(key, packet);
      this.loaded(request, packet);
    } catch (error) {
      if (this.fetching.get(key) !== abort) return;
      this.fetching.delete(key);
      if (error.status > 0) this.missing.add(key);
      this.failed(request, error);
      if (!(error.status > 0)) return; // the server is gone: stop
    }
    this.start();
  }

  store(key, packet) {
    this.cache.set(key, packet);
    this.bytes += packet.bytes;
    for (const [oldest, old] of this.cache) {
      if (this.bytes <= maxBytes || this.cache.size <= 2) break;
      this.cache.delete(oldest);
      this.bytes -= old.bytes;
    }
  }
}
