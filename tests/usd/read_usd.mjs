// Reads USD files by tinyusdz and prints what it found as one JSON object: for each file its layer as tinyusdz writes it
// back, and the number of meshes of the scene that it makes of it.
// Usage: node read_usd.mjs MODULES FILE...   where MODULES is the folder node_modules of the installed packages
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const folder = path.resolve(modules, "tinyusdz");

// the package is built for browsers: it looks for a window, and refuses to run where it finds Node
globalThis.window = globalThis;
process.type = "renderer";
// and Node 18 takes it for a module only by its name
const module = path.join(folder, "tinyusdz.mjs");
fs.copyFileSync(path.join(folder, "tinyusdz.js"), module);
const { default: start } = await import(pathToFileURL(module));
const quiet = () => {};
const usd = await start({ wasmBinary: fs.readFileSync(path.join(folder, "tinyusdz.wasm")), print: quiet, printErr: quiet });

const found = {};
for (const file of files) {
  const bytes = fs.readFileSync(file);
  const layer = new usd.TinyUSDZLoaderNative();
  const read = layer.loadAsLayerFromBinary(bytes, file);
  const scene = new usd.TinyUSDZLoaderNative();
  const made = scene.loadFromBinary(bytes, file);
  const meshes = [];
  for (let k = 0; made && k < scene.numMeshes(); ++k) {
    const mesh = scene.getMesh(k);
    meshes.push({ points: mesh.points.length / 3, corners: mesh.faceVertexIndices.length });
  }
  found[path.basename(file)] = { read, error: layer.error(), text: read ? layer.layerToString() : "", made, meshes };
}
process.stdout.write(JSON.stringify(found));
