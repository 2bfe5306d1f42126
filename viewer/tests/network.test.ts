// Servers and networks as they are: slow, broken, lying, changing. The page says what is wrong, stays alive, and what it
// shows is right.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { click, idle, inPage, open, press, site, suite } from "./harness.ts";
import { dist, noRecordings, offer, prepared } from "./real.ts";
import type { Fault } from "./server.ts";

suite(dist);

const EXPECTED = /Failed to load resource|ERR_/;

/** The range that a request asks for. */
function rangeOf(request: IncomingMessage, length: number): [number, number] {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  return start === undefined ? [0, length] : [Number(start), Math.min(Number(end) + 1, length)];
}

/** Answers as a server should, but for what is changed. */
function partly(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  change: { total?: number | "*"; start?: number; headers?: Record<string, string>; body?: Uint8Array } = {},
) {
  const [start, end] = rangeOf(request, bytes.length);
  const from = change.start ?? start;
  response.writeHead(206, {
    "content-range": `bytes ${from}-${from + (end - start) - 1}/${change.total ?? bytes.length}`,
    etag: '"1"',
    ...change.headers,
  });
  response.end(change.body ?? bytes.subarray(start, end));
}

/** What the page says is wrong. */
async function problem(page: Page): Promise<string> {
  await page.locator(".problem, .problem-text").first().waitFor();
  await idle(page);
  return (await page.locator(".problem, .problem-text").allInnerTexts()).join(" ");
}

/** A test with a server that answers for one recording in its own way until `mend` is called. */
function faulty(
  name: string,
  fault: Fault,
  body: (page: Page, src: string, mend: () => void) => Promise<void>,
) {
  inPage(
    name,
    async (page) => {
      const src = `${name.replace(/\W+/g, "-")}.tape`;
      offer(prepared("match.tape"), src);
      site.faults.set(src, fault);
      await body(page, src, () => site.faults.delete(src));
      site.faults.delete(src);
    },
    { skip: noRecordings, errors: EXPECTED },
  );
}

/** The recording is refused with these words, and opens when the server is mended. */
function refused(name: string, words: RegExp, fault: Fault) {
  faulty(name, fault, async (page, src, mend) => {
    await open(page, `?src=${src}&t=50%25`);
    assert.match(await problem(page), words);
    assert.ok(await page.getByRole("button", { name: "Keys" }).isVisible(), "the page is alive");
    mend();
    await open(page, `?src=${src}&t=50%25`);
    assert.equal(await page.locator(".problem").count(), 0);
    await page.locator(".board-canvas").waitFor();
  });
}

refused("a recording that is not there", /the server answered 404/, (_, response) => {
  response.writeHead(404);
  response.end("not found");
});

refused("a server that fails", /the server answered 500/, (_, response) => {
  response.writeHead(500);
  response.end();
});

refused("a page of HTML instead of a recording", /neither a tape/, (_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<!doctype html><title>Please log in</title>".repeat(40));
});

refused("an empty recording", /empty/, (request, response) => {
  const ranged = request.headers.range !== undefined;
  response.writeHead(ranged ? 416 : 200, ranged ? { "content-range": "bytes */0" } : {});
  response.end();
});

refused(
  "a first part that is shorter than it says",
  /bytes from 0 were asked for/,
  (request, response, bytes) => partly(request, response, bytes, { body: bytes.subarray(0, 500) }),
);

refused("parts from elsewhere", /other bytes than/, (request, response, bytes) => {
  const [start, end] = rangeOf(request, bytes.length);
  partly(
    request,
    response,
    bytes,
    start === 0 ? {} : { start: start - 65536, body: bytes.subarray(0, end - start) },
  );
});

refused(
  "a length that is too large",
  /answered 416|bytes from|damaged|cut off|ends/i,
  (request, response, bytes) => {
    const [start] = rangeOf(request, bytes.length);
    if (start < bytes.length) return partly(request, response, bytes, { total: bytes.length + 1_000_000 });
    response.writeHead(416, { "content-range": `bytes */${bytes.length}` });
    response.end();
  },
);

refused(
  "a connection that breaks off in the middle of the first part",
  /broke off|cannot be reached/,
  (request, response, bytes) => {
    response.writeHead(206, { "content-range": `bytes 0-65535/${bytes.length}`, "content-length": 65536 });
    response.write(bytes.subarray(0, 1000));
    setImmediate(() => request.socket.destroy());
  },
);

faulty(
  "a connection that breaks off in the middle of a seek",
  (request, response, bytes) => {
    const [start, end] = rangeOf(request, bytes.length);
    if (!isBroken) return partly(request, response, bytes);
    response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/${bytes.length}`, etag: '"1"' });
    response.write(bytes.subarray(start, start + 1000));
    setImmediate(() => request.socket.destroy());
  },
  async (page, src, mend) => {
    site.files.set(src, readFileSync(prepared("long.tape")));
    isBroken = false;
    await open(page, `?src=${src}`);
    isBroken = true;
    await page.evaluate("gametape.seek(9000)");
    assert.match(await problem(page), /broke off|cannot be reached/);
    mend();
    await click(page, "button", "Try again");
    await idle(page);
    assert.equal(await page.locator(".problem").count(), 0);
    const hash = await page.evaluate("gametape.hash()");
    await open(page, `?src=${src}`);
    await page.evaluate("gametape.seek(9000)");
    await idle(page);
    assert.equal(await page.evaluate("gametape.hash()"), hash, "the state after trying again");
  },
);

let isBroken = false;

faulty(
  "a recording that changes while it is read",
  (request, response, bytes) => partly(request, response, bytes, { headers: { etag: `"${version}"` } }),
  async (page, src) => {
    site.files.set(src, readFileSync(prepared("long.tape")));
    version = 1;
    await open(page, `?src=${src}`);
    version = 2;
    await page.evaluate("gametape.seek(9000)");
    assert.match(await problem(page), /changed while it was read/);
    // The page reads the new one from its start, at the same moment.
    await click(page, "button", /again/i);
    await idle(page);
    assert.equal(await page.locator(".problem").count(), 0);
    assert.equal(await page.locator(".clock-now").innerText(), "7:29.95");
  },
);
let version = 1;

faulty(
  "a recording that becomes longer while it is read, without a tag",
  (request, response, bytes) => {
    const headers: Record<string, string> = {};
    const [start, end] = rangeOf(request, bytes.length);
    const more = start === 0 || end === bytes.length ? 0 : 77;
    response.writeHead(206, {
      "content-range": `bytes ${start}-${end - 1}/${bytes.length + more}`,
      ...headers,
    });
    response.end(bytes.subarray(start, end));
  },
  async (page, src) => {
    site.files.set(src, readFileSync(prepared("long.tape")));
    await open(page, `?src=${src}`);
    await page.evaluate("gametape.seek(9000)");
    assert.match(await problem(page), /changed while it was read/);
  },
);

faulty(
  "a slow server shows how far it is, and can be left",
  (request, response, bytes) => {
    const [start, end] = rangeOf(request, bytes.length);
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(start, Math.min(end, 20_000)));
    // The rest never comes.
  },
  async (page, src) => {
    await page.goto(site.url);
    await page.goto(`${site.url}?src=${src}`);
    await page.getByRole("progressbar").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.goBack();
    await page.getByRole("heading", { name: "Drop a recording here" }).waitFor();
    assert.equal(page.workers().length, 0);
  },
);

faulty(
  "a slow seek is given up for a newer one",
  (request, response, bytes) => {
    const [start, end] = rangeOf(request, bytes.length);
    if (start === 0 || end === bytes.length || !isSlow) return partly(request, response, bytes);
    waiting.push(() => partly(request, response, bytes));
  },
  async (page, src) => {
    site.files.set(src, readFileSync(prepared("long.tape")));
    isSlow = false;
    await open(page, `?src=${src}&t=end`);
    const end = await page.locator(".clock-now").innerText();
    const hash = await page.evaluate("gametape.hash()");
    await open(page, `?src=${src}`);
    isSlow = true;
    await page.evaluate("gametape.seek(9000)");
    await page.evaluate("gametape.seek(16000)");
    await page.evaluate("gametape.seek(1e9)");
    while (!(await page.locator("html[data-idle=true]").count())) {
      for (const answer of waiting.splice(0)) answer();
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    isSlow = false;
    assert.equal(await page.locator(".clock-now").innerText(), end);
    assert.equal(await page.evaluate("gametape.hash()"), hash);
  },
);
let isSlow = false;
const waiting: (() => void)[] = [];

faulty(
  "a server without ranges, with compression and without a length",
  (_, response, bytes) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync(bytes));
  },
  async (page, src) => {
    await open(page, `?src=${src}&t=end`);
    const hash = await page.evaluate("gametape.hash()");
    await open(page, `?src=${offer(prepared("match.tape"), "plain.tape")}&t=end`);
    assert.equal(await page.evaluate("gametape.hash()"), hash);
  },
);

for (const part of ["gametape_web_bg.wasm", "worker.js"]) {
  inPage(
    `a viewer without its ${part} says so, and trying again helps`,
    async (page) => {
      offer(prepared("match.tape"));
      site.faults.set(part, (_, response) => {
        response.writeHead(503);
        response.end();
      });
      await open(page, "?src=match.tape");
      assert.match(await problem(page), /503|could not be loaded/);
      site.faults.delete(part);
      await click(page, "button", "Try again");
      await page.locator(".board-canvas").waitFor();
      await idle(page);
      await press(page, "End");
      assert.equal(await page.locator(".problem").count(), 0);
    },
    { skip: noRecordings, errors: EXPECTED },
  );
}

inPage(
  "letters that cannot be had are left out",
  async (page) => {
    offer(prepared("match.tape"));
    site.faults.set("font.ttf", (_, response) => {
      response.writeHead(200);
      response.end("this is no font");
    });
    await open(page, "?src=match.tape&t=50%25");
    assert.equal(await page.locator(".problem").count(), 0);
    site.faults.delete("font.ttf");
  },
  { skip: noRecordings, errors: EXPECTED },
);
