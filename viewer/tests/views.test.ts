// The view governs everything on the page; and the page can be used by everybody.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { accessible, click, idle, inPage, now, open, press, site, suite } from "./harness.ts";

suite();

const NAMES = ["Ana", "Ben", "Chloé", "Dario"];

/** Everything that the page says, attributes and values of fields among it. */
async function everything(page: Page): Promise<string> {
  return page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, select")].map(
      (one) => (one as HTMLInputElement).value,
    );
    return [document.title, document.documentElement.outerHTML, ...fields].join("\n");
  });
}

function check(text: string, seat: number, where: string) {
  NAMES.forEach((name, at) => {
    if (at + 1 !== seat) assert.ok(!text.includes(`secret-of-${name}`), `${name}'s secret in ${where}`);
  });
}

inPage("a seat shows no secret of another, in no tab, card, tip or search", async (page) => {
  await open(page, "?src=secret.tape&t=4:36.9");
  // All-seeing: everything is filled with everybody's secrets first.
  assert.match(await everything(page), /secret-of-Ana/);
  const board = (await page.locator(".board").boundingBox())!;
  await page.mouse.click(board.x + 400, board.y + 300);
  await idle(page);
  await click(page, "tab", "Events");
  await page.getByLabel("Speed").selectOption("16×");
  await page.keyboard.press("k");
  await page.waitForFunction(() => document.querySelector(".clock-now")?.textContent !== "4:36.9");
  await press(page, "k");
  for (const [at, name] of NAMES.entries()) {
    await click(page, "radio", name);
    const seat = at + 1;
    check(await everything(page), seat, `${name}: after the switch`);
    for (const tab of ["Players", "Events", "Moments", "Statistics", "Messages"]) {
      if ((await page.getByRole("tab", { name: tab }).count()) === 0) continue;
      await click(page, "tab", tab);
      check(await everything(page), seat, `${name}: ${tab}`);
    }
    const bar = (await page.getByRole("slider", { name: "Time", exact: true }).boundingBox())!;
    for (const share of [0.1, 0.3, 0.5, 0.9]) {
      await page.mouse.move(bar.x + bar.width * share, bar.y + 15);
      await page.locator(".tip").waitFor();
      check(await everything(page), seat, `${name}: tip`);
    }
    await page.keyboard.press("/");
    await page.getByRole("searchbox").fill("secret");
    await page.waitForFunction(() =>
      /found/.test(document.querySelector(".search .hint")?.textContent ?? ""),
    );
    await idle(page);
    check(await everything(page), seat, `${name}: search`);
    await page.keyboard.press("Escape");
    await click(page, "tab", "Players");
    assert.match(await everything(page), new RegExp(`secret-of-${name}`), "own secrets are shown");
  }
});

inPage("views by keys, by mouse and by arrows; position is kept", async (page) => {
  await open(page, "?src=tape.tape&t=4:00");
  const chosen = () => page.locator('[role=radio][aria-checked="true"]').innerText();
  await press(page, "3");
  assert.equal(await chosen(), "Chloé");
  await press(page, "0");
  assert.equal(await chosen(), "All");
  await click(page, "radio", "Dario");
  assert.equal(await chosen(), "Dario");
  await page.getByRole("radio", { name: "Dario" }).focus();
  await press(page, "ArrowRight");
  assert.equal(await chosen(), "All");
  await press(page, "9");
  assert.equal(await chosen(), "All");
  assert.equal(await now(page), "4:00");
});

inPage("a dialog that closes leaves the next one open", async (page) => {
  await open(page);
  // Two keys at once: the first dialog is reported as closed when the second is open already.
  await press(page, "g");
  await page.getByRole("dialog").waitFor();
  await Promise.all([page.keyboard.press("Escape"), page.keyboard.press("?")]);
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await idle(page);
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  assert.equal(await page.getByRole("dialog", { name: "Keys" }).count(), 1);
});

for (const scheme of ["dark", "light"] as const) {
  inPage(
    `axe-core finds nothing: ${scheme}`,
    async (page) => {
      await open(page, "");
      await accessible(page, "start");
      await open(page, "?src=damaged.tape&t=4:36.9&s=1,2&c=14,12,40");
      for (const tab of ["Players", "Events", "Moments", "Statistics", "Messages"]) {
        await click(page, "tab", tab);
        await accessible(page, tab);
      }
      for (const key of ["?", "g", "/", "c"]) {
        await page.keyboard.press(key);
        await page.getByRole("dialog").waitFor();
        await idle(page);
        await accessible(page, `dialog ${key}`);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      await press(page, "o", "b", "x");
      await accessible(page, "loop, bookmark, spoiler-free");
      await open(page, "?src=gamelog.tape");
      await click(page, "tab", "State");
      await page.getByRole("tree").getByText("gameObjects").click();
      await idle(page);
      await accessible(page, "State");
      await open(page, "?src=broken.tape");
      await accessible(page, "broken");
    },
    { colorScheme: scheme },
  );
}

inPage("axe-core finds nothing: matches", async (page) => {
  const matches = [
    {
      src: "tape.tape",
      name: "a.tape",
      game: "Skirmish",
      players: [{ name: "Ana", result: "won" }],
      seconds: 900,
      best: { text: "Ana wins", time: "4:37" },
    },
    { src: "x", name: "b", game: "Saloon", players: [], problem: "not a recording" },
  ];
  site.files.set("matches.json", new TextEncoder().encode(JSON.stringify({ matches })));
  try {
    await open(page, "");
    await accessible(page, "matches");
  } finally {
    site.files.delete("matches.json");
  }
});

inPage(
  "axe-core finds nothing: narrow",
  async (page) => {
    await open(page, "?src=tape.tape&t=4:36.9&s=1,2");
    await accessible(page, "narrow");
    // Board, then tabs, then dock.
    const tops = await Promise.all(
      [".stage", ".side", ".dock"].map(async (name) => (await page.locator(name).boundingBox())!.y),
    );
    assert.deepEqual(
      tops,
      [...tops].sort((a, b) => a - b),
    );
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true },
);
