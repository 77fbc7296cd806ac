// Culling of particles deep inside, which others hide. Of a million, a fifth is left.

const maxCells = 2 ** 25;

// The slots of the visible particles in the packet's arrays, ascending. `spacing`: of particles; `clip`: as shared.uClip;
// `shown(material)`: whether the material is visible.
export function outerSlots(packet, spacing, clip, shown) {
  const { positions, materials } = packet.arrays;
  const n = packet.count;
  const extent = [0, 1, 2].map((a) => Math.max(packet.high[a] - packet.low[a], 1e-9));
  // cells of about eight particles, with a layer of empty cells around the grid
  let cell = 2 * spacing;
  const sizes = () => extent.map((e) => Math.floor(e / cell) + 3);
  while (sizes().reduce((a, b) => a * b) > maxCells) cell *= 1.3;
  const [nx, ny, nz] = sizes();
  const scale = extent.map((e) => e / 65535 / cell);
  const cells = new Uint8Array(nx * ny * nz); // 0: empty, 1: occupied, 2: outer layer, 3: second layer
  const keys = new Int32Array(n);
  const [cx, cy, cz] = [0, 1, 2].map((a) => (clip[a] * extent[a]) / 65535);
  const cw = clip[3] + clip[0] * packet.low[0] + clip[1] * packet.low[1] + clip[2] * packet.low[2];
  for (let i = 0, p = 0; i < n; ++i, p += 3) {
    const x = positions[p];
    const y = positions[p + 1];
    const z = positions[p + 2];
    if (cx * x + cy * y + cz * z + cw < 0 || !shown(materials[i])) {
      keys[i] = -1;
      continue;
    }
    const key = ((x * scale[0] + 1) | 0) + nx * (((y * scale[1] + 1) | 0) + ny * ((z * scale[2] + 1) | 0));
    keys[i] = key;
    cells[key] = 1;
  }
  const around = [];
  for (let c = -1; c <= 1; ++c) for (let b = -1; b <= 1; ++b) for (let a = -1; a <= 1; ++a) if (a || b || c) around.push(a + nx * (b + ny * c));
  // two layers, since the first has gaps where its cells are not full
  for (const layer of [2, 3])
    for (let key = 0; key < cells.length; ++key) {
      if (cells[key] !== 1) continue;
      for (let k = 0; k < 26; ++k)
        if (cells[key + around[k]] === (layer === 2 ? 0 : 2)) {
          cells[key] = layer;
          break;
        }
    }
  const slots = new Uint32Array(n);
  let count = 0;
  for (let i = 0; i < n; ++i) if (keys[i] >= 0 && cells[keys[i]] > 1) slots[count++] = i;
  return slots.slice(0, count);
}
