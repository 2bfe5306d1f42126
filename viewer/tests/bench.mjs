// Measures the viewer in a real browser for `cargo xtask bench viewer`: a request of JSON on each line of the input, an
// answer of JSON on each line of the output. Needs dist/, made by cargo xtask viewer.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { load, root } from "./load.mjs";

const { browserPath, missingBrowser, startBrowser } = await load("browser");
const { serve } = await load("server");
const site = await serve(join(root, "dist"));
const generated = join(root, "src", "generated");
site.faults.set("gametape_web.js", async (_, response) => {
  response.writeHead(200, { "content-type": "text/javascript" });
  response.end(await readFile(join(generated, "gametape_web.js")));
});

const asked = { requests: 0, bytes: 0 };

/** Serves a file of any size by ranges, and counts. */
function offer(path) {
  const name = basename(path);
  site.faults.set(name, (request, response) => {
    const file = openSync(path);
    const { size } = fstatSync(file);
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [0, 0, size - 1];
    const start = Number(first);
    const bytes = Buffer.alloc(Math.min(Number(last) + 1, size) - start);
    readSync(file, bytes, 0, bytes.length, start);
    closeSync(file);
    asked.requests++;
    asked.bytes += bytes.length;
    response.writeHead(206, {
      "content-range": `bytes ${start}-${start + bytes.length - 1}/${size}`,
      "content-length": bytes.length,
      etag: '"1"',
    });
    response.end(bytes);
  });
  return name;
}

/** Notes every picture of the board: when the worker said that it drew, and the frame in which it is seen. */
function watch() {
  const Real = Worker;
  const heard = [];
  Object.assign(window, { heard, onPicture: null });
  window.Worker = class extends Real {
    #pictures = new Set();

    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        if (data.type !== "shown" || !this.#pictures.delete(data.serial)) return;
        const drawn = performance.now();
        requestAnimationFrame((frame) => {
          heard.push({ drawn, seen: performance.now() });
          window.onPicture?.(frame);
        });
      });
    }

    postMessage(message, ...words) {
      if (message.type === "wish" && message.wish.picture) this.#pictures.add(message.wish.serial);
      super.postMessage(message, ...words);
    }
  };
}

async function inPage(query, work) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    await page.goto(site.url + query);
    return await work(page);
  } finally {
    await context.close();
  }
}

const firstPicture = (page) => page.waitForFunction(() => window.heard.length > 0 && window.heard[0]);
const settled = (page) => page.waitForSelector("html[data-idle=true]", { state: "attached" });

const WORK = {
  /** From the click on a link to the first picture on the screen. */
  async first({ file, query = "" }) {
    const name = offer(file);
    Object.assign(asked, { requests: 0, bytes: 0 });
    return inPage(`?src=${name}${query}`, async (page) => {
      const { seen } = await (await firstPicture(page)).jsonValue();
      return { ms: seen, ...asked };
    });
  },

  /**
   * From the frame in which somebody wishes to the frame that shows it, of each of many seeks to random moments. Both by
   * the time that the browser gives a frame: what else it does in a frame before it calls us says nothing about seeks.
   */
  async seeks({ file, count, end }) {
    return inPage(`?src=${offer(file)}`, async (page) => {
      await settled(page);
      const ms = await page.evaluate(
        async ({ count, end }) => {
          const times = [];
          const frame = () => new Promise(requestAnimationFrame);
          let dice = 12345;
          for (let seek = 0; seek < count; seek++) {
            const start = await frame();
            dice = (Math.imul(dice, 1103515245) + 12345) >>> 0;
            const seen = new Promise((resolve) => {
              window.onPicture = resolve;
            });
            window.gametape.seek(1 + (dice / 2 ** 32) * (end - 1));
            times.push((await seen) - start);
            window.onPicture = null;
            // Nothing of this seek is left for the next.
            while (document.documentElement.dataset.idle !== "true") await frame();
          }
          return times;
        },
        { count, end },
      );
      return { ms };
    });
  },

  /** Pictures and frames of some seconds of play. */
  async play({ file, speed, seconds }) {
    return inPage(`?src=${offer(file)}`, async (page) => {
      await settled(page);
      await page.getByLabel("Speed").selectOption(`${speed}×`);
      const played = await page.evaluate(async (seconds) => {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
        const frame = () => new Promise(requestAnimationFrame);
        // The first half second is for getting under way.
        const warm = performance.now() + 500;
        while (performance.now() < warm) await frame();
        window.heard.length = 0;
        const start = performance.now();
        let frames = 0;
        while (performance.now() - start < seconds * 1000) {
          await frame();
          frames++;
        }
        const passed = (performance.now() - start) / 1000;
        return { pictures: window.heard.length / passed, frames: frames / passed };
      }, seconds);
      return played;
    });
  },

  /** Opens a recording this many times, and seeks through it, in the module alone: milliseconds of each. */
  async session({ file, moments, opens }) {
    const page = await modulePage();
    return page.evaluate(
      async ({ name, moments, opens }) => {
        const { Session } = window.gametapeModule;
        window.files ??= new Map();
        if (!window.files.has(name)) {
          const response = await fetch(name);
          window.files.set(name, new Uint8Array(await response.arrayBuffer()));
        }
        const bytes = window.files.get(name);
        const ask = (session, request) => {
          for (;;) {
            const text = session.call(request);
            if (text !== undefined) return text;
            const ranges = session.missing();
            for (let at = 0; at < ranges.length; at += 2) {
              session.supply(ranges[at], bytes.subarray(ranges[at], ranges[at + 1]));
            }
          }
        };
        const before = performance.now();
        let session = null;
        for (let open = 0; open < opens; open++) {
          session?.free();
          session = new Session(name, bytes.length);
          ask(session, '{"do":"open"}');
        }
        const opened = performance.now();
        for (const to of moments) ask(session, JSON.stringify({ do: "seek", to }));
        const sought = performance.now();
        session.free();
        return { open: opened - before, seek: sought - opened };
      },
      { name: offer(file), moments, opens },
    );
  },
};

let moduleIn = null;
/** A page with the module and nothing else. */
async function modulePage() {
  if (moduleIn) return moduleIn;
  moduleIn = await browser.newPage();
  await moduleIn.goto(site.url);
  await moduleIn.evaluate(async (base) => {
    const module = await import(`${base}gametape_web.js`);
    await module.default({ module_or_path: `${base}gametape_web_bg.wasm` });
    window.gametapeModule = module;
  }, site.url);
  return moduleIn;
}

if (!browserPath) {
  console.log(JSON.stringify({ error: missingBrowser }));
  process.exit(1);
}
const browser = await startBrowser();
for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...words } = JSON.parse(line);
  try {
    console.log(JSON.stringify(await WORK[name](words)));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error?.stack ?? error) }));
  }
}
await browser.close();
await site.close();
