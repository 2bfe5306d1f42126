// Builds the page with the made-up session, bundles the tests and runs them with node's test runner.
// `node tests/run.mjs NAME…` runs only files whose name contains one of these words.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { prepare } from "./prepare.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const wanted = process.argv.slice(2);

const built = spawnSync(process.execPath, ["scripts/build.mjs", "--fake"], { cwd: root, stdio: "inherit" });
if (built.status !== 0) process.exit(built.status ?? 1);

const out = join(root, "dist-fake", "tests");
await rm(out, { recursive: true, force: true });
const files = (await readdir(here))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  .sort();
await esbuild.build({
  absWorkingDir: root,
  entryPoints: files.map((name) => join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  external: ["playwright-core", "axe-core"],
  logLevel: "warning",
  sourcemap: "inline",
});

const unprepared = await prepare(root);
if (unprepared) process.env.GAMETAPE_UNPREPARED = unprepared;

const run = spawnSync(
  process.execPath,
  [
    "--enable-source-maps",
    "--test",
    // Each file has a browser of its own, which waits for pictures more than it works.
    "--test-concurrency=3",
    "--test-reporter=./tests/reporter.mjs",
    "--test-reporter-destination=stdout",
    ...files.map((name) => join(out, name.replace(/\.ts$/, ".mjs"))),
  ],
  { cwd: root, stdio: "inherit" },
);
process.exit(run.status ?? 1);
