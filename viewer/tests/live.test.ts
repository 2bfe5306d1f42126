// Live matches in the page: each way in turn, rewinding, catching up, servers that die, seats, casters. The match is one that
// was recorded, written again as fast as it was played.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Entries, entry, joinText } from "../src/live/framing.ts";
import { Pacer } from "../src/live/pace.ts";
import { browserPath, missingBrowser, startBrowser } from "./browser.ts";
import { accessible, idle, inPage, suite } from "./harness.ts";
import { LiveServer, NAME, Network, nativeHash, Recorder } from "./live-match.ts";
import { secretsOf } from "./prepare.mjs";
import { dist, noRecordings, run, tool } from "./real.ts";

suite(dist);

/** The match is in its fifth minute when the tests begin: two minutes after the last keyframe of the views but one. */
const BEGIN = 5000;
/** The keyframe that who joins then begins with. */
const GROUP = 4800;

const closing: (() => Promise<void> | void)[] = [];
let match: Recorder;
let server: LiveServer;
let network: Network;

if (!noRecordings) {
  before(async () => {
    match = new Recorder();
    match.to(BEGIN);
    match.play();
    server = await new LiveServer(["--delay", "0", "--public", "all", match.path]).start();
    network = await new Network(server).open();
  });
  after(async () => {
    for (const one of closing.reverse()) await one();
    await network?.close();
    await server?.kill("SIGINT");
    match?.close();
  });
}

/** A page at the match, with something to see. */
async function watch(page: Page, query = "", address = network.address) {
  await page.goto(`${address}?live=${NAME}${query}`);
  await page.locator(".live-button, .live-over").waitFor();
  await page.waitForFunction(() => document.querySelector(".clock-now")?.textContent);
}

const way = (page: Page) => page.locator(".live-button").getAttribute("title");

/** Waits until something of the page is so; says what it is where it never is. */
async function until(page: Page, what: string, is: () => Promise<boolean>) {
  const began = performance.now();
  while (!(await is())) {
    if (performance.now() - began > 30_000) {
      const seen = await page.locator(".strips, .dock").allInnerTexts();
      assert.fail(`${what} never comes: ${seen.join(" | ")}`);
    }
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

async function isLive(page: Page): Promise<boolean> {
  return (await page.locator(".live-button[data-live=true]").count()) > 0;
}

/** The position in ticks. */
async function tick(page: Page): Promise<number> {
  const now = await page.getByRole("slider", { name: "Time", exact: true }).getAttribute("aria-valuenow");
  return Number(now) - 1;
}

/** Pauses; the state on the page is the one that the match had at that tick. */
async function pausedIsRight(page: Page, view = 0) {
  if (await page.getByRole("button", { name: "Pause", exact: true }).count()) await page.keyboard.press("k");
  await idle(page);
  const [at, hash] = [await tick(page), await page.evaluate("gametape.hash()")];
  assert.equal(hash, await nativeHash(at, view), `the state at tick ${at}`);
}

async function losses(page: Page): Promise<string[]> {
  return page.locator(".strip.loss, .strip.problem").allInnerTexts();
}

test("the match comes by WebTransport, with datagrams, rewinds and catches up", {
  skip: browserPath ? noRecordings : missingBrowser,
  timeout: 120_000,
}, async () => {
  const browser = await startBrowser({ quic: true });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await watch(page, "", server.address);
    await until(page, "live", () => isLive(page));
    assert.match((await way(page))!, /by WebTransport/);
    const before = await tick(page);
    await until(page, "three seconds more", async () => (await tick(page)) > before + 60);
    // Datagrams may be lost, on a busy machine also here; then the page says so.
    if ((await losses(page)).length === 0) await pausedIsRight(page);
    // What was played before comes reliably.
    await page.evaluate("gametape.seek(601)");
    await pausedIsRight(page);
    assert.equal(await tick(page), 600);
    await page.keyboard.press("2");
    await pausedIsRight(page, 2);
    await page.keyboard.press("e");
    await until(page, "live again", () => isLive(page));
    assert.match((await way(page))!, /by WebTransport/);
    for (const text of await losses(page)) assert.match(text, /details were lost on the way/);
  } finally {
    await browser.close();
  }
});

inPage(
  "WebTransport is cut off: the match comes by WebSocket, live, and goes on",
  async (page) => {
    await watch(page);
    await until(page, "live", () => isLive(page));
    assert.match((await way(page))!, /by WebSocket/);
    const before = await tick(page);
    assert.ok(before >= BEGIN - 40, `${before}`);
    await until(page, "three seconds more", async () => (await tick(page)) > before + 60);
    assert.ok(await isLive(page));
    await pausedIsRight(page);
    assert.deepEqual(await losses(page), []);
  },
  { skip: noRecordings, errors: /WebTransport|QUIC|net::ERR/ },
);

inPage(
  "WebSocket is cut off, too: the match comes by segments",
  async (page) => {
    const poor = await new Network(server).open();
    closing.push(() => poor.close());
    poor.refusesSockets = true;
    await watch(page, "", poor.address);
    await until(page, "live", () => isLive(page));
    assert.match((await way(page))!, /by segments/);
    const before = await tick(page);
    await until(page, "three seconds more", async () => (await tick(page)) > before + 60);
    await pausedIsRight(page);
    // One view comes at a time; another one is another tape, at the same place.
    await page.keyboard.press("2");
    await idle(page);
    await pausedIsRight(page, 2);
    assert.deepEqual(await losses(page), []);
  },
  { skip: noRecordings, errors: /WebTransport|WebSocket|QUIC|net::ERR/ },
);

inPage(
  "back to any moment since the start while it is live, and catching up",
  async (page) => {
    await watch(page, "&by=websocket");
    await until(page, "live", () => isLive(page));
    // What is here.
    await page.evaluate(`gametape.seek(${GROUP + 51})`);
    await until(page, "behind", async () => !(await isLive(page)));
    await pausedIsRight(page);
    assert.match(await page.locator(".live-button").innerText(), /behind live/);
    // What is not: older than the keyframe with which it was joined.
    for (const wanted of [600, 3000, 1]) {
      await page.evaluate(`gametape.seek(${wanted + 1})`);
      await until(page, `tick ${wanted}`, async () => (await page.locator(".strip.note").count()) === 0);
      assert.equal(await tick(page), wanted);
      await pausedIsRight(page);
    }
    await page.keyboard.press("k");
    const before = await tick(page);
    await until(page, "a second more", async () => (await tick(page)) > before + 20);
    await page.keyboard.press("e");
    await until(page, "live again", () => isLive(page));
    assert.ok((await tick(page)) >= BEGIN - 40);
    await pausedIsRight(page);
    assert.deepEqual(await losses(page), []);
  },
  { skip: noRecordings },
);

inPage(
  "a connection that breaks off goes on, and nothing is lost",
  async (page) => {
    await watch(page, "&by=websocket");
    await until(page, "live", () => isLive(page));
    const before = await tick(page);
    network.cut();
    await until(page, "two seconds more", async () => (await tick(page)) > before + 40);
    assert.match((await way(page))!, /by WebSocket/);
    await pausedIsRight(page);
    assert.deepEqual(await losses(page), []);
  },
  { skip: noRecordings, errors: /WebSocket/ },
);

inPage(
  "a server that is killed and started again: the page says so, and goes on",
  async (page) => {
    const own = await new LiveServer(["--delay", "0", "--public", "all", match.path]).start();
    closing.push(() => own.kill());
    await watch(page, "&by=websocket,segments", own.address);
    await until(page, "live", () => isLive(page));
    const before = await tick(page);
    await own.kill();
    await page.locator(".strip").getByText("The connection broke off").waitFor();
    await accessible(page, "without a connection");
    await own.start();
    await until(page, "live again", async () => (await tick(page)) > before + 40 && (await isLive(page)));
    assert.match((await way(page))!, /by WebSocket/);
    assert.equal(await page.locator(".strip.note").count(), 0);
    await pausedIsRight(page);
    // Everything since the beginning of the tape is there, also what was played meanwhile.
    await page.evaluate(`gametape.seek(${before + 20})`);
    await pausedIsRight(page);
    assert.deepEqual(await losses(page), []);
  },
  { skip: noRecordings, errors: /WebSocket|net::ERR/ },
);

inPage(
  "live matches are on the page of matches, and the bar grows",
  async (page) => {
    await page.goto(network.address);
    const card = page.getByRole("link", { name: /LIVE.*Ana/s });
    await card.waitFor();
    await accessible(page, "the page of matches");
    await card.click();
    await until(page, "live", () => isLive(page));
    const bar = page.getByRole("slider", { name: "Time", exact: true });
    assert.equal(await bar.getAttribute("aria-valuemin"), "0");
    const before = Number(await bar.getAttribute("aria-valuemax"));
    await until(page, "a longer bar", async () => Number(await bar.getAttribute("aria-valuemax")) > before);
    // What happened becomes marks of the story while it is live.
    await page.getByRole("tab", { name: "Events" }).click();
    await page.locator(".event").first().waitFor();
    // Spoiler-free, what was not seen yet stays hidden.
    await page.evaluate("gametape.seek(4850)");
    await page.keyboard.press("x");
    assert.equal(await page.locator(".match-page").count(), 1);
  },
  { skip: noRecordings, errors: /WebTransport|QUIC|net::ERR/ },
);

for (const [scheme, width, height] of [
  ["light", 1440, 900],
  ["dark", 360, 740],
] as const) {
  inPage(
    `axe-core finds nothing while it is live: ${scheme}, ${width} × ${height}`,
    async (page) => {
      await watch(page, "&by=websocket");
      await until(page, "live", () => isLive(page));
      await accessible(page, "live");
      await page.evaluate("gametape.seek(4850)");
      await accessible(page, "behind");
      await page.keyboard.press("c");
      await page.getByRole("dialog").waitFor();
      await accessible(page, "sharing");
    },
    { skip: noRecordings, colorScheme: scheme, viewport: { width, height } },
  );
}

/** A server with a key of its own, and passes. */
async function guarded(tape: string): Promise<{ address: string; pass(views: string): Promise<string> }> {
  const key = join(match.folder, `key${closing.length}`);
  await run(tool, "-q", "keygen", key);
  const own = await new LiveServer(["--public", "none", "--trust", `${key}.pub`, tape]).start();
  closing.push(() => own.kill());
  const pass = async (views: string) => {
    const words = ["--match", NAME, "--view", views, "--until", "1h", "--key", key];
    return (await run(tool, "-q", "pass", ...words)).trim();
  };
  return { address: own.address, pass };
}

inPage(
  "a seat sees its own view alone, and nothing that another knows, by every way",
  async (page) => {
    const secret = new Recorder("live-secrets");
    closing.push(() => secret.close());
    secret.to(5000);
    const { address, pass } = await guarded(secret.path);
    secret.to(1e9);
    for (const by of ["websocket", "segments"]) {
      for (const seat of [1, 2, 3]) {
        await page.goto(`${address}?live=${NAME}&by=${by}&pass=${await pass(String(seat))}`);
        await page.locator(".live-button, .live-over").waitFor();
        await page.waitForFunction(() => document.querySelector(".clock-now")?.textContent);
        assert.equal(await page.getByRole("radiogroup", { name: "View" }).count(), 0, "one view");
        for (const other of [0, 1, 2, 3]) await page.keyboard.press(String(other));
        await page.getByRole("tab", { name: "Events" }).click();
        await page.keyboard.press("End");
        await page.locator(".event").first().waitFor();
        await page.keyboard.press("k");
        const said = await page.content();
        for (const other of [1, 2, 3]) {
          const { chat, client, vote } = secretsOf(other) as unknown as Record<string, string>;
          const found = [chat, client, vote].filter((one) => said.includes(one!));
          if (other !== seat) assert.deepEqual(found, [], `seat ${seat} learns of seat ${other} by ${by}`);
        }
        // A link that is shared has no pass.
        await page.keyboard.press("c");
        const link = await page.getByLabel("Link to this moment").inputValue();
        assert.ok(link.includes(`live=${NAME}`) && !link.includes("gtp1_"), link);
      }
    }
  },
  { skip: noRecordings },
);

inPage(
  "who has no pass, or a wrong one, is told so",
  async (page) => {
    const { address } = await guarded(match.path);
    await page.goto(`${address}?live=${NAME}`);
    await page.getByText("There is no such match for this pass").waitFor();
    await page.goto(`${address}?live=${NAME}&pass=gtp1_nonsense`);
    await page.locator(".problem-text").waitFor();
    await page.goto(`${address}?live=..%2F..%2Fetc`);
    await page.locator(".problem-text").waitFor();
    await accessible(page, "refused");
  },
  { skip: noRecordings, errors: /WebTransport|QUIC|net::ERR|WebSocket/ },
);

inPage(
  "a caster's link follows its time, view and camera; who moves goes an own way and comes back",
  async (page) => {
    const { address, pass } = await guarded(match.path);
    const ticket = `&pass=${await pass("0,1,2,3")}`;
    const caster = await page.context().newPage();
    await watch(caster, `&by=websocket${ticket}`, address);
    await caster.keyboard.press("c");
    await caster.getByLabel("Your name as a caster").fill("kim");
    await caster.getByRole("button", { name: "Start sharing" }).click();
    const link = await caster.getByLabel("Link to follow you").inputValue();
    assert.ok(!link.includes("pass"), link);
    await caster.keyboard.press("Escape");
    await caster.getByText("You share your time").waitFor();

    const query = new URL(link).searchParams;
    assert.deepEqual([query.get("live"), query.get("cast")], [NAME, "kim"]);
    await watch(page, `&by=websocket&cast=kim${ticket}`, address);
    await page.getByText("Following kim: time, view and camera.").waitFor();
    await until(page, "live with the caster", () => isLive(page));
    await accessible(page, "following a caster");
    // Another view, closer, at an earlier moment, paused.
    await caster.keyboard.press("2");
    await caster.evaluate(`gametape.seek(${GROUP + 41})`);
    await caster.keyboard.press("k");
    for (let at = 0; at < 4; at++) await caster.keyboard.press("+");
    await until(page, "where the caster is", async () => (await tick(page)) === (await tick(caster)));
    await until(page, "the caster's view", async () => page.getByRole("radio", { name: "Ben" }).isChecked());
    await until(
      page,
      "the caster's camera",
      async () => (await page.locator(".small-map, .map").count()) > 0,
    );
    await pausedIsRight(page, 2);
    await page.getByText("Following kim: time, view and camera.").waitFor();
    // An own way.
    await page.getByRole("slider", { name: "Time", exact: true }).click({ position: { x: 300, y: 30 } });
    await page.getByText("kim goes on without you.").waitFor();
    const own = await tick(page);
    await caster.evaluate(`gametape.seek(${GROUP + 81})`);
    await idle(caster);
    assert.equal(await tick(page), own);
    await page.getByRole("button", { name: "Back to kim" }).click();
    await until(page, "the caster again", async () => (await tick(page)) === (await tick(caster)));
  },
  { skip: noRecordings },
);

inPage(
  "the match ends: the page says so, and has all of it",
  async (page) => {
    const short = new Recorder();
    closing.push(() => short.close());
    short.to(7300);
    short.play();
    const own = await new LiveServer(["--delay", "0", short.path]).start();
    closing.push(() => own.kill());
    await watch(page, "&by=websocket", own.address);
    await until(page, "live", () => isLive(page));
    short.end();
    await page.getByText("Match over").waitFor();
    await page.keyboard.press("End");
    await idle(page);
    await pausedIsRight(page);
    const last = await tick(page);
    assert.ok(last > 7300, `${last}`);
    // From its first moment on, which was long before it was joined.
    await page.keyboard.press("Home");
    await until(
      page,
      "the start",
      async () => (await tick(page)) <= 0 && (await page.locator(".strip.note").count()) === 0,
    );
    await idle(page);
    await page.getByRole("tab", { name: "Moments" }).click();
    await page.locator(".moment, .highlight").first().waitFor();
    await accessible(page, "after the match");
  },
  { skip: noRecordings },
);

test("near live it is played as the specification says", () => {
  // As in spec/live.md, section 10: buffers in parts of the target.
  const rates: [number, number | null][] = [
    [0.5, 0.95],
    [0.625, 0.975],
    [0.75, 1],
    [1, 1],
    [1.25, 1],
    [1.625, 1.025],
    [2, 1.05],
    [9, 1.05],
  ];
  const pacer = new Pacer(1);
  assert.equal(pacer.pace(0.4), 0, "it begins at half of the target");
  for (const [buffer, rate] of rates) assert.ok(Math.abs(pacer.pace(buffer)! - rate!) < 1e-9, `${buffer}`);
  assert.equal(pacer.pace(0.1), 0.95, "it goes on with what is left");
  assert.equal(pacer.pace(0), 0);
  assert.equal(pacer.pace(0.4), 0, "and then waits");
  assert.equal(pacer.pace(11.5), null);
});

test("messages are cut out of streams, in pieces of any size", () => {
  const messages = [new Uint8Array(0), new Uint8Array(5).fill(7), new Uint8Array(300).fill(9)];
  const stream = Uint8Array.from([4, ...messages.flatMap((one) => [...entry(one)])]);
  for (const size of [1, 2, 7, 1000]) {
    const entries = new Entries(true);
    const found: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += size) found.push(...entries.push(stream.slice(at, at + size)));
    assert.deepEqual(found, messages);
  }
  assert.throws(() => new Entries(true).push(Uint8Array.of(7)));
  assert.throws(() => new Entries(false).push(Uint8Array.of(255, 255, 255, 255, 127)));
});

test("a Join has the text of the specification", () => {
  // spec/live.md, sections 4 and 14.
  const join = Uint8Array.of(3, 1, 0, 2, 0x6d, 0x31, 4, 0, 0x1f, 0, 0, 0);
  assert.equal(joinText(join), "AwEAAm0xBAAfAAAA");
  assert.equal(joinText(Uint8Array.of(0xfb, 0xff)), "-_8");
});
