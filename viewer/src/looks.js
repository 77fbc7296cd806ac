// Looks of materials and colliders: colour (sRGB), gloss and strength of subsurface scattering.

const looks = {
  foam: { color: [0.97, 0.96, 0.94], gloss: 0.12, scatter: 0.9 },
  cream: { color: [0.96, 0.92, 0.83], gloss: 0.45, scatter: 0.7 },
  marshmallow: { color: [0.97, 0.94, 0.92], gloss: 0.05, scatter: 0.9 },
  toast: { color: [0.72, 0.47, 0.24], gloss: 0.1, scatter: 0.3 },
  dough: { color: [0.93, 0.81, 0.64], gloss: 0.12, scatter: 0.5 },
  rubber: { color: [0.85, 0.24, 0.2], gloss: 0.5, scatter: 0.3 },
  jelly: { color: [0.16, 0.68, 0.62], gloss: 0.85, scatter: 0.5 },
  honey: { color: [0.92, 0.62, 0.14], gloss: 0.9, scatter: 0.5 },
  density: { color: [0.93, 0.79, 0.42], gloss: 0, scatter: 0.6 },
  sand: { color: [0.88, 0.75, 0.53], gloss: 0.02, scatter: 0.0 },
  salt: { color: [0.95, 0.95, 0.96], gloss: 0.15, scatter: 0.2 },
  chocolate: { color: [0.35, 0.21, 0.14], gloss: 0.4, scatter: 0.05 },
  cracker: { color: [0.8, 0.58, 0.31], gloss: 0.06, scatter: 0.1 },
  metal: { color: [0.62, 0.65, 0.7], gloss: 0.9, scatter: 0 },
  wood: { color: [0.56, 0.4, 0.26], gloss: 0.12, scatter: 0 },
  stone: { color: [0.5, 0.5, 0.52], gloss: 0.05, scatter: 0 },
  glass: { color: [0.75, 0.85, 0.92], gloss: 0.9, scatter: 0, opacity: 0.22 },
  plain: { color: [0.42, 0.5, 0.62], gloss: 0.2, scatter: 0 },
};

// for further materials of the same look without a colour of their own
const pastels = [
  [0.9, 0.62, 0.66],
  [0.62, 0.82, 0.69],
  [0.6, 0.71, 0.91],
  [0.94, 0.83, 0.53],
  [0.74, 0.62, 0.86],
];

export function materialLooks(materials) {
  const seen = new Map();
  return materials.map((material) => {
    const earlier = seen.get(material.look) ?? 0;
    seen.set(material.look, earlier + 1);
    const look = looks[material.look] ?? looks.plain;
    const color = material.color ?? (earlier > 0 ? pastels[(earlier - 1) % pastels.length] : look.color);
    return { ...look, color, hidden: material.look === "hidden" };
  });
}

export function colliderLook(collider) {
  const look = looks[collider.look] ?? looks.plain;
  return {
    opacity: collider.hides ? 0.22 : 1,
    ...look,
    color: collider.color ?? look.color,
    hidden: collider.look === "hidden",
  };
}

export const cssColor = (c) => `rgb(${c.map((v) => Math.round(255 * v)).join(" ")})`;
