// What tests of the page with the wasm session share: recordings, the tool, and a worker without a page around it.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { root, site } from "./harness.ts";

/** The page with the wasm session. */
export const dist = join(root, "dist");
export const corpus = process.env.GAMETAPE_CORPUS ?? "";

export const noSession = existsSync(join(dist, "gametape_web_bg.wasm"))
  ? false
  : "dist/ has no wasm session: cargo xtask viewer makes it";

/** Why tests with recordings of our own are skipped. run.mjs makes the recordings. */
export const noRecordings = noSession || process.env.GAMETAPE_UNPREPARED || false;

/** Why tests with the corpus are skipped. */
export const noCorpus = noSession || (existsSync(corpus) ? false : "GAMETAPE_CORPUS is not set");

const tools = process.env.GAMETAPE_TOOLS ?? join(root, "..", "target", "debug");
export const tool = join(tools, "gametape");
export const native = join(tools, "examples", "native");

/** A recording that run.mjs made. */
export function prepared(name: string): string {
  return join(root, "dist-fake", "recordings", name);
}

export async function run(program: string, ...words: string[]): Promise<string> {
  return (await promisify(execFile)(program, words, { maxBuffer: 1 << 28 })).stdout;
}

/** A recording under its name on the server of the test. */
export function offer(path: string, name = path.split("/").at(-1)!): string {
  site.files.set(name, readFileSync(path));
  return name;
}

const RECORDING = /\.(minewars|json\.gz|tape)$/;

/** The recordings of the corpus that can be opened: all but those of a dialect that nobody can guess. */
export function recordings(): string[] {
  const folders = ["minewars/current", "minewars/v0.1", "cadre"];
  return folders.flatMap((folder) => {
    const names = existsSync(join(corpus, folder)) ? readdirSync(join(corpus, folder)).sort() : [];
    return names.filter((name) => RECORDING.test(name)).map((name) => join(corpus, folder, name));
  });
}

/** Calls of one session in a worker of its own, as the page makes them but without drawing; all answers. */
export async function inWorker(page: Page, name: string, requests: object[]): Promise<unknown[]> {
  return page.evaluate(
    ({ name, requests }) =>
      new Promise<unknown[]>((resolve, reject) => {
        const at = (path: string) => new URL(path, location.href).href;
        const worker = new Worker(at("worker.js"));
        const answers: unknown[] = [];
        const end = (finish: () => void) => {
          worker.terminate();
          finish();
        };
        worker.onerror = (event) => end(() => reject(new Error(event.message)));
        worker.onmessage = ({ data }) => {
          if (data.type === "failed") end(() => reject(new Error(`${name}: ${data.message}`)));
          if (data.type !== "answer") return;
          answers.push(data.value);
          if (answers.length === requests.length) end(() => resolve(answers));
        };
        worker.postMessage({
          type: "open",
          origin: { kind: "url", url: at(name), name },
          wasm: at("gametape_web_bg.wasm"),
          font: null,
        });
        requests.forEach((request, id) => {
          worker.postMessage({ type: "ask", id, request: JSON.stringify(request) });
        });
      }),
    { name, requests },
  );
}
