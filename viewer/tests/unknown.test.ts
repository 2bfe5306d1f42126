// A tape of a game that nobody here knows, with the wasm session: a tree of what was recorded, its events and curves.
import assert from "node:assert/strict";
import { click, idle, inPage, open, press, suite } from "./harness.ts";
import { dist, offer, prepared, noRecordings as skip } from "./real.ts";

suite(dist);

inPage(
  "an unknown game is a tree, events, curves and messages; a seat has nothing of others",
  async (page) => {
    await open(page, `?src=${offer(prepared("snails.tape"))}&t=0:20`);
    assert.deepEqual(await page.locator(".problem, .problem-text").allInnerTexts(), []);
    const heading = await page.locator("header").first().innerText();
    assert.match(heading, /Gary · Turbo · Sheldon/);
    assert.match(heading, /Snails/);
    const tree = page.getByRole("tree");
    const row = (key: string) => tree.getByRole("treeitem", { name: new RegExp(`^${key} `) }).first();
    await click(page, "tab", "State");
    await row("keyframe").click();
    await idle(page);
    assert.match(await tree.innerText(), /tick\s*200/);
    await row("players").click();
    await idle(page);
    await row("1").click();
    await idle(page);
    assert.match(await tree.innerText(), /"Gary"/);
    await click(page, "tab", "Messages");
    await idle(page);
    assert.match(await page.locator("#panel").innerText(), /"ways":\[\d+,\d+,\d+\]/);
    await click(page, "tab", "Events");
    await idle(page);
    assert.match(await page.locator("#panel").innerText(), /passes a mark, player 1 Gary/);
    await click(page, "tab", "Statistics");
    await page.getByText("territory").first().waitFor();
    await press(page, ".", ".", "ArrowRight");
    assert.notEqual(await page.locator(".clock-now").innerText(), "0:20");
    // How tired a snail is, only it knows.
    await press(page, "2");
    await click(page, "tab", "Messages");
    await idle(page);
    assert.match(await page.locator("#panel").innerText(), /"tired":\d+/);
    await click(page, "tab", "State");
    await idle(page);
    const text = await tree.innerText();
    assert.match(text, /players/);
    assert.match(await page.locator("header").first().innerText(), /Turbo/);
    assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
  },
  { skip },
);
