// Seats together, boards side by side, following, pictures of other moments, clips and videos.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { accessible, click, idle, inPage, now, open, press, recording, site, suite } from "./harness.ts";

suite();

const at = "?src=tape.tape&t=4:00";

async function link(page: Page): Promise<URLSearchParams> {
  await page.keyboard.press("c");
  const url = new URL(await page.getByLabel("Link to this moment").inputValue());
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return new URLSearchParams(url.search.replace(/\+/g, "%2B"));
}

async function checked(page: Page): Promise<string[]> {
  return page.locator('.views [aria-checked="true"]').allInnerTexts();
}

inPage("seats are seen together: by Shift and mouse, by keys, by the button, by links", async (page) => {
  await open(page, at);
  await press(page, "1");
  await page.getByRole("radio", { name: "Chloé" }).click({ modifiers: ["Shift"] });
  await idle(page);
  assert.deepEqual(await checked(page), ["Ana", "Chloé"]);
  assert.equal((await link(page)).get("view"), "1+3");
  await press(page, "Shift+Digit4");
  assert.deepEqual(await checked(page), ["Ana", "Chloé", "Dario"]);
  await page.getByRole("checkbox", { name: "Ana" }).click();
  await idle(page);
  assert.deepEqual(await checked(page), ["Chloé", "Dario"]);
  await press(page, "Shift+Digit4");
  await press(page, "Shift+Digit3");
  assert.deepEqual(await checked(page), ["All"], "without a seat it is the all-seeing view");
  await click(page, "button", "Several seats together");
  await page.getByRole("checkbox", { name: "Ben" }).click();
  await idle(page);
  await page.getByRole("checkbox", { name: "Ana" }).focus();
  await press(page, " ");
  assert.deepEqual(await checked(page), ["Ana", "Ben"]);
  await accessible(page, "seats together");
  await click(page, "button", "Several seats together");
  assert.deepEqual(await checked(page), ["Ana"]);
  await page.getByRole("radio", { name: "Ana" }).waitFor();
  await open(page, `${at}&view=2%2B4`);
  assert.deepEqual(await checked(page), ["Ben", "Dario"]);
  assert.equal(await now(page), "4:00");
});

inPage("together, nothing of a third seat is shown", async (page) => {
  await open(page, "?src=secret.tape&t=4:36.9&view=1%2B3");
  for (const tab of ["Players", "Events", "Moments", "Statistics", "Messages"]) {
    await click(page, "tab", tab);
    const text = await page.content();
    for (const name of ["Ben", "Dario"]) assert.ok(!text.includes(`secret-of-${name}`), `${name}: ${tab}`);
  }
  await click(page, "tab", "Players");
  const text = await page.content();
  for (const name of ["Ana", "Chloé"]) assert.ok(text.includes(`secret-of-${name}`), name);
});

inPage("side by side: two seats in step, differences marked, by mouse and keys", async (page) => {
  await open(page, `${at}&view=1`);
  await press(page, "i");
  const boards = page.locator(".board");
  assert.equal(await boards.count(), 2);
  const right = page.getByLabel("View of the right side");
  assert.equal(await right.inputValue(), "2");
  await page.locator(".side-found", { hasText: /^[1-9]\d* tiles differ$/ }).waitFor();
  await accessible(page, "side by side");
  const times = async () => page.locator(".side-time").allInnerTexts();
  assert.deepEqual(await times(), ["4:00", "4:00"]);
  await press(page, ".", ".", ".");
  assert.deepEqual(await times(), ["4:00.3", "4:00.3"]);
  await page.keyboard.press("k");
  await page.waitForFunction(() => document.querySelector(".clock-now")?.textContent !== "4:00.3");
  await press(page, "k");
  const [a, b] = await times();
  assert.equal(a, b);
  // The same view twice differs nowhere.
  await right.selectOption("Ana");
  await idle(page);
  await page.locator(".side-found", { hasText: "0 tiles differ" }).waitFor();
  await right.selectOption("Dario");
  await idle(page);
  const params = await link(page);
  assert.equal(params.get("split"), "4");
  await click(page, "button", "Close the right side");
  assert.equal(await boards.count(), 1);
  await open(page, `?${params}`);
  assert.equal(await boards.count(), 2);
  assert.equal(await right.inputValue(), "4");
  await click(page, "button", "Split");
  assert.equal(await boards.count(), 1);
});

inPage("side by side: cameras and selection are linked, or not", async (page) => {
  await open(page, `${at}&view=1&split=2`);
  await press(page, "+", "+");
  assert.equal(await page.getByRole("img", { name: "Small map" }).count(), 2, "both are zoomed");
  await page
    .locator(".board")
    .first()
    .click({ position: { x: 200, y: 200 } });
  await idle(page);
  assert.equal(await page.locator(".tile-card").count(), 2);
  const titles = await page.locator(".tile-card h2").allInnerTexts();
  assert.equal(titles[0], titles[1]);
  await press(page, "Escape", "f");
  assert.equal(await page.locator(".tile-card").count(), 0);
  await click(page, "button", "Both boards show the same part");
  await page.locator(".board").nth(1).focus();
  await press(page, "+", "+");
  assert.equal(await page.getByRole("img", { name: "Small map" }).count(), 1, "the right one alone");
  assert.ok((await link(page)).get("c2"));
});

inPage("side by side: panels are about the board that was used last, and say so", async (page) => {
  await open(page, `${at}&view=1&split=2`);
  const whose = page.getByRole("group", { name: "Which board this panel is about" });
  const pressed = () => whose.locator('[aria-pressed="true"]').innerText();
  assert.equal(await pressed(), "Left: Ana");
  await page
    .locator(".board-canvas")
    .nth(1)
    .click({ position: { x: 60, y: 60 } });
  await idle(page);
  assert.equal(await pressed(), "Right: Ben");
  assert.equal(await page.locator(".stage-side").nth(1).getAttribute("data-active"), "true");
  await click(page, "tab", "Messages");
  await idle(page);
  const right = await page.locator("#panel code").allInnerTexts();
  await whose.getByRole("button", { name: "Left: Ana" }).click();
  await idle(page);
  assert.equal(await pressed(), "Left: Ana");
  const left = await page.locator("#panel code").allInnerTexts();
  assert.notDeepEqual(left, right, "each side has its own messages");
  await click(page, "tab", "Events");
  assert.equal(await whose.getByRole("button", { name: "Right: Ben" }).isDisabled(), true);
  await accessible(page, "panels of a side");
  await page.getByRole("button", { name: "Close the right side" }).click();
  assert.equal(await whose.count(), 0);
});

inPage("side by side: another recording, earlier or later", async (page) => {
  site.files.set("other.tape", recording("tape"));
  await open(page, `${at}&src2=other.tape`);
  assert.equal(await page.locator(".board").count(), 2);
  await click(page, "button", "Right side half a second later");
  await press(page, "}", "}", "{");
  assert.equal(await page.getByLabel("Offset", { exact: true }).innerText(), "+1 s");
  assert.deepEqual(await page.locator(".side-time").allInnerTexts(), ["4:00", "4:01"]);
  const params = await link(page);
  assert.equal(params.get("later"), "10");
  assert.match(params.get("src2")!, /other\.tape$/);
  // Values that differ are marked in the table.
  await press(page, "}", "}", "}", "}", "}", "}", "}", "}", "}", "}", "}", "}");
  await page.locator('.players td[data-differs="true"] .other-value').first().waitFor();
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Another recording on the right side: a file" }).click();
  await (await chooser).setFiles({
    name: "from-disk.tape",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(recording("tape")),
  });
  await idle(page);
  assert.equal(await page.locator(".board").count(), 2);
  assert.equal((await link(page)).get("src2"), null, "a file on this computer is in no link");
});

inPage("side by side: another recording of the list", async (page) => {
  const matches = ["tape.tape", "other.tape"].map((src) => ({ src, name: src, players: [] }));
  site.files.set("other.tape", recording("tape"));
  site.files.set("matches.json", new TextEncoder().encode(JSON.stringify({ matches })));
  try {
    await open(page, at);
    await press(page, "i");
    await page.getByLabel("Another recording on the right side", { exact: true }).selectOption("other.tape");
    await idle(page);
    assert.match((await link(page)).get("src2")!, /other\.tape$/);
  } finally {
    site.files.delete("matches.json");
  }
});

inPage("a second recording that cannot be opened leaves the first alone", async (page) => {
  await open(page, `${at}&src2=broken.tape`);
  await page.getByText("not a recording").waitFor();
  assert.equal(await page.locator(".board").count(), 1);
  assert.equal(await now(page), "4:00");
});

inPage("a piece is followed by button and key until somebody moves the picture", async (page) => {
  await open(page, at);
  const camera = async () => (await link(page)).get("c");
  await page.locator(".board").click();
  await idle(page);
  await click(page, "button", "Follow rider");
  await page.locator(".follow-chip", { hasText: "Following rider" }).waitFor();
  const first = await camera();
  await press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  const later = await camera();
  assert.ok(first && later && first !== later, `${first} ${later}`);
  await press(page, "+");
  await page.locator(".follow-chip", { hasText: "Following rider" }).waitFor();
  await press(page, "d");
  assert.equal(await page.locator(".follow-chip", { hasText: "Following rider" }).count(), 0);
  const moved = await camera();
  await press(page, "ArrowRight");
  assert.equal(await camera(), moved, "it stays where it was moved to");
  await press(page, "u");
  await page.locator(".follow-chip", { hasText: "Following rider" }).waitFor();
  await click(page, "button", "Stop following");
  assert.equal(await page.locator(".follow-chip", { hasText: "Following rider" }).count(), 0);
});

inPage("where a player looks is followed; other seats' cameras are nobody's business", async (page) => {
  await open(page, "?src=secret.tape&t=4:00");
  await page.getByRole("button", { name: "Follow where Ben looks" }).click();
  await idle(page);
  await page.locator(".follow-chip", { hasText: "Ben" }).waitFor();
  assert.ok((await link(page)).get("c"));
  await press(page, "3");
  assert.equal(await page.locator(".follow-chip", { hasText: "Ben" }).count(), 0, "another view forgets it");
  assert.equal(await page.getByRole("button", { name: "Follow where Ben looks" }).count(), 0);
  await press(page, "u");
  await page.locator(".follow-chip", { hasText: "Chloé" }).waitFor();
});

inPage("the bar shows a picture of the moment under the pointer", async (page) => {
  await open(page, at);
  const bar = page.getByRole("slider", { name: "Time", exact: true });
  const box = (await bar.boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.7, box.y + 60);
  const picture = page.locator(".tip-picture");
  await page.locator(".tip-picture[data-moment]").waitFor();
  await idle(page);
  const moment = Number(await picture.getAttribute("data-moment"));
  assert.ok(Math.abs(moment - 0.7 * 9001) < 30, String(moment));
  assert.ok((await picture.screenshot()).length > 1000, "something is drawn");
  assert.equal(await now(page), "4:00", "the position stays");
  await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
  await page.waitForFunction(
    (old) => document.querySelector(".tip-picture")?.getAttribute("data-moment") !== old,
    String(moment),
  );
  // Nothing of the future without spoilers.
  await press(page, "x");
  await page.mouse.move(box.x + box.width * 0.99, box.y + 60);
  await page.locator(".tip").waitFor();
  assert.equal(await picture.count(), 0);
});

inPage("a clip of the loop is saved as a tape, as the view may have it", async (page) => {
  await open(page, `${at}&view=2%2B3`);
  await press(page, "o");
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: /From 3:32.9 to 4:05.9 the loop/ }).waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Clip as a tape" }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), "tape 3.32.9-4.05.9.tape");
  assert.equal(readFileSync(await file.path(), "utf8"), "tape 2+3 2130 2460");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await press(page, "Home", "[", "End", "]");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Clip as a tape" }).click();
  await page.getByText("choose less time").waitFor();
});

inPage("a GIF of the loop is drawn in parts and saved", async (page) => {
  await open(page, at);
  await press(page, "o");
  await page.keyboard.press("c");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "GIF" }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), "tape 3.32.9-4.05.9.gif");
  assert.equal(readFileSync(await file.path(), "utf8"), "GIF89a 2130 2460 720");
  await press(page, "Home", "[", "End", "]");
  await page.keyboard.press("c");
  await page.getByText("at most 60 s long").waitFor();
  assert.ok(await page.getByRole("button", { name: "GIF" }).isDisabled());
});

inPage("a video of the loop is recorded, and can be given up", async (page) => {
  await open(page, at);
  await press(page, "[");
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: "Time" }).fill("4:01");
  await page.keyboard.press("Enter");
  await idle(page);
  await press(page, "]");
  await page.keyboard.press("c");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Video (WebM)" }).click();
  const file = await saved;
  assert.equal(file.suggestedFilename(), "tape 4.00-4.01.webm");
  const bytes = readFileSync(await file.path());
  assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3, "it is Matroska");
  assert.ok(bytes.length > 2000, `${bytes.length} bytes`);
  await press(page, "o");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Video (WebM)" }).click();
  await accessible(page, "recording");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Video (WebM)" }).waitFor();
  assert.equal(await page.locator(".problem").count(), 0);
});

inPage(
  "a picture is copied",
  async (page) => {
    await open(page, at);
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Copy picture" }).click();
    await page.getByText("Picture copied").waitFor();
    const types = await page.evaluate(async () => (await navigator.clipboard.read())[0]?.types);
    assert.deepEqual(types, ["image/png"]);
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

inPage(
  "side by side on a narrow screen: one above the other",
  async (page) => {
    await open(page, `${at}&view=1&split=2`);
    const [first, second] = await Promise.all(
      [0, 1].map(async (n) => (await page.locator(".board").nth(n).boundingBox())!),
    );
    assert.ok(first!.y + first!.height <= second!.y, "one above the other");
    assert.ok(second!.height >= 100);
    await accessible(page, "narrow, side by side");
  },
  { viewport: { width: 360, height: 740 }, hasTouch: true },
);

inPage("heat maps and ways: by mouse and keys, for the loop or all, with a legend", async (page) => {
  await open(page, at);
  const board = () => page.locator(".board-canvas").screenshot();
  const plain = await board();
  await press(page, "h");
  const legend = page.locator(".heat-legend");
  await legend.getByText("deaths, 0:00 to 15:00").waitFor();
  assert.notDeepEqual(await board(), plain);
  await press(page, "o");
  await legend.getByText("deaths, 3:32.9 to 4:05.9").waitFor();
  await page.locator("summary[aria-label='Heat maps and ways']").click();
  await page.getByLabel("Attention").check();
  await legend.getByText(/^attention/).waitFor();
  await accessible(page, "heat map");
  await page.locator("summary[aria-label='Heat maps and ways']").focus();
  await press(page, "h");
  assert.equal(await legend.count(), 0, "after the last comes none");
  await press(page, "Escape", "m");
  const ways = await board();
  assert.notDeepEqual(ways, plain);
  await page.locator("summary[aria-label='Heat maps and ways']").click();
  assert.ok(await page.getByLabel("Ways of pieces").isChecked());
  await page.getByLabel("Ways of pieces").uncheck();
  await idle(page);
  // Nothing of the future without spoilers.
  await press(page, "o", "x", "h");
  await legend.getByText("deaths, 0:00 to 3:59.9").waitFor();
  await press(page, "2");
  assert.equal(await legend.count(), 0, "another view has another heat");
});

inPage("a menu closes by Escape and by a click elsewhere", async (page) => {
  await open(page, at);
  const list = page.locator(".layers .menu-list");
  const button = page.locator("summary[aria-label='Heat maps and ways']");
  await button.click();
  await list.waitFor();
  await page.keyboard.press("Escape");
  assert.ok(!(await list.isVisible()));
  await button.press("Enter");
  await list.waitFor();
  await page.locator(".clock-now").click();
  assert.ok(!(await list.isVisible()));
});

inPage("many views are chosen from a list, alone or together", async (page) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, at);
  await page.locator(".views-select select").selectOption("Ben");
  await idle(page);
  await click(page, "button", "Several seats together");
  await page.locator(".views-menu summary").click();
  await page.getByRole("checkbox", { name: "Dario" }).check();
  await idle(page);
  assert.equal(await page.locator(".views-menu summary").innerText(), "Ben + Dario");
  await accessible(page, "seats in a list");
});

inPage("spoiler-free, neither a loop nor the right side say what is still to come", async (page) => {
  await open(page, "?src=tape.tape&t=1:00&view=1&split=2");
  await press(page, "x", "[");
  assert.equal(await page.locator(".loop-range").innerText(), "1:00 – 1:10");
  await press(page, "}", "}", "}");
  assert.deepEqual(await page.locator(".side-time").allInnerTexts(), ["1:00", "1:00"]);
});
