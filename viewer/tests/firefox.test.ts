// A smoke run in Firefox, where there is one: it opens recordings, seeks, draws, and its states are the native ones.
// Firefox needs no driver for this: the page gets a script that does the work and reports to the server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dist, native, noRecordings, prepared, run } from "./real.ts";
import { type Site, serve } from "./server.ts";

const places = [process.env.GAMETAPE_FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"];
const firefox = places.find((path) => path && existsSync(path));
const skip = noRecordings || (firefox ? false : "there is no Firefox: install it, or set GAMETAPE_FIREFOX");

/** Runs in the page; text, because it is served as a file of its own. */
const SCRIPT = `
addEventListener("error", (event) => report({ error: event.message }));
const report = async (what) => {
  const next = await (await fetch("report?" + encodeURIComponent(JSON.stringify(what)))).text();
  if (next) location.href = next;
};
const idle = () => document.documentElement.dataset.idle === "true";
const wait = async (what) => { while (!what()) await new Promise(requestAnimationFrame); };
(async () => {
  await wait(() => idle() && document.querySelector("[role=tab]"));
  const moments = JSON.parse(new URLSearchParams(location.search).get("moments"));
  const hashes = [];
  for (const moment of moments) {
    gametape.seek(moment);
    await wait(() => !idle());
    await wait(idle);
    hashes.push(await gametape.hash());
  }
  const board = document.querySelector(".board-canvas");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [board.width, board.height];
  const context = canvas.getContext("2d");
  // What a worker drew is on the page some frames later: a busy machine has been seen to need several.
  let colours = 0;
  for (let frame = 0; frame < 600 && colours <= 10; frame++) {
    await new Promise(requestAnimationFrame);
    context.drawImage(board, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    colours = new Set(new Uint32Array(data.buffer)).size;
  }
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.click();
    await wait(idle);
  }
  const problems = [...document.querySelectorAll(".problem")].map((one) => one.textContent);
  await report({ hashes, colours, problems });
})().catch((error) => report({ error: String(error) }));
`;

interface Reported {
  hashes: string[];
  colours: number;
  problems: string[];
  error?: string;
}

interface Task {
  file: string;
  moments: number[];
}

/** A server with the page, the script in it, and the recordings; what is reported goes to `heard`, which says where to go on. */
async function serveTasks(tasks: Task[], heard: (report: Reported) => string): Promise<Site> {
  const site = await serve(dist);
  for (const { file } of tasks) site.files.set(file, readFileSync(prepared(file)));
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const answers: Record<string, [string, string]> = {
    "smoke.html": [
      "text/html; charset=utf-8",
      page.replace("</body>", '<script src="smoke.js"></script></body>'),
    ],
    "smoke.js": ["text/javascript", SCRIPT],
  };
  for (const [name, [type, text]] of Object.entries(answers)) {
    site.faults.set(name, (_, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(text);
    });
  }
  site.faults.set("report", (request, response) => {
    response.end(heard(JSON.parse(decodeURIComponent(request.url!.split("?")[1]!)) as Reported));
  });
  return site;
}

/** What Firefox reports of recordings, one after the other. */
async function inFirefox(tasks: Task[]): Promise<Reported[]> {
  const profile = mkdtempSync(join(tmpdir(), "gametape-firefox-"));
  // Nothing is asked of anybody else.
  const quiet = ["network.captive-portal-service.enabled", "network.connectivity-service.enabled"];
  writeFileSync(join(profile, "user.js"), quiet.map((name) => `user_pref("${name}", false);\n`).join(""));
  const reports: Reported[] = [];
  let done = () => {};
  const link = (number: number): string => {
    const task = tasks[number];
    if (!task) return "";
    const moments = encodeURIComponent(JSON.stringify(task.moments));
    return `${site.url}smoke.html?src=${task.file}&moments=${moments}`;
  };
  const site = await serveTasks(tasks, (report) => {
    reports.push(report);
    if (reports.length === tasks.length) done();
    return link(reports.length);
  });
  const child = spawn(firefox!, ["--headless", "--no-remote", "--profile", profile, link(0)], {
    stdio: "ignore",
  });
  try {
    await new Promise<void>((resolve, reject) => {
      done = resolve;
      child.once("exit", (code) => reject(new Error(`Firefox ended with ${code}`)));
    });
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
    await site.close();
    rmSync(profile, { recursive: true, force: true });
  }
  return reports;
}

test("Firefox opens, seeks and draws a tape, a session and a gamelog", {
  skip,
  timeout: 120_000,
}, async () => {
  const files = ["skirmish.tape", "current.minewars", "skirmish.json"];
  const lines = (await run(native, "hashes", "12", ...files.map(prepared))).trim().split("\n");
  const wanted = lines.map((line) => {
    const { views } = JSON.parse(line) as { views: { moments: [number, string][] }[] };
    return views[0]!.moments.slice(1).reverse();
  });
  const tasks = files.map((file, at) => ({ file, moments: wanted[at]!.map(([moment]) => moment) }));
  for (const [at, found] of (await inFirefox(tasks)).entries()) {
    assert.equal(found.error, undefined, files[at]);
    assert.deepEqual(found.problems, [], files[at]);
    assert.deepEqual(
      found.hashes,
      wanted[at]!.map(([, hash]) => hash),
      files[at],
    );
    assert.ok(found.colours > 10, `${found.colours} colours on the board of ${files[at]}`);
  }
});
