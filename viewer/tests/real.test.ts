// The page with the wasm session, on recordings of the corpus. Skipped where dist/ is not built or there is no corpus.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { boardColours, idle, inPage, open, press, site, suite } from "./harness.ts";
import { corpus, dist, noCorpus as skip } from "./real.ts";

suite(dist);

const FILES = [
  "minewars/current/06_replay_hex_r10_2p_het.minewars",
  "minewars/v0.1/07_replay_sq_r12_3p_keepalive.minewars",
  "cadre/Chess-arena1.json.gz",
  "cadre/Saloon-jsvspy2-2026.11.15.19.54.42.055.json.gz",
  "cadre/viseur-example-2018.gamelog.json.gz",
  "hostile/lost-keyframe.tape",
];

for (const file of FILES) {
  inPage(
    `opens, plays and steps: ${file}`,
    async (page) => {
      const name = basename(file);
      site.files.set(name, readFileSync(join(corpus, file)));
      await open(page, `?src=${name}`);
      const said = await page.locator(".problem, .problem-text").allInnerTexts();
      assert.deepEqual(said, []);
      assert.ok((await boardColours(page)) > 2000, "the board is drawn");
      const first = await page.locator(".clock-now").innerText();
      await press(page, "ArrowRight", "ArrowRight", ".", ",");
      assert.notEqual(await page.locator(".clock-now").innerText(), first);
      // A link leads back to the same moment.
      const time = await page.locator(".clock-now").innerText();
      await page.keyboard.press("c");
      const link = await page.getByLabel("Link to this moment").inputValue();
      await page.goto(link);
      await idle(page);
      assert.equal(await page.locator(".clock-now").innerText(), time, link);
      await press(page, "End");
      const last = await page.evaluate("window.gametape.hash()");
      await press(page, "Home");
      await press(page, "End");
      assert.equal(await page.evaluate("window.gametape.hash()"), last, "the same state after a detour");
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await idle(page);
      }
      assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
    },
    { skip },
  );
}

inPage(
  "a step by turn says that there are no turns",
  async (page) => {
    const file = FILES[0]!;
    site.files.set(basename(file), readFileSync(join(corpus, file)));
    await open(page, `?src=${basename(file)}`);
    await press(page, "Shift+ArrowRight");
    assert.equal(await page.locator(".toast").innerText(), "This recording has no turns");
  },
  { skip },
);
