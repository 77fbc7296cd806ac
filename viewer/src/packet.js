// Decodes the server's packets: "DOLLOP1\n", the length of a JSON object, the object, the arrays.

const types = { u8: Uint8Array, i8: Int8Array, u16: Uint16Array, u32: Uint32Array };

export function decodePacket(buffer) {
  const bytes = new Uint8Array(buffer);
  if (new TextDecoder().decode(bytes.subarray(0, 8)) !== "DOLLOP1\n") throw new Error("not a packet");
  const length = new DataView(buffer).getUint32(8, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  const arrays = {};
  for (const [name, a] of Object.entries(head.arrays)) {
    const type = types[a.type];
    arrays[name] = new type(buffer, 12 + length + a.offset, a.bytes / type.BYTES_PER_ELEMENT);
  }
  return { ...head, arrays, bytes: buffer.byteLength };
}
