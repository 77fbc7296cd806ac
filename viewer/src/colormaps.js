// Colour maps as sRGB control points for linear interpolation.

export const colormaps = {
  viridis: ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"],
  inferno: ["000004", "210c4a", "57106e", "8a226a", "bc3754", "e45a31", "f98e09", "f9cb35", "fcffa4"],
  turbo: ["30123b", "4661d6", "36aaf9", "1ae4b6", "72fe5e", "c8ef34", "faba39", "f66b19", "ca2a04"],
  coolwarm: ["3b4cc0", "688aef", "99baff", "c9d8f0", "dddddd", "f2cab5", "f7a889", "e26952", "b40426"],
};

const channel = (hex, k) => parseInt(hex.slice(2 * k, 2 * k + 2), 16);

// 256 colours, four bytes each
export function colormapBytes(name) {
  const colours = colormaps[name];
  const bytes = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const at = (i / 255) * (colours.length - 1);
    const k = Math.min(Math.floor(at), colours.length - 2);
    for (let c = 0; c < 3; ++c) {
      const low = channel(colours[k], c);
      bytes[4 * i + c] = Math.round(low + (at - k) * (channel(colours[k + 1], c) - low));
    }
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

export const colormapCss = (name, direction) =>
  `linear-gradient(${direction}, ${colormaps[name].map((c) => `#${c}`).join(", ")})`;
