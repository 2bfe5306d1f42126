// Everything has room, from small phones to large screens: nothing is cut off, nothing lies over something else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { idle, inPage, open, press, site, suite } from "./harness.ts";
import { dist, noCorpus, noRecordings, offer, prepared } from "./real.ts";

suite(dist);

/** What goes beyond the box that it lies in. */
async function beyond(page: Page, box: string, inside: string): Promise<string[]> {
  return page.evaluate(
    ({ box, inside }) => {
      const found: string[] = [];
      for (const outer of document.querySelectorAll(box)) {
        const room = outer.getBoundingClientRect();
        for (const inner of outer.querySelectorAll(inside)) {
          const own = inner.getBoundingClientRect();
          if (own.width === 0) continue;
          const by = Math.max(
            room.left - own.left,
            own.right - room.right,
            room.top - own.top,
            own.bottom - room.bottom,
          );
          if (by > 1) found.push(`${inner.tagName} ${inner.textContent}: ${by} px`);
        }
      }
      return found;
    },
    { box, inside },
  );
}

for (const [width, height] of [
  [360, 740],
  [1024, 700],
  [1440, 900],
]) {
  inPage(
    `two boards and their players have room in ${width} × ${height}`,
    async (page) => {
      await open(page, `?src=${offer(prepared("match.tape"))}&t=60%`);
      assert.deepEqual(await beyond(page, ".scroll-x", ".players th, .players td"), []);
      assert.deepEqual(await beyond(page, ".players th[scope=row]", ".player-cell > *:not(.only-heard)"), []);
      const names = page.locator(".player-name");
      const isWhole = (name: Element) => name.scrollWidth <= name.clientWidth;
      for (let row = 0; row < (await names.count()); row++) {
        assert.ok(await names.nth(row).evaluate(isWhole), await names.nth(row).innerText());
      }
      await page.route("**/matches.json", (route) =>
        route.fulfill({
          json: { matches: [{ src: "match.tape", name: "match.tape", players: [] }] },
        }),
      );
      await press(page, "i");
      await page.locator(".other-list").waitFor();
      assert.ok(await page.getByRole("button", { name: "Close the right side" }).isVisible());
      assert.deepEqual(await beyond(page, ".side-head", "*:not(option)"), []);
      assert.deepEqual(await beyond(page, ".stage", ".zoom, .layers summary"), []);
    },
    { viewport: { width: width!, height: height! }, skip: noRecordings },
  );
}

inPage(
  "what is said for a while does not lie over who is followed",
  async (page) => {
    await open(page, `?src=${offer(prepared("match.tape"))}&t=60%`);
    await press(page, "u");
    await page.locator(".follow-chip").waitFor();
    await press(page, "b");
    const boxes = await Promise.all(
      [".toast", ".follow-chip"].map((name) => page.locator(name).first().boundingBox()),
    );
    assert.equal(await page.locator(".toast").getAttribute("data-shown"), "true");
    assert.ok(boxes[0]!.y + boxes[0]!.height <= boxes[1]!.y, JSON.stringify(boxes));
  },
  { skip: noRecordings },
);

inPage(
  "pictures of matches are seen whole",
  async (page) => {
    // Higher than the place for it.
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400"/></svg>`;
    site.files.set("tall.svg", new TextEncoder().encode(picture));
    await page.route("**/tall.svg", (route) =>
      route.fulfill({ contentType: "image/svg+xml", body: picture }),
    );
    await page.route("**/matches.json", (route) =>
      route.fulfill({
        json: {
          matches: [1, 2].map((one) => ({
            src: `${one}.tape`,
            name: `${one}.tape`,
            players: [],
            picture: "tall.svg",
            problem: one === 2 ? "bytes 60610..64862: unreadable (frames chunk 82)" : undefined,
          })),
        },
      }),
    );
    await page.goto(site.url);
    await page.locator(".match-picture img").first().waitFor();
    assert.deepEqual(await beyond(page, ".match-picture", "img"), []);
    // What is wrong is said to people; the place in the file is for those who look for it.
    const wrong = page.locator(".match .warning-text");
    assert.equal(await wrong.innerText(), "Damaged: a part of it is lost");
    assert.match((await wrong.getAttribute("title"))!, /60610/);
  },
  { skip: noRecordings },
);

inPage(
  "a long line of what just happened is read to its end",
  async (page) => {
    const name = offer(`${process.env.GAMETAPE_CORPUS}/cadre/Stumped-bigint-2026.11.15.19.49.04.334.json.gz`);
    await open(page, `?src=${name}&t=168`);
    const line = page.locator(".ticker li").first();
    await line.waitFor();
    const text = await line.innerText();
    assert.match(text, /refused/);
    const isCut = await line.evaluate(
      (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1,
    );
    assert.equal(isCut, false, text);
  },
  { skip: noCorpus },
);

inPage(
  "what is lost is said with its length and its time, once",
  async (page) => {
    const hole = new Uint8Array(readFileSync(prepared("match.tape")));
    const at = Math.floor(hole.length / 2);
    hole.fill(0, at, at + 2000);
    site.files.set("hole.tape", hole);
    // It is found where it is played over: between a keyframe and the next.
    let said: string[] = [];
    for (let percent = 30; percent < 75 && said.length === 0; percent += 2) {
      await open(page, `?src=hole.tape&t=${percent}%`);
      said = await page.locator(".strip.loss button").allInnerTexts();
    }
    assert.ok(said.length > 0, "the loss is said");
    for (const text of said) assert.match(text, /^[\d.]+ (s|min) lost at \d+:\d\d/);
    assert.equal(new Set(said).size, said.length);
    await page.locator(".strip.loss button").first().click();
    await idle(page);
    // To the last moment of which everything is known.
    const seconds = (text: string) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    const [lost, shown] = [said[0]!.split(" at ")[1]!, await page.locator(".clock-now").innerText()];
    assert.ok(Math.abs(seconds(lost) - seconds(shown)) < 0.1, `${said[0]} leads to ${shown}`);
  },
  { skip: noRecordings },
);
