// Bundles the page into dist/: index.html, app.js, app.css, worker.js, live.js and the wasm modules.
// `--fake` takes the made-up session of tests/fake-session.ts instead of the wasm module and writes to dist-fake/.
// `--watch` builds again on every change.
import { access, copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const args = new Set(process.argv.slice(2));
const fake = args.has("--fake");
const dist = join(root, fake ? "dist-fake" : "dist");
const session = join(root, fake ? "tests/fake-session.ts" : "src/generated/gametape_web.js");
const wasm = join(root, "src/generated/gametape_web_bg.wasm");
/** The module that also makes files. */
const maker = join(root, "src/generated/maker.wasm");

/** What is loaded for live matches alone. */
const seat = join(root, "src/generated/gametape_web_live.js");
const live = join(root, "src/generated/gametape_web_live_bg.wasm");

if (!fake) {
  for (const file of [session, wasm, maker, seat, live]) {
    try {
      await access(file);
    } catch {
      console.error(`${file} is missing: it is made by \`cargo xtask viewer\``);
      process.exit(1);
    }
  }
}

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: ["chrome100", "firefox105", "safari16.4"],
  format: "iife",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  // The session is always told where its module is.
  logOverride: { "empty-import-meta": "silent" },
};

const builds = [
  {
    ...common,
    entryPoints: { app: "src/main.tsx" },
    outdir: dist,
    jsx: "automatic",
    jsxImportSource: "preact",
  },
  { ...common, entryPoints: { app: "src/styles.css" }, outdir: dist },
  { ...common, entryPoints: { worker: "src/worker.ts" }, outdir: dist, alias: { "#session": session } },
];
// The made-up session plays nothing live.
if (!fake) {
  builds.push({
    ...common,
    entryPoints: { live: "src/live/worker.ts" },
    outdir: dist,
    alias: { "#live": seat },
  });
}

if (!args.has("--watch")) await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await copyFile(join(root, "src/index.html"), join(dist, "index.html"));
if (!fake) {
  await copyFile(wasm, join(dist, "gametape_web_bg.wasm"));
  await copyFile(maker, join(dist, "maker.wasm"));
  await copyFile(live, join(dist, "live.wasm"));
}

if (args.has("--watch")) {
  for (const options of builds) await (await esbuild.context({ ...options, logLevel: "info" })).watch();
} else {
  await Promise.all(builds.map((options) => esbuild.build(options)));
  console.log(`${dist} is built`);
}
