// Builds the page into three files with fixed names, which cmake/viewer.cmake puts into the program.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/viewer.js",
        assetFileNames: "assets/viewer[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
