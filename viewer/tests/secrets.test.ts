// With a seat chosen, nothing on the page says what another seat alone knows: real recordings, the wasm session.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { click, idle, inPage, open, press, suite } from "./harness.ts";
import { secretsOf } from "./prepare.mjs";
import { dist, noRecordings, offer, prepared } from "./real.ts";

suite(dist);

const SEATS = [1, 2, 3];

/** Everything that somebody can read, hear, copy or find: the document, values of fields, the tree of accessible names, storage. */
async function everything(page: Page, heard = true): Promise<string> {
  const nodes = heard ? await accessibleNames(page) : [];
  const said = await page.evaluate(() => {
    const fields = [...document.querySelectorAll("input, select, textarea")] as HTMLInputElement[];
    const stored = Object.entries({ ...localStorage, ...sessionStorage }).flat();
    const values = fields.flatMap(({ value, title, placeholder }) => [value, title, placeholder]);
    return [document.title, location.href, document.documentElement.outerHTML, ...values, ...stored].join(
      "\n",
    );
  });
  return `${said}\n${JSON.stringify(nodes)}`;
}

async function accessibleNames(page: Page): Promise<object[]> {
  const cdp = await page.context().newCDPSession(page);
  const { nodes } = await cdp.send("Accessibility.getFullAXTree");
  await cdp.detach();
  return nodes;
}

/** Digits are grouped for people. */
function ways(secret: string | number): string[] {
  const text = String(secret);
  return typeof secret === "number"
    ? [text, text.replace(/\B(?=(\d{3})+$)/g, ","), text.replace(/\B(?=(\d{3})+$)/g, " ")]
    : [text];
}

/** Which seats' secrets are there. */
function told(text: string): Record<number, string[]> {
  const found: Record<number, string[]> = {};
  for (const seat of SEATS) {
    const all = Object.entries(secretsOf(seat)) as [string, string | number][];
    found[seat] = all
      .filter(([, secret]) => ways(secret).some((way) => text.includes(way)))
      .map(([what]) => what);
  }
  return found;
}

async function check(page: Page, seat: number, where: string, heard = true): Promise<string[]> {
  const found = told(await everything(page, heard));
  for (const other of SEATS) {
    if (other !== seat) assert.deepEqual(found[other], [], `seat ${seat} learns of seat ${other}: ${where}`);
  }
  return found[seat]!;
}

/** Looks at everything that the page can show; returns which of the own secrets it said. */
async function lookAround(page: Page, seat: number): Promise<Set<string>> {
  const own = new Set<string>();
  const look = async (where: string, heard = true) => {
    for (const what of await check(page, seat, where, heard)) own.add(what);
  };
  await look("after the change of view");
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await idle(page);
    const name = (await tab.getAttribute("aria-label")) ?? (await tab.innerText());
    for (const key of ["Home", ...Array(7).fill("ArrowRight"), "End"]) {
      await press(page, key);
      await look(`tab ${name}, key ${key}`, key === "End");
    }
  }
  const board = (await page.locator(".board").boundingBox())!;
  for (const [x, y] of [
    [0.5, 0.5],
    [0.35, 0.6],
    [0.65, 0.4],
    [0.5, 0.3],
    [0.45, 0.7],
  ] as const) {
    await page.mouse.move(board.x + board.width * x, board.y + board.height * y);
    await idle(page);
    await look(`pointer at ${x}, ${y}`);
    await page.mouse.click(board.x + board.width * x, board.y + board.height * y);
    await idle(page);
    await look(`card of the tile at ${x}, ${y}`);
  }
  const bar = (await page.getByRole("slider", { name: "Time", exact: true }).boundingBox())!;
  for (const share of [0.15, 0.4, 0.7, 0.95]) {
    await page.mouse.move(bar.x + bar.width * share, bar.y + bar.height / 2);
    await page.locator(".tip").first().waitFor();
    await idle(page);
    await look(`tip at ${share}`);
  }
  await page.keyboard.press("/");
  for (const text of ["secret", "77", "88", "tower", "a"]) {
    await page.getByRole("searchbox").fill(text);
    await page.waitForFunction(() =>
      /found|Nothing/.test(document.querySelector(".search")?.textContent ?? ""),
    );
    await idle(page);
    await look(`search for ${text}`);
  }
  await page.keyboard.press("Escape");
  for (const key of ["c", "?", "b"]) {
    await page.keyboard.press(key);
    await idle(page);
    await look(`key ${key}`);
    await page.keyboard.press("Escape");
  }
  return own;
}

inPage(
  "a seat shows nothing that only another knows: text, attributes, accessible names, titles, cards, tips, search, links",
  async (page) => {
    await open(page, `?src=${offer(prepared("secrets.minewars"))}&t=end`);
    // All-seeing first, so that whatever is kept is full of secrets.
    await click(page, "tab", "Events");
    await press(page, "Home", "ArrowRight", "ArrowRight", "ArrowRight", "End");
    const all = told(await everything(page));
    assert.ok(
      SEATS.every((seat) => all[seat]!.length > 0),
      JSON.stringify(all),
    );
    for (const seat of SEATS) {
      await press(page, String(seat));
      const own = await lookAround(page, seat);
      assert.ok(own.has("chat") && own.has("vote"), `seat ${seat} sees its own: ${[...own]}`);
      await press(page, "0", "Home", "End");
    }
    // A link to a seat shows the others' secrets at no time.
    for (const seat of SEATS) {
      for (const city of ["0,0", "-3,3", "3,-3"]) {
        await open(page, `?src=secrets.minewars&t=end&view=${seat}&s=${city}`);
        await check(page, seat, `opened by a link to the city at ${city}`);
      }
    }
  },
  { skip: noRecordings },
);

/** The picture of the board, as text that can be compared. */
async function picture(page: Page): Promise<string> {
  return (await page.locator(".board-canvas").screenshot()).toString("base64");
}

inPage(
  "a seat of the whole recording is drawn as the recording of that seat alone",
  async (page) => {
    offer(prepared("secrets.minewars"));
    for (const seat of SEATS) {
      assert.ok(!readFileSync(prepared(`seat${seat}.minewars`)).includes(`secret${(seat % 3) + 1}`));
      offer(prepared(`seat${seat}.minewars`));
      for (const time of ["1.5s", "end"]) {
        const shown: string[] = [];
        for (const src of ["secrets.minewars", `seat${seat}.minewars`]) {
          await open(page, `?src=${src}&t=${time}&view=${seat}&c=5,5,40`);
          shown.push(await picture(page));
        }
        assert.ok(shown[0] === shown[1], `seat ${seat} at ${time}`);
      }
    }
  },
  { skip: noRecordings },
);
