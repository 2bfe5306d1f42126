// A module of the tests, which are TypeScript, for programs that are not.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export async function load(name) {
  const outfile = join(root, "dist-fake", "loaded", `${name}.mjs`);
  await esbuild.build({
    entryPoints: [join(root, "tests", `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["playwright-core"],
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}
