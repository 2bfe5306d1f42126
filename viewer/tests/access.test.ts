// axe-core finds nothing in any state of the page, with the wasm session and real recordings.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { accessible, idle, inPage, open, press, site, suite } from "./harness.ts";
import { dist, noRecordings, offer, prepared } from "./real.ts";

suite(dist);

/** Every tab that the recording has. */
async function tabs(page: Page, what: string) {
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await idle(page);
    await accessible(page, `${what}, ${await tab.innerText()}`);
  }
}

/** Every dialog that a key opens. */
async function dialogs(page: Page, what: string) {
  for (const key of ["?", "g", "/", "c"]) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await idle(page);
    await accessible(page, `${what}, dialog of ${key}`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
}

const SCREENS = [
  { scheme: "light", width: 1440, height: 900 },
  { scheme: "dark", width: 360, height: 740 },
] as const;

for (const { scheme, width, height } of SCREENS) {
  inPage(
    `axe-core finds nothing in any state: ${scheme}, ${width} × ${height}`,
    async (page) => {
      offer(prepared("match.tape"));
      offer(prepared("skirmish.json"));
      await open(page, "?src=match.tape&t=50%25&s=0,0");
      await accessible(page, "a card");
      await tabs(page, "a tape");
      await dialogs(page, "a tape");
      await press(page, "1", "o", "b");
      await accessible(page, "a seat, with a loop and a bookmark");
      await press(page, "x");
      await accessible(page, "spoiler-free");
      await open(page, "?src=skirmish.json&t=50%25");
      await tabs(page, "a gamelog");
      // A recording with a hole, one that ends early, and none at all.
      const whole = readFileSync(prepared("match.tape"));
      const hole = new Uint8Array(whole);
      hole.fill(0, 30_000, 50_000);
      site.files.set("hole.tape", hole);
      site.files.set("cut.tape", whole.subarray(0, 60_000));
      site.files.set("none.tape", whole.subarray(0, 20));
      for (const name of ["hole", "cut", "none"]) {
        await open(page, `?src=${name}.tape`);
        await accessible(page, `damaged: ${name}`);
      }
    },
    { skip: noRecordings, colorScheme: scheme, viewport: { width, height } },
  );
}
