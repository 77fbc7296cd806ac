// Compresses files for the server, which has no time for it while a run is computed: node compress.js FILE...
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

for (const file of process.argv.slice(2)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
