// Every way in which the tool brings the viewer to people, and every way to open a recording there: `gametape view`,
// `gametape view --site` from a server that knows nothing of us, `gametape export`. Nothing ever asks a stranger.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { accessible, idle, inPage, press, suite } from "./harness.ts";
import { dist, noRecordings, prepared, run, tool } from "./real.ts";

suite(dist);

let folder: string;
let matches: string;
let serving: ChildProcess;
let address: string;
let host: Server;
let site: string;

/** A server that a beginner writes: no ranges, no media types, nothing else. */
function plainHost(root: string): Server {
  return createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    try {
      const bytes = await readFile(join(root, path.endsWith("/") ? `${path}index.html` : path));
      // A browser takes nothing else for a page.
      const type = /\.html$|\/$/.test(path) ? "text/html" : path.endsWith(".js") ? "text/javascript" : "";
      const style = path.endsWith(".css") ? "text/css" : type;
      response.writeHead(200, style ? { "content-type": style } : {});
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
}

/** Runs `gametape view`; its address. */
function view(...words: string[]): Promise<{ process: ChildProcess; address: string }> {
  const child = spawn(tool, ["-q", "view", "--no-open", "--json", "--viewer", dist, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.stdout.once("data", (line: Buffer) => {
      resolve({ process: child, address: (JSON.parse(String(line)) as { address: string }).address });
    });
    child.once("exit", (code) => reject(new Error(`gametape view ended with ${code}`)));
  });
}

if (!noRecordings) {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "gametape-served-"));
    matches = join(folder, "matches");
    await mkdir(matches);
    for (const name of ["match.tape", "secrets.minewars", "game.json"]) {
      await cp(prepared(name), join(matches, name));
    }
    writeFileSync(join(matches, "broken.tape"), readFileSync(prepared("match.tape")).subarray(0, 900));
    writeFileSync(join(folder, "outside.txt"), "nobody may read this");
    symlinkSync(join(folder, "outside.txt"), join(matches, "link.tape"));
    ({ process: serving, address } = await view(matches));
    await run(tool, "-q", "view", "--site", join(folder, "site"), "--viewer", dist, matches).catch(() => "");
    host = plainHost(join(folder, "site"));
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    site = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  });
  after(async () => {
    serving?.kill("SIGINT");
    host?.closeAllConnections();
    host?.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

/** A test in which the page may ask this place only. */
function visited(name: string, place: () => string, body: (page: Page) => Promise<void>, errors?: RegExp) {
  inPage(
    name,
    async (page) => {
      const asked: string[] = [];
      page.context().on("request", (request) => asked.push(request.url()));
      await body(page);
      const own = new URL(place()).origin;
      const strangers = asked.filter((url) => !/^(blob|data):/.test(url) && new URL(url).origin !== own);
      assert.deepEqual(strangers, [], "requests elsewhere");
      assert.ok(asked.length > 0);
    },
    { skip: noRecordings, ...(errors ? { errors } : {}) },
  );
}

/** A match is there and can be played through. */
async function playable(page: Page) {
  // A gamelog may have no board.
  await page.getByRole("tab").first().waitFor();
  await idle(page);
  assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
  await press(page, "End", "Home", "ArrowRight");
  const hash = (await page.evaluate("gametape.hash()")) as string;
  assert.match(hash, /^[0-9a-f]{64}$/);
}

visited(
  "gametape view FOLDER is a page of matches that opens in place",
  () => address,
  async (page) => {
    const response = await page.goto(address);
    assert.match(response!.headers()["content-security-policy"] ?? "", /default-src 'none'/);
    await page.getByRole("heading", { name: "Matches" }).waitFor();
    await idle(page);
    const titles = await page.locator(".match h3").allInnerTexts();
    assert.ok(titles.length >= 3, titles.join());
    assert.ok(!(await page.content()).includes("nobody may read this"));
    await accessible(page, "the page of matches");
    for (const name of ["match.tape", "game.json", "secrets.minewars"]) {
      await page.locator(`.match a[href*="${name}"]`).first().click();
      await playable(page);
      assert.match(page.url(), new RegExp(name.replace(".", "\\.")));
      await page.goBack();
      await page.getByRole("heading", { name: "Matches" }).waitFor();
    }
  },
);

visited(
  "the secret of the address is needed, and paths lead nowhere else",
  () => address,
  async (page) => {
    await page.goto(address);
    const base = new URL(address);
    const paths = [
      `${base.origin}/`,
      `${base.origin}/app.js`,
      `${address}recordings/0/..%2f..%2foutside.txt`,
      `${address}..%2foutside.txt`,
      `${address}recordings/99/match.tape`,
    ];
    for (const path of paths) {
      const status = await page.evaluate(async (url) => (await fetch(url)).status, path);
      assert.equal(status, 404, path);
    }
  },
);

let one: { process: ChildProcess; address: string };
visited(
  "gametape view FILE opens at a time and as a player",
  () => one.address,
  async (page) => {
    one = await view("--at", "50%", "--view", "2", prepared("match.tape"));
    try {
      await page.goto(one.address);
      await page.locator(".board-canvas").waitFor();
      await idle(page);
      assert.notEqual(await page.locator(".clock-now").innerText(), "0:00");
      assert.equal(await page.getByRole("radio", { name: "Ben" }).getAttribute("aria-checked"), "true");
    } finally {
      one.process.kill("SIGINT");
    }
  },
);

visited(
  "a static site works on a host without ranges and media types",
  () => site,
  async (page) => {
    await page.goto(site);
    await page.getByRole("heading", { name: "Matches" }).waitFor();
    await page.locator('.match a[href*="match.tape"]').first().click();
    await playable(page);
    const link = new URL(page.url());
    link.searchParams.set("t", "0:30");
    link.searchParams.set("view", "1");
    await page.goto(link.href);
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.equal(await page.locator(".clock-now").innerText(), "0:30");
  },
  /wasm|MIME/i,
);

visited(
  "a file is picked, dropped and pasted on the page of the tool",
  () => address,
  async (page) => {
    const one = join(matches, "match.tape");
    for (const way of ["drop", "paste"] as const) {
      await page.goto(address);
      await page.getByRole("heading", { name: "Matches" }).waitFor();
      const bytes = readFileSync(one).toString("base64");
      await page.evaluate(
        ({ bytes, way }) => {
          const data = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([data], "mine.tape"));
          const init = { bubbles: true, cancelable: true };
          document.body.dispatchEvent(
            way === "drop"
              ? new DragEvent("drop", { ...init, dataTransfer: transfer })
              : new ClipboardEvent("paste", { ...init, clipboardData: transfer }),
          );
        },
        { bytes, way },
      );
      await playable(page);
    }
    await page.goto(address);
    await page.getByRole("heading", { name: "Matches" }).waitFor();
    await page.locator("input[type=file]").first().setInputFiles(one);
    await playable(page);
  },
);

for (const name of ["match.tape", "secrets.minewars", "game.json"]) {
  inPage(
    `gametape export makes one file that opens from disk and asks nobody: ${name}`,
    async (page) => {
      const file = join(folder, `${name}.html`);
      await run(tool, "-q", "export", "--viewer", dist, "--at", "50%", prepared(name), file);
      const asked: string[] = [];
      page.context().on("request", (request) => asked.push(request.url()));
      await page.context().setOffline(true);
      await page.goto(pathToFileURL(file).href);
      await playable(page);
      assert.deepEqual(
        asked.filter((url) => !/^(blob|data):/.test(url)),
        [pathToFileURL(file).href],
      );
    },
    { skip: noRecordings },
  );
}
