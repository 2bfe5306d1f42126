// A game of Checkers in the page with the wasm session: pieces, whose turn it is, what is taken.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { idle, inPage, open, press, suite } from "./harness.ts";
import { dist, offer, prepared, noRecordings as skip } from "./real.ts";

suite(dist);

/** What the card of a square says of the present. */
async function card(page: Page, square: string): Promise<string> {
  await open(page, `?src=checkers.json&t=turn:9&s=${square}`);
  return page.locator(".tile-card dl").innerText();
}

inPage(
  "squares say which piece is on them and whose it is",
  async (page) => {
    offer(prepared("checkers.json"));
    const king = await card(page, "3,0");
    assert.match(king, /Checker king/);
    assert.match(king, /Blaise/);
    const man = await card(page, "5,0");
    assert.match(man, /Checker man/);
    assert.match(man, /Ada/);
    // Taken, in the turn before.
    assert.doesNotMatch(await card(page, "2,3"), /Checker/);
  },
  { skip },
);

for (const width of [360, 1440]) {
  inPage(
    `players say how many pieces they have, and who moves, at ${width} pixels`,
    async (page) => {
      offer(prepared("checkers.json"));
      await open(page, "?src=checkers.json&t=turn:7");
      const counts = () => page.locator(".players tbody td").allInnerTexts();
      assert.deepEqual(await counts(), ["12", "12"]);
      assert.match(await page.locator(".facts").innerText(), /to move\s+Blaise/);
      await press(page, "Shift+ArrowRight");
      await idle(page);
      assert.deepEqual(await counts(), ["10", "12"]);
      assert.match(await page.locator(".facts").innerText(), /to move\s+Ada/);
    },
    { skip, viewport: { width, height: 800 } },
  );
}
