// Many recordings one after the other: memory stays bounded, and only one worker lives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { idle, inPage, open, suite } from "./harness.ts";
import { dist, noRecordings, offer, prepared } from "./real.ts";

suite(dist);

const FILES = 50;
/** The first ones fill what the browser itself keeps. */
const WARM = 15;
/** What a session of the widest recording takes is more than this, so keeping a few of them would show. */
const MOST_GROWTH = 60;

/** Megabytes of the process that has the page and its workers. */
async function resident(page: Page): Promise<number> {
  const browser = await page.context().browser()!.newBrowserCDPSession();
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  await browser.detach();
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    });
  return Math.max(...sizes);
}

async function collectGarbage(page: Page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.detach();
}

inPage(
  `${FILES} recordings opened one after the other keep memory bounded`,
  async (page) => {
    const names = ["wide.minewars", "skirmish.tape", "game.json", "match.tape", "current.minewars"];
    for (const name of names) offer(prepared(name));
    await open(page, "?src=wide.minewars&t=50%25");
    let before = 0;
    for (let count = 1; count <= FILES; count++) {
      await page.evaluate(
        (src) => {
          history.pushState(null, "", `?src=${src}&t=50%25`);
          dispatchEvent(new PopStateEvent("popstate"));
        },
        names[count % names.length]!,
      );
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
      await idle(page);
      assert.equal(page.workers().length, 1, `workers after ${count}`);
      if (count === WARM || count === FILES) {
        await collectGarbage(page);
        const now = await resident(page);
        if (count === FILES) assert.ok(now - before < MOST_GROWTH, `${before} MB, then ${now} MB`);
        before = now;
      }
    }
  },
  { skip: noRecordings || (process.platform === "linux" ? false : "memory is read from /proc") },
);
