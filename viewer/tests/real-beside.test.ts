// Seats together, side by side, clips and videos with the wasm session.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { idle, inPage, now, open, press, site, suite } from "./harness.ts";
import { secretsOf } from "./prepare.mjs";
import { dist, noRecordings, offer, prepared } from "./real.ts";

suite(dist);

const skip = { skip: noRecordings as string | false };

function secretsIn(text: string, seat: number): string[] {
  return Object.values(secretsOf(seat))
    .map(String)
    .filter((secret) => text.includes(secret) || text.includes(secret.replace(/\B(?=(\d{3})+$)/g, ",")));
}

inPage(
  "seats together: what each of them knows, and nothing of a third",
  async (page) => {
    const name = offer(prepared("secrets.minewars"));
    await open(page, `?src=${name}&view=1%2B2&t=end`);
    const said = new Map([1, 2, 3].map((seat) => [seat, new Set<string>()]));
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      for (const key of ["Home", ...Array(7).fill("ArrowRight"), "End"]) {
        await press(page, key);
        const text = await page.content();
        for (const [seat, found] of said) for (const secret of secretsIn(text, seat)) found.add(secret);
      }
    }
    assert.deepEqual([...said.get(3)!], []);
    assert.ok(said.get(1)!.size >= 2 && said.get(2)!.size >= 2, JSON.stringify([...said.values()]));
  },
  skip,
);

inPage(
  "side by side: two seats differ, the same seat does not, in step while stepping and playing",
  async (page) => {
    const name = offer(prepared("match.tape"));
    await open(page, `?src=${name}&t=50%25&view=1&split=2`);
    await page.locator(".side-found", { hasText: /^\d+ tiles? differs?$/ }).waitFor();
    assert.notEqual(await page.locator(".side-found").innerText(), "0 tiles differ");
    await page.getByLabel("View of the right side").selectOption("1");
    await idle(page);
    await page.locator(".side-found", { hasText: "0 tiles differ" }).waitFor();
    await press(page, "ArrowRight", "ArrowRight");
    const times = await page.locator(".side-time").allInnerTexts();
    assert.equal(times[0], times[1]);
    assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
  },
  skip,
);

async function save(page: Page, button: string): Promise<Buffer> {
  await page.keyboard.press("c");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return readFileSync(await (await saved).path());
}

for (const [file, views] of [
  ["match.tape", "All"],
  ["match.tape", "2"],
  ["current.minewars", "All"],
  ["game.json", "All"],
] as const) {
  inPage(
    `a clip of ${file}, view ${views}, opens again and shows the same`,
    async (page) => {
      const query = views === "All" ? "" : `&view=${views}`;
      await open(page, `?src=${offer(prepared(file))}&t=50%25${query}`);
      const hash = await page.evaluate("window.gametape.hash()");
      const time = await now(page);
      const clip = await save(page, "Clip as a tape");
      site.files.set("clip.tape", clip);
      // A cut of a MineWars recording begins at time 0.
      const to = file.endsWith(".minewars") ? "0" : time.startsWith("delta") ? `tick:${time.slice(6)}` : time;
      await open(page, `?src=clip.tape&t=${to}${query}`);
      assert.deepEqual(await page.locator(".problem, .problem-text").allInnerTexts(), []);
      if (!file.endsWith(".minewars")) {
        assert.equal(await now(page), time);
        assert.equal(await page.evaluate("window.gametape.hash()"), hash);
      }
      if (views === "2")
        assert.equal(await page.locator(".views, .views-select").count(), 0, "one seat alone");
    },
    skip,
  );
}

inPage(
  "a picture of the moment under the pointer never moves the position, and videos are made",
  async (page) => {
    await open(page, `?src=${offer(prepared("match.tape"))}&t=50%25`);
    const before = [await now(page), await page.evaluate("window.gametape.hash()")];
    const bar = (await page.getByRole("slider", { name: "Time", exact: true }).boundingBox())!;
    for (const share of [0.1, 0.9, 0.3]) {
      await page.mouse.move(bar.x + bar.width * share, bar.y + 50);
      await page.locator(".tip-picture[data-moment]").waitFor();
      await idle(page);
    }
    assert.deepEqual([await now(page), await page.evaluate("window.gametape.hash()")], before);
    await page.getByLabel("Speed").selectOption("8×");
    const film = await save(page, "Video (WebM)");
    assert.equal(film.readUInt32BE(0), 0x1a45dfa3);
    const gif = await save(page, "GIF");
    assert.equal(gif.subarray(0, 6).toString(), "GIF89a");
    assert.ok(gif.length > 5000, `${gif.length} bytes`);
    assert.deepEqual([await now(page), await page.evaluate("window.gametape.hash()")], before);
  },
  skip,
);
