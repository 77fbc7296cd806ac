// Requests to the server of this page.
import { decodePacket } from "./packet.js";

const token = new URLSearchParams(location.search).get("token");

function address(path, query = {}) {
  const search = new URLSearchParams(query);
  if (token) search.set("token", token);
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

// A failed request; the status is 0 if there was no response.
export class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function request(path, query, options = {}) {
  let response;
  try {
    response = await fetch(address(path, query), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(0, "the server does not answer");
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new RequestError(response.status, body.error ?? response.statusText);
}

const json = async (...a) => (await request(...a)).json();
const packet = async (...a) => decodePacket(await (await request(...a)).arrayBuffer());
const coloured = (attribute) => (attribute ? { attribute } : {});

export const fetchRun = () => json("/api/run");
export const fetchMetrics = () => json("/api/metrics");
export const fetchParticles = (frame, attribute, signal) =>
  packet(`/api/frames/${frame}/particles`, coloured(attribute), { signal });
export const fetchSurface = (frame, attribute, signal) =>
  packet(`/api/frames/${frame}/surface`, coloured(attribute), { signal });
export const fetchColliderMesh = (collider, frame) => packet(`/api/colliders/${collider}/mesh`, { frame });
export const fetchParticle = (frame, index) => json(`/api/frames/${frame}/particle/${index}`);
export const fetchParticleById = (frame, id) => json(`/api/frames/${frame}/id/${id}`);
export const sendCommand = (command) =>
  json(`/api/control/${command}`, {}, { method: "POST", headers: { "X-Dollop": "view" } });

// Calls handlers[name](data) for each event, and handlers.lost and handlers.found when the connection changes.
export function followEvents(handlers) {
  const source = new EventSource(address("/api/events"));
  for (const name of ["state", "progress", "frames", "metrics", "reset"])
    source.addEventListener(name, (event) => handlers[name]?.(JSON.parse(event.data)));
  source.onopen = () => handlers.found?.();
  source.onerror = () => handlers.lost?.();
  return source;
}
