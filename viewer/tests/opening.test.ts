// Ways to open a recording.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { boardColours, click, dist, idle, inPage, now, open, recording, site, suite } from "./harness.ts";

suite();

inPage("a link opens a recording at its time, view, camera and selection", async (page) => {
  await open(page, "?src=tape.tape&t=4:36.9&view=2&c=14.5,12.6,40&s=1,2");
  assert.equal(await now(page), "4:36.9");
  assert.equal(await page.getByRole("radio", { name: "Ben" }).getAttribute("aria-checked"), "true");
  await page.getByRole("img", { name: "Small map" }).waitFor();
  await page.getByRole("complementary", { name: "Tile Tile 1,2" }).waitFor();
  assert.ok((await boardColours(page)) > 5000);
  assert.equal(await page.title(), "Ana · Ben · Chloé · Dario · Gametape");
});

inPage("a recording is read by ranges of 64 KiB blocks, each once", async (page) => {
  site.files.set("long.tape", recording("tape", 10_000_000));
  site.asked.length = 0;
  await open(page, "?src=long.tape");
  for (const text of ["10%", "50%", "11%", "50%"]) {
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: "Time" }).fill(text);
    await page.keyboard.press("Enter");
    await idle(page);
  }
  assert.ok(site.asked.length <= 6, site.asked.join(" "));
  assert.equal(new Set(site.asked).size, site.asked.length, "nothing is read twice");
  for (const range of site.asked) {
    const [start, end] = /(\d+)-(\d+)/.exec(range)!.slice(1).map(Number);
    assert.equal(start! % 65536, 0);
    assert.ok((end! + 1) % 65536 === 0 || end === 9_999_999, range);
  }
});

inPage("a server without ranges gives the whole", async (page) => {
  site.ranges = false;
  try {
    await open(page, "?src=tape.tape&t=1:00");
    assert.equal(await now(page), "1:00");
  } finally {
    site.ranges = true;
  }
});

inPage("a file is chosen on the start page, and Back returns to it", async (page) => {
  await open(page, "");
  await page.getByRole("heading", { name: "Drop a recording here" }).waitFor();
  await page.getByLabel("File of a recording").setInputFiles({
    name: "mine.tape",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(recording("tape", 3_000_000)),
  });
  await page.locator(".board-canvas").waitFor();
  await idle(page);
  assert.ok((await boardColours(page)) > 5000);
  await click(page, "button", "Share");
  await page.getByText("This recording is a file on this computer").waitFor();
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.getByRole("heading", { name: "Drop a recording here" }).waitFor();
});

inPage("a file is dropped anywhere", async (page) => {
  await open(page, "?src=broken.tape");
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    const bytes = new Uint8Array(1000);
    bytes.set(new TextEncoder().encode("gamelog "));
    transfer.items.add(new File([bytes], "dropped.gamelog"));
    return transfer;
  });
  await page.dispatchEvent("body", "dragenter", { dataTransfer: data });
  await page.getByText("Drop to open").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.getByRole("tab", { name: "State" }).waitFor();
  assert.equal(await page.getByText("Drop to open").count(), 0);
});

inPage("an address is pasted on the start page", async (page) => {
  await open(page, "");
  await page.getByLabel("Address of a recording").fill("javascript:alert(1)");
  await page.keyboard.press("Enter");
  await page.getByText("Only http and https addresses can be opened").waitFor();
  await page.getByLabel("Address of a recording").fill(`${site.url}tape.tape`);
  await page.keyboard.press("Enter");
  await page.locator(".board-canvas").waitFor();
  await idle(page);
  assert.match(page.url(), /\?src=http/);
});

inPage("the page of matches searches, filters, sorts and opens in place", async (page) => {
  const matches = [
    {
      src: "tape.tape",
      name: "final.tape",
      game: "Skirmish",
      players: [{ name: "Ana", result: "won" }, { name: "Ben" }],
      seconds: 900,
      date: "2026-11-10",
      best: { text: "Ana comes back", time: "4:37" },
    },
    {
      src: "gamelog.tape",
      name: "old.gamelog",
      game: "Saloon",
      players: [{ name: "Zoë" }],
      turns: 500,
      date: "2017-02-01",
    },
    { src: "broken.tape", name: "broken.tape", players: [], problem: "not a recording" },
  ];
  site.files.set("matches.json", new TextEncoder().encode(JSON.stringify({ matches })));
  try {
    await open(page, "");
    const titles = () => page.locator(".match h3").allInnerTexts();
    assert.deepEqual(await titles(), ["Ana · Ben", "Zoë", "broken.tape"]);
    await page.getByText("15:00").waitFor();
    await page.getByText("Ana comes back").waitFor();
    await page.getByRole("combobox", { name: "Sort" }).selectOption("By name");
    assert.deepEqual(await titles(), ["broken.tape", "Ana · Ben", "Zoë"]);
    await page.getByRole("combobox", { name: "Game" }).selectOption("Saloon");
    assert.deepEqual(await titles(), ["Zoë"]);
    await page.getByRole("combobox", { name: "Game" }).selectOption("All games");
    await page.getByLabel("Search matches").fill("ben");
    assert.deepEqual(await titles(), ["Ana · Ben"]);
    await click(page, "button", "Spoiler-free");
    assert.equal(await page.getByText("15:00").count(), 0);
    assert.equal(await page.getByText("won").count(), 0);
    await page.getByLabel("Search matches").fill("");
    await click(page, "button", "Spoiler-free");
    await page.getByRole("combobox", { name: "Sort" }).selectOption("Longest first");
    assert.deepEqual(await titles(), ["Ana · Ben", "Zoë", "broken.tape"]);
    await page.getByRole("combobox", { name: "Sort" }).selectOption("By name");
    await page.getByLabel("Search matches").fill("ben");
    await page.locator(".match-best").click();
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.equal(await now(page), "4:37");
    await page.goBack();
    // The list is as it was left.
    assert.equal(await page.getByLabel("Search matches").inputValue(), "ben");
    assert.equal(await page.getByRole("combobox", { name: "Sort" }).inputValue(), "name");
    assert.deepEqual(await titles(), ["Ana · Ben"]);
    await page.locator(".match-link").click();
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.match(page.url(), /\?src=tape\.tape$/);
    await page.goBack();
    await page.getByRole("heading", { name: "Matches" }).waitFor();
    await page.goForward();
    await page.locator(".board-canvas").waitFor();
  } finally {
    site.files.delete("matches.json");
  }
});

inPage("one HTML file with everything inside opens from disk", async (page) => {
  const folder = await mkdtemp(join(tmpdir(), "gametape-"));
  try {
    const text = async (name: string) => readFile(join(dist, name), "utf8");
    const part = (name: string, bytes: Uint8Array | string, more = "") =>
      `<script type="text/plain" data-gametape="${name}" data-encoding="gzip+base64"${more}>${gzipSync(bytes).toString("base64")}</script>`;
    const inside = [
      part("wasm", "none"),
      part("worker", await text("worker.js")),
      part("recording", recording("tape", 200_000), ' data-name="one.tape" data-t="2:00"'),
    ].join("\n");
    const style = await text("app.css");
    const script = (await text("app.js")).replaceAll("</script", "<\\/script");
    const html = (await text("index.html"))
      .replace('<link rel="stylesheet" href="app.css">', () => `<style>${style}</style>`)
      .replace('<script src="app.js"></script>', () => `${inside}<script>${script}</script>`);
    const file = join(folder, "match.html");
    await writeFile(file, html);
    await page.goto(pathToFileURL(file).href);
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.equal(await now(page), "2:00");
    await page.goto(`${pathToFileURL(file).href}?t=3:00&view=3`);
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.equal(await now(page), "3:00");
    assert.equal(await page.getByRole("radio", { name: "Chloé" }).getAttribute("aria-checked"), "true");
  } finally {
    await rm(folder, { recursive: true });
  }
});

inPage(
  "a network that fails says so, and trying again helps: while opening",
  async (page) => {
    site.failing = true;
    try {
      await open(page);
      await page.getByRole("heading", { name: "It could not be opened" }).waitFor();
      await page.getByText("cannot be reached").waitFor();
    } finally {
      site.failing = false;
    }
    await click(page, "button", "Try again");
    await page.locator(".board-canvas").waitFor();
    await idle(page);
    assert.equal(await now(page), "0:00");
  },
  { errors: /ERR_EMPTY_RESPONSE|Failed to load resource/ },
);

inPage(
  "a network that fails says so, and trying again helps: while seeking",
  async (page) => {
    site.files.set("long.tape", recording("tape", 10_000_000));
    await open(page, "?src=long.tape");
    site.failing = true;
    try {
      await page.keyboard.press("End");
      await page.getByRole("alert").getByText("cannot be reached").waitFor();
      await idle(page);
      // The page stays alive.
      await click(page, "tab", "Events");
    } finally {
      site.failing = false;
    }
    await click(page, "button", "Try again");
    assert.equal(await now(page), "15:00");
    assert.equal(await page.getByText("cannot be reached").count(), 0);
  },
  { errors: /ERR_EMPTY_RESPONSE|Failed to load resource/ },
);

inPage("a file that is no recording is refused, and another can be opened", async (page) => {
  await open(page, "?src=broken.tape");
  await page.getByText("not a recording: byte 0 is 0x62").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  await page.getByLabel("File of a recording").setInputFiles({
    name: "good.tape",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(recording("tape")),
  });
  await page.locator(".board-canvas").waitFor();
  await idle(page);
});

inPage("a recording that is not there is said", async (page) => {
  await open(page, "?src=nowhere.tape");
  await page.getByText("the server answered 404").waitFor();
});

inPage("losses are said in a strip that leads there", async (page) => {
  await open(page, "?src=damaged.tape");
  await click(page, "button", "3 s lost at 7:10");
  assert.equal(await now(page), "7:10");
});

inPage("without a canvas for workers the page draws what the worker sends", async (page) => {
  await page.addInitScript(() => {
    // @ts-expect-error: an old browser
    delete HTMLCanvasElement.prototype.transferControlToOffscreen;
  });
  await open(page, "?src=tape.tape&t=4:00&c=14,12,60");
  assert.ok((await boardColours(page)) > 5000);
});

inPage("many recordings can be opened one after the other", async (page) => {
  await open(page);
  for (const kind of ["gamelog", "boardless", "tape", "damaged", "tape"]) {
    await page.evaluate((src) => {
      history.pushState(null, "", `?src=${src}.tape`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, kind);
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await idle(page);
  }
  assert.equal(page.workers().length, 1);
});

test("the page is small: at most 120 kB brotli", async () => {
  let sum = 0;
  for (const name of ["index.html", "app.js", "app.css"]) {
    sum += brotliCompressSync(await readFile(join(dist, name))).length;
  }
  assert.ok(sum <= 120_000, `${sum} bytes`);
});
