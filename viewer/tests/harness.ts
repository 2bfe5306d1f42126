// What tests of the page share.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { browserPath, missingBrowser, startBrowser } from "./browser.ts";
import { type Site, serve } from "./server.ts";

/** The folder of the viewer: tests run from dist-fake/tests. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const dist = join(root, "dist-fake");

/** A recording of the made-up session; its first word says what it is like. */
export function recording(kind: string, size = 500_000): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  bytes.set(new TextEncoder().encode(`${kind} `));
  return bytes;
}

let browser: Browser;
export let site: Site;

export function suite(folder = dist) {
  if (!browserPath) return;
  before(async () => {
    browser = await startBrowser();
    site = await serve(folder);
    for (const kind of ["tape", "damaged", "gamelog", "secret", "broken", "boardless"]) {
      site.files.set(`${kind}.tape`, recording(kind));
    }
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
}

export interface Opened {
  page: Page;
  errors: string[];
}

/** A test in a page of its own; a message in the console that nobody expects is a failure. */
export function inPage(
  name: string,
  body: (page: Page) => Promise<void>,
  options: BrowserContextOptions & { errors?: RegExp; skip?: string | false } = {},
) {
  const { errors, skip, ...context } = options;
  test(name, { skip: browserPath ? (skip ?? false) : missingBrowser, timeout: 240_000 }, async () => {
    const opened = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      colorScheme: "dark",
      ...context,
    });
    const page = await opened.newPage();
    page.setDefaultTimeout(40_000);
    const seen: string[] = [];
    page.on("pageerror", (error) => seen.push(error.stack ?? error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") seen.push(message.text());
    });
    try {
      await body(page);
      // A font or a list of matches that is not there is reported by the browser itself.
      const unexpected = seen.filter((text) => !/404/.test(text) && !errors?.test(text));
      assert.deepEqual(unexpected, []);
    } finally {
      await opened.close();
    }
  });
}

export async function idle(page: Page) {
  await page.waitForSelector("html[data-idle=true]", { state: "attached" });
}

export async function open(page: Page, query = "?src=tape.tape") {
  await page.goto(site.url + query);
  await idle(page);
}

export async function now(page: Page): Promise<string> {
  return page.locator(".clock-now").innerText();
}

export async function press(page: Page, ...keys: string[]) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await idle(page);
  }
}

export async function click(page: Page, role: Parameters<Page["getByRole"]>[0], name: string | RegExp) {
  await page
    .getByRole(role, { name, ...(typeof name === "string" ? { exact: true } : {}) })
    .first()
    .click();
  await idle(page);
}

const axe = readFileSync(createRequire(join(root, "package.json")).resolve("axe-core/axe.min.js"), "utf8");

/** axe-core finds nothing. */
export async function accessible(page: Page, what: string) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    // @ts-expect-error: axe was just added to the page
    const result = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return result.violations.map(
      (one: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
        `${one.id}: ${one.nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join("\n")}`,
    );
  });
  assert.deepEqual(found, [], what);
}

/** The colour of a pixel of the board as it is on the screen. */
export async function boardColours(page: Page): Promise<number> {
  const shot = await page.locator(".board-canvas").screenshot();
  // Many colours compress badly: an empty board is a few hundred bytes.
  return shot.length;
}
