// Every control, by mouse and by keyboard.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { boardColours, click, idle, inPage, now, open, press, suite } from "./harness.ts";

suite();

const at = "?src=tape.tape&t=4:00";

async function speed(page: Page): Promise<string> {
  return page.getByLabel("Speed").inputValue();
}

/** Plays until the time has changed, then pauses. */
async function playing(
  page: Page,
  start: () => Promise<void>,
  stop: () => Promise<void>,
): Promise<[string, string]> {
  const before = await now(page);
  await start();
  await page.waitForFunction((old) => document.querySelector(".clock-now")?.textContent !== old, before);
  await stop();
  await idle(page);
  return [before, await now(page)];
}

function seconds(text: string): number {
  const [minutes, rest] = text.split(":").map(Number);
  return minutes! * 60 + rest!;
}

inPage("play, pause and reverse by mouse", async (page) => {
  await open(page, at);
  const play = () => page.getByRole("button", { name: "Play", exact: true }).click();
  const pause = () => page.getByRole("button", { name: "Pause", exact: true }).click();
  let [before, after] = await playing(page, play, pause);
  assert.ok(seconds(after) > seconds(before));
  const back = () => page.getByRole("button", { name: "Play backward" }).click();
  [before, after] = await playing(page, back, back);
  assert.ok(seconds(after) < seconds(before));
});

inPage("play, pause, shuttle and speed by keyboard", async (page) => {
  await open(page, at);
  const key = (name: string) => () => page.keyboard.press(name);
  let [before, after] = await playing(page, key(" "), key(" "));
  assert.ok(seconds(after) > seconds(before));
  [before, after] = await playing(page, key("k"), key("k"));
  assert.ok(seconds(after) > seconds(before));
  [before, after] = await playing(page, key("j"), key("k"));
  assert.ok(seconds(after) < seconds(before));
  [before, after] = await playing(
    page,
    async () => {
      await page.keyboard.press("l");
      await page.keyboard.press("l");
    },
    key("k"),
  );
  assert.ok(seconds(after) > seconds(before));
  assert.equal(await speed(page), "2");
  await press(page, ">", ">", ">", ">", ">", ">", ">");
  assert.equal(await speed(page), "64");
  for (let n = 0; n < 12; n++) await press(page, "<");
  assert.equal(await speed(page), "0.1");
});

inPage("at 64 times it reaches the end and stops", async (page) => {
  await open(page, "?src=tape.tape&t=14:30");
  await page.getByLabel("Speed").selectOption("64×");
  await page.keyboard.press(" ");
  await page.locator(".clock-now", { hasText: "15:00" }).waitFor();
  await idle(page);
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
});

inPage("steps by change, tick, turn, event and moment", async (page) => {
  await open(page, "?src=tape.tape&t=tick:700");
  const steps: [string, number][] = [
    ["ArrowRight", 7],
    ["ArrowLeft", -7],
    [".", 1],
    [",", -1],
    ["Shift+ArrowRight", 49],
    ["Shift+ArrowLeft", -50],
  ];
  // 700 is no multiple of 7 away: begin at one.
  await press(page, "ArrowLeft");
  let before = seconds(await now(page)) * 10;
  for (const [key, by] of steps) {
    await press(page, key);
    const after = Math.round(seconds(await now(page)) * 10);
    if (!key.startsWith("Shift")) assert.equal(after - Math.round(before), by, key);
    else assert.ok(Math.sign(after - before) === Math.sign(by), key);
    before = after;
  }
  await press(page, "Home");
  assert.equal(await now(page), "0:00");
  await press(page, "ArrowDown");
  const first = await now(page);
  await press(page, "ArrowDown");
  assert.ok(seconds(await now(page)) > seconds(first));
  await press(page, "ArrowUp");
  assert.equal(await now(page), first);
  await press(page, "n");
  assert.equal(await now(page), "3:32.9");
  await press(page, "n", "p");
  assert.equal(await now(page), "3:32.9");
  await press(page, "End");
  assert.equal(await now(page), "15:00");
  await click(page, "button", "Beginning");
  assert.equal(await now(page), "0:00");
  await click(page, "button", "Next change");
  assert.equal(await now(page), "0:00.6");
  await click(page, "button", "Previous change");
  assert.equal(await now(page), "0:00");
  await click(page, "button", "End");
  assert.equal(await now(page), "15:00");
});

inPage("go to a time in words; what is no time is refused", async (page) => {
  await open(page, at);
  await page.keyboard.press("g");
  const field = page.getByRole("textbox", { name: "Time" });
  await field.fill("sometime");
  await page.keyboard.press("Enter");
  await page.getByText("“sometime” is no time").waitFor();
  await field.fill("3:37.6");
  await page.keyboard.press("Enter");
  await idle(page);
  assert.equal(await now(page), "3:37.6");
  await page.getByRole("button", { name: /^Go to a time/ }).click();
  await field.fill("-10s");
  await click(page, "button", "Go");
  assert.equal(await now(page), "3:27.6");
});

inPage("the bar seeks by click and drag, and tells what is near the pointer", async (page) => {
  await open(page);
  const bar = page.getByRole("slider", { name: "Time", exact: true });
  const box = (await bar.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + 60);
  await idle(page);
  assert.ok(Math.abs(seconds(await now(page)) - 450) < 2);
  await page.mouse.down();
  for (let n = 0; n <= 40; n++) await page.mouse.move(box.x + box.width * (0.5 - n / 100), box.y + 60);
  await page.mouse.up();
  await idle(page);
  assert.ok(Math.abs(seconds(await now(page)) - 90) < 2);
  await page.mouse.move(box.x + box.width * (2771 / 9001), box.y + 60);
  await page.locator(".tip").getByText("Ana's base falls to Dario").waitFor();
  assert.equal(await bar.getAttribute("aria-valuetext"), await now(page));
});

inPage("the fine bar zooms, seeks and sets a loop", async (page) => {
  await open(page, at);
  const bar = page.getByRole("slider", { name: "Time, fine" });
  const width = async () =>
    Number(await bar.getAttribute("aria-valuemax")) - Number(await bar.getAttribute("aria-valuemin"));
  const whole = await width();
  await click(page, "button", "Zoom the fine bar in");
  assert.ok((await width()) < whole);
  await press(page, "Shift+Z", "Shift+Z");
  assert.ok((await width()) > whole);
  await press(page, "z");
  const box = (await bar.boundingBox())!;
  await page.mouse.move(box.x + 300, box.y + 30);
  await page.mouse.wheel(0, -200);
  await idle(page);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 30);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.locator(".loop-range").waitFor();
  assert.equal(
    await page.getByRole("button", { name: "Loop", exact: true }).getAttribute("aria-pressed"),
    "true",
  );
  await click(page, "button", "Fine bar");
  assert.equal(await bar.count(), 0);
});

inPage("a loop by keys: playing stays inside", async (page) => {
  await open(page, at);
  await press(page, "[");
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Time" }).fill("4:01");
  await page.keyboard.press("Enter");
  await idle(page);
  await press(page, "]");
  assert.equal(await page.locator(".loop-range").innerText(), "4:00 – 4:01");
  await page.getByLabel("Speed").selectOption("8×");
  await page.keyboard.press(" ");
  const times: number[] = [];
  await page.exposeFunction("note", (text: string) => times.push(seconds(text)));
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const element = document.querySelector(".clock-now")!;
        let before = element.textContent!;
        new MutationObserver(() => {
          const text = element.textContent!;
          // @ts-expect-error: exposed by the test
          note(text);
          // Back at the beginning of the loop.
          if (text < before) resolve();
          before = text;
        }).observe(element, { characterData: true, childList: true, subtree: true });
      }),
  );
  await page.keyboard.press(" ");
  await idle(page);
  assert.ok(
    times.every((time) => time >= 240 && time <= 261),
    times.join(" "),
  );
  await press(page, "o");
  assert.equal(await page.locator(".loop-range").count(), 0);
});

inPage("bookmarks are kept for the next visit", async (page) => {
  await open(page, at);
  await press(page, "b");
  await click(page, "tab", "Moments");
  await page.getByLabel("Note of the bookmark at 4:00").fill("look here");
  await page.keyboard.press("Tab");
  await open(page, "?src=tape.tape");
  await click(page, "tab", "Moments");
  assert.equal(await page.getByLabel("Note of the bookmark at 4:00").inputValue(), "look here");
  await click(page, "button", "4:00");
  assert.equal(await now(page), "4:00");
  await click(page, "button", "Remove the bookmark at 4:00");
  assert.equal(await page.getByLabel("Note of the bookmark at 4:00").count(), 0);
  await click(page, "button", "Bookmark");
  assert.equal(
    await page.getByRole("button", { name: "Bookmark", exact: true }).getAttribute("aria-pressed"),
    "true",
  );
});

inPage("the board is moved and zoomed by mouse and keys", async (page) => {
  await open(page, at);
  const share = async () => {
    await click(page, "button", "Share");
    const link = new URL(await page.getByLabel("Link to this moment").inputValue());
    await page.keyboard.press("Escape");
    return link.searchParams.get("c")?.split(",").map(Number) ?? null;
  };
  assert.equal(await share(), null);
  await click(page, "button", "Zoom in");
  const [x, y, zoom] = (await share())!;
  await press(page, "+");
  assert.ok((await share())![2]! > zoom!);
  await press(page, "-");
  await press(page, "d", "s");
  let moved = (await share())!;
  assert.ok(moved[0]! > x! && moved[1]! > y!);
  await press(page, "a", "w");
  moved = (await share())!;
  assert.ok(Math.abs(moved[0]! - x!) < 0.2 && Math.abs(moved[1]! - y!) < 0.2);
  const board = (await page.locator(".board").boundingBox())!;
  await page.mouse.move(board.x + 300, board.y + 300);
  await page.mouse.down();
  await page.mouse.move(board.x + 200, board.y + 250, { steps: 4 });
  await page.mouse.up();
  await idle(page);
  const dragged = (await share())!;
  assert.ok(dragged[0]! > moved[0]! && dragged[1]! > moved[1]!);
  assert.equal(await page.locator(".tile-card").count(), 0, "a drag selects nothing");
  await page.mouse.move(board.x + 300, board.y + 300);
  await page.mouse.wheel(0, -300);
  await idle(page);
  assert.ok((await share())![2]! > dragged[2]!);
  await page.getByRole("img", { name: "Small map" }).click({ position: { x: 20, y: 60 } });
  await idle(page);
  assert.ok((await share())![0]! < 10);
  await press(page, "f");
  assert.equal(await share(), null);
  await click(page, "button", "Zoom in");
  await click(page, "button", "Zoom out");
  await click(page, "button", "Fit all");
  assert.equal(await share(), null);
});

inPage("a tile is hovered, selected, told with its history, and kept", async (page) => {
  await open(page, at);
  const board = (await page.locator(".board").boundingBox())!;
  await page.mouse.move(board.x + board.width / 2, board.y + board.height / 2);
  await page.locator(".hover-card").waitFor();
  await page.mouse.click(board.x + board.width / 2, board.y + board.height / 2);
  await idle(page);
  const card = page.locator(".tile-card");
  await card.getByText("tower, 3 hp").waitFor();
  const title = await card.getByRole("heading").first().innerText();
  await card.getByText("Dario takes it").click();
  await idle(page);
  assert.match(await now(page), /^6:/);
  assert.equal(await card.getByRole("heading").first().innerText(), title, "selection is kept");
  await press(page, "Shift+D");
  assert.notEqual(await card.getByRole("heading").first().innerText(), title);
  await press(page, "Shift+A");
  assert.equal(await card.getByRole("heading").first().innerText(), title);
  await press(page, "Escape");
  assert.equal(await card.count(), 0);
  await press(page, "Shift+W", "Shift+S");
  await card.waitFor();
  await click(page, "button", "Close the card");
  assert.equal(await card.count(), 0);
});

inPage("two fingers zoom", async (page) => {
  await open(page, at);
  const zoomed = await page.evaluate(async () => {
    const board = document.querySelector<HTMLElement>(".board")!;
    board.setPointerCapture = () => {};
    const send = (type: string, pointerId: number, x: number) =>
      board.dispatchEvent(
        new PointerEvent(type, {
          pointerId,
          pointerType: "touch",
          clientX: x,
          clientY: 300,
          bubbles: true,
          button: 0,
        }),
      );
    send("pointerdown", 1, 400);
    send("pointerdown", 2, 500);
    send("pointermove", 1, 300);
    send("pointermove", 2, 600);
    send("pointerup", 1, 300);
    send("pointerup", 2, 600);
    return true;
  });
  assert.ok(zoomed);
  await idle(page);
  await page.getByRole("img", { name: "Small map" }).waitFor();
});

inPage("tabs by mouse and keys show what the recording has", async (page) => {
  await open(page, at);
  const names = ["Players", "Events", "Moments", "Statistics", "Messages"];
  assert.deepEqual(await page.getByRole("tab").allInnerTexts(), names);
  for (const name of names) {
    await click(page, "tab", name);
    await page.getByRole("tabpanel", { name }).waitFor();
  }
  await page.getByRole("tab", { name: "Messages" }).focus();
  await press(page, "ArrowRight");
  await page.getByRole("tabpanel", { name: "Players" }).waitFor();
  await page.locator(".board").focus();
  await press(page, "t");
  await page.getByRole("tabpanel", { name: "Events" }).waitFor();
  await open(page, "?src=gamelog.tape");
  assert.deepEqual(await page.getByRole("tab").allInnerTexts(), ["Players", "Events", "Moments", "State"]);
  await open(page, "?src=boardless.tape");
  assert.equal(await page.locator(".board").count(), 0);
});

inPage("players: values, sorting, those who are out", async (page) => {
  await open(page, "?src=tape.tape&t=10:00");
  const rows = page.locator(".players tbody tr");
  assert.equal(await rows.count(), 4);
  assert.equal(await rows.first().locator("s").innerText(), "Ana");
  await click(page, "button", "land");
  assert.match(await rows.first().innerText(), /Dario/);
  await click(page, "button", "player");
  assert.match(await rows.first().innerText(), /Ana/);
});

inPage("events are filtered by kind and lead to their time", async (page) => {
  await open(page, at);
  await click(page, "tab", "Events");
  const current = page.locator(".event[aria-current=true]");
  await current.waitFor();
  const before = await page.locator(".list-row").first().getAttribute("aria-setsize");
  await click(page, "button", /^fight/);
  const after = await page.locator(".list-row").first().getAttribute("aria-setsize");
  assert.ok(Number(after) < Number(before));
  await page.locator('.event[data-future="true"]').first().click();
  await idle(page);
  assert.equal(await current.locator(".time").innerText(), await now(page));
  // What is said while playing appears, and rewinds with the bar.
  await open(page, "?src=gamelog.tape");
  await click(page, "tab", "Events");
  await page.getByText("Nothing has been said yet").waitFor();
  await page.getByLabel("Speed").selectOption("16×");
  await page.keyboard.press("k");
  await page.locator(".event").first().waitFor();
  await press(page, "k");
  await press(page, "Home");
  assert.equal(await page.locator('.event[data-future="false"]').count(), 0);
});

inPage("moments lead to their beginning and can be looped", async (page) => {
  await open(page);
  await click(page, "tab", "Moments");
  await page.getByRole("button", { name: /Chloé holds fyudacchya/ }).click();
  await idle(page);
  assert.equal(await now(page), "6:32.9");
  await page.getByText("base destroyed 45 %").waitFor();
  await page.getByRole("button", { name: "Loop the moment at 4:37" }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await idle(page);
  assert.equal(await page.locator(".loop-range").innerText(), "4:14.9 – 4:59.9");
});

inPage("curves seek on click", async (page) => {
  await open(page);
  await click(page, "tab", "Statistics");
  const chart = page.locator(".chart-box").first();
  const box = (await chart.boundingBox())!;
  await chart.click({ position: { x: box.width / 2, y: 40 } });
  await idle(page);
  assert.ok(Math.abs(seconds(await now(page)) - 450) < 4);
});

inPage("the tree opens, follows references and goes by keys", async (page) => {
  await open(page, "?src=gamelog.tape");
  await click(page, "tab", "State");
  const tree = page.getByRole("tree");
  assert.ok((await tree.locator('.tree-row[data-tone="replaced"]').count()) > 0);
  await tree.getByText("gameObjects").click();
  await idle(page);
  await tree.locator(".tree-row", { hasText: "Tile" }).first().click();
  await idle(page);
  await tree.getByText("→ players 1").first().click();
  await idle(page);
  const chosen = page.locator('.tree-row[data-active="true"]');
  await chosen.getByText("Ben").waitFor();
  await tree.focus();
  await press(page, "ArrowUp");
  await chosen.getByText("Ana").waitFor();
  await press(page, "ArrowLeft");
  await chosen.getByText("players").waitFor();
  await press(page, "ArrowLeft");
  assert.equal(await chosen.getAttribute("aria-expanded"), "false");
  await press(page, "Enter");
  assert.equal(await chosen.getAttribute("aria-expanded"), "true");
});

inPage("search finds events and goes there", async (page) => {
  await open(page);
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("captures");
  await page.locator(".found .row-button").nth(2).waitFor();
  await idle(page);
  const time = await page.locator(".found .time").nth(2).innerText();
  await page.locator(".found .row-button").nth(2).click();
  await idle(page);
  assert.equal(await now(page), time);
  await click(page, "button", "Search");
  await page.getByRole("searchbox").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("searchbox").count(), 0);
});

inPage(
  "a link is copied and a picture saved",
  async (page) => {
    await open(page, `${at}&view=2`);
    await page.keyboard.press("c");
    await click(page, "button", "Copy link");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /\?src=tape\.tape&t=4:00&view=2$/);
    await click(page, "button", "Share");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save picture" }).click();
    assert.equal((await saved).suggestedFilename(), "tape 4.00.png");
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

inPage("spoiler-free: no length, no future, until reached", async (page) => {
  await open(page, "?src=tape.tape&t=1:00");
  await press(page, "x");
  const text = async () => page.locator("body").evaluate((body) => body.outerHTML);
  // Nor in an attribute.
  assert.ok(!(await text()).includes("15:00"), "length");
  for (const tab of ["Players", "Events", "Moments", "Statistics"]) {
    await click(page, "tab", tab);
    assert.ok(!(await text()).includes("base falls"), tab);
    assert.equal(await page.locator('.event[data-future="true"]').count(), 0);
  }
  assert.ok(
    Number(await page.getByRole("slider", { name: "Time", exact: true }).getAttribute("aria-valuemax")) <
      9000,
  );
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("captures");
  await page.locator(".found .row-button").first().waitFor();
  await idle(page);
  for (const time of await page.locator(".found .time").allInnerTexts()) assert.ok(seconds(time) <= 60, time);
  await page.keyboard.press("Escape");
  await press(page, "End");
  await page.getByText("/ 15:00").waitFor();
  await click(page, "button", "Spoiler-free");
  assert.equal(
    await page.getByRole("button", { name: "Spoiler-free" }).getAttribute("aria-pressed"),
    "false",
  );
});

inPage("spoiler-free, a loop near the end does not say where that is", async (page) => {
  await open(page, "?src=tape.tape&t=14:58");
  await press(page, "x", "o");
  assert.equal(await page.locator(".loop-range").innerText(), "14:53 – 15:03");
  await page.getByRole("combobox", { name: "Speed" }).selectOption("8×");
  await page.keyboard.press(" ");
  // It goes on from its start.
  await page.locator(".clock-now", { hasText: /^14:5[3-7]/ }).waitFor();
  await page.getByText("/ ?").waitFor();
  assert.equal(await page.getByRole("button", { name: "Pause" }).count(), 1);
});

inPage("themes: as the system, dark, light", async (page) => {
  await open(page);
  const theme = () => page.locator("html").getAttribute("data-theme");
  assert.equal(await theme(), "dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("html[data-theme=light]").waitFor();
  await click(page, "button", /^Theme/);
  assert.equal(await theme(), "dark");
  await click(page, "button", /^Theme/);
  assert.equal(await theme(), "light");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await theme(), "light");
});

inPage("the keys are listed on ?", async (page) => {
  await open(page);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByText("Play or pause").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await dialog.count(), 0);
  await click(page, "button", "Keys");
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.equal(await dialog.count(), 0);
});

inPage("scrubbing keeps only the newest wish", async (page) => {
  await open(page);
  await page.evaluate(() => {
    // @ts-expect-error: for tests
    for (let moment = 0; moment <= 9000; moment += 10) window.gametape.seek(moment);
  });
  await idle(page);
  assert.equal(await now(page), "14:59.9");
});

for (const [width, height] of [
  [360, 740],
  [820, 600],
  [1024, 700],
  [3840, 2160],
] as const) {
  inPage(
    `nothing overflows at ${width} × ${height}`,
    async (page) => {
      await open(page, at);
      const size = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
      ]);
      assert.deepEqual(size, [width, height]);
      for (const name of ["Play", "Loop", "Bookmark", "Zoom in", "Search", "Keys"]) {
        const box = (await page.getByRole("button", { name, exact: true }).first().boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${name} ${JSON.stringify(box)}`);
        assert.ok(box.y >= 0 && box.y + box.height <= height, `${name} ${JSON.stringify(box)}`);
        assert.ok(box.height >= 28, name);
      }
      assert.ok((await boardColours(page)) > 3000);
    },
    { viewport: { width, height } },
  );
}
