// Formatting of numbers.

// of a frame [s]: the last one is at the end of the run, be it a whole frame after the one before or not
export function frameTime(run, frame) {
  return Math.min(frame / run.frame_rate, run.duration);
}

export function short(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 1).replace("e+", "e");
  if (Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(digits)));
}

export const grouped = (n) => Math.round(n).toLocaleString("en-US");

export function duration(seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const s = Math.round(seconds);
  const two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}
