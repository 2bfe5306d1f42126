// Damaged, cut and made-up files: the session opens them or refuses them in a sentence, and never breaks.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { idle, inPage, open, press, site, suite } from "./harness.ts";
import { corpus, dist, inWorker, noCorpus, noRecordings, prepared } from "./real.ts";

suite(dist);

const FILES = ["match.tape", "current.minewars", "v01.minewars", "game.json"];

/** Ways in which a file is damaged; the same in every run. */
function damaged(whole: Uint8Array): [string, Uint8Array][] {
  const length = whole.length;
  const all: [string, Uint8Array][] = [
    ["doubled", Buffer.concat([whole, whole])],
    ["reversed", new Uint8Array(whole).reverse()],
    ["with something after it", Buffer.concat([whole, Buffer.alloc(70_000, 7)])],
    ["one byte", whole.subarray(0, 1)],
    ["without its last byte", whole.subarray(0, length - 1)],
  ];
  for (const part of [2, 5, 8]) {
    const at = Math.floor((length * part) / 10);
    all.push([`cut at ${at}`, whole.subarray(0, at)]);
    const hole = new Uint8Array(whole);
    hole.fill(0, at, at + Math.floor(length / 20));
    all.push([`zeros at ${at}`, hole]);
    const flipped = new Uint8Array(whole);
    for (let byte = at; byte < length; byte += Math.ceil(length / 13)) flipped[byte]! ^= 1 << (byte % 8);
    all.push([`bits flipped from ${at} on`, flipped]);
  }
  return all;
}

/** Everything that the page asks. */
const REQUESTS = [
  { do: "open" },
  { do: "seek", to: 1e9 },
  { do: "seek", to: 0 },
  { do: "seek", to: 700, since: 650 },
  { do: "step", from: 700, forward: true, by: "change" },
  { do: "step", from: 700, forward: false, by: "turn" },
  { do: "draw", width: 300, height: 200, scale: 9, x: 3, y: 3 },
  { do: "inspect", tile: [0, 0] },
  { do: "history", tile: [0, 1] },
  { do: "messages" },
  { do: "search", text: "a" },
  { do: "story" },
  { do: "hash" },
];

/** Opened, or why not. A module that breaks is a mistake of ours. */
async function look(page: Page, name: string, bytes: Uint8Array, what: string): Promise<boolean> {
  site.files.set(name, bytes);
  try {
    await inWorker(page, name, REQUESTS);
    return true;
  } catch (error) {
    const said = String((error as Error).message);
    assert.doesNotMatch(said, /failed inside|unreachable|RuntimeError|memory/, `${name} ${what}`);
    return false;
  } finally {
    site.files.delete(name);
  }
}

inPage(
  "recordings that are damaged in many ways are opened or refused",
  async (page) => {
    await open(page, "");
    let opened = 0;
    let all = 0;
    for (const file of FILES) {
      const whole = readFileSync(prepared(file));
      assert.ok(await look(page, file, whole, "as it is"), `${file} opens`);
      for (const [what, bytes] of damaged(whole)) {
        all++;
        if (await look(page, file, bytes, what)) opened++;
      }
    }
    assert.ok(opened > 10 && opened < all, `${opened} of ${all} can still be opened`);
  },
  { skip: noRecordings },
);

inPage(
  "whoever goes where something is missing reads so",
  async (page) => {
    const hole = new Uint8Array(readFileSync(prepared("match.tape")));
    hole.fill(0, 30_000, 50_000);
    site.files.set("hole.tape", hole);
    await open(page, "?src=hole.tape");
    await page.evaluate("gametape.seek(2400)");
    await idle(page);
    // It is said in a strip, which leads there.
    await page
      .getByRole("region", { name: "Losses" })
      .getByRole("button", { name: /lost at/ })
      .click();
    await idle(page);
    assert.match(await page.locator(".clock-now").innerText(), /^1:/);
    await press(page, "Home", "ArrowRight");
    assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
  },
  { skip: noRecordings },
);

inPage(
  "hostile files are refused or opened, one after the other, and the page stays alive",
  async (page) => {
    const folder = join(corpus, "hostile");
    for (const name of readdirSync(folder)) {
      site.files.set(name, readFileSync(join(folder, name)));
      await page.goto(`${site.url}?src=${encodeURIComponent(name)}&t=50%25`);
      // The story of one of them takes minutes: nobody waits for it.
      await page.locator(".problem-text, [role=tab]").first().waitFor();
      const isOpen = (await page.getByRole("tab").count()) > 0;
      const said = await page.locator(".problem-text").allInnerTexts();
      assert.equal(said.length, isOpen ? 0 : 1, `${name}: ${said}`);
      assert.doesNotMatch(said.join(), /failed inside/, name);
      for (const key of ["End", "Home", "ArrowRight", "?"]) await page.keyboard.press(key);
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await page.keyboard.press("Escape");
    }
  },
  { skip: noCorpus },
);
