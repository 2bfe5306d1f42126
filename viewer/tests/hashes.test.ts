// The state in the page is the state natively, wherever one comes from.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { idle, inPage, open, site, suite } from "./harness.ts";
import { dist, inWorker, native, noCorpus, noRecordings, offer, prepared, recordings, run } from "./real.ts";

suite(dist);

const COUNT = 200;

interface Hashes {
  file: string;
  views: { view: number | null; moments: [number, string][] }[];
}

/** Forward, backward, then in an order of no meaning: a third of the moments each. */
function shuffled<T>(ascending: T[]): T[] {
  const thirds: T[][] = [[], [], []];
  for (const [at, one] of ascending.entries()) thirds[at % 3]!.push(one);
  const [forward, backward, mixed] = thirds as [T[], T[], T[]];
  const jumbled = mixed.map((one, at) => ({ one, key: (at * 7919) % 104729 }));
  jumbled.sort((a, b) => (a.key % 97) - (b.key % 97) || a.key - b.key);
  return [...forward, ...backward.reverse(), ...jumbled.map(({ one }) => one)];
}

/** Asks a session for the state at these moments, and compares. */
async function compare(page: Page, { file, views }: Hashes): Promise<number> {
  const name = offer(file);
  const requests: object[] = [{ do: "open" }];
  const wanted: { moment: number; hash: string; at: number }[] = [];
  for (const { view, moments } of views) {
    if (view !== null) requests.push({ do: "view", view });
    for (const [moment, hash] of shuffled(moments)) {
      requests.push({ do: "seek", to: moment }, { do: "hash" });
      wanted.push({ moment, hash, at: requests.length - 1 });
    }
  }
  const answers = await inWorker(page, name, requests);
  for (const { moment, hash, at } of wanted) {
    assert.equal((answers[at - 1] as { moment: number }).moment, moment, `${name}: the moment`);
    assert.equal((answers[at] as { hash: string }).hash, hash, `${name} at ${moment}`);
  }
  site.files.delete(name);
  return wanted.length;
}

/** Native hashes of some recordings, in order. */
async function nativeHashes(files: string[]): Promise<Hashes[]> {
  const lines = (await run(native, "hashes", String(COUNT), ...files)).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Hashes);
}

async function compareAll(page: Page, files: string[]) {
  await open(page, "");
  let compared = 0;
  for (const hashes of await nativeHashes(files)) compared += await compare(page, hashes);
  assert.ok(compared >= files.length, `${compared} states`);
}

inPage(
  "the state of our own recordings is the native one at every moment",
  (page) =>
    compareAll(page, ["skirmish.tape", "current.minewars", "v01.minewars", "game.json"].map(prepared)),
  { skip: noRecordings },
);

const all = recordings();
inPage(
  `the state of ${all.length} recordings of the corpus is the native one at ${COUNT} random moments each`,
  (page) => compareAll(page, all),
  { skip: noRecordings || noCorpus },
);

inPage(
  "what the page shows after its own seeks is that state",
  async (page) => {
    for (const file of ["skirmish.tape", "game.json"]) {
      const [hashes] = await nativeHashes([prepared(file)]);
      await open(page, `?src=${offer(prepared(file))}`);
      for (const [moment, hash] of shuffled(hashes!.views[0]!.moments).slice(50, 75)) {
        await page.evaluate(`gametape.seek(${moment})`);
        await idle(page);
        assert.equal(await page.evaluate("gametape.hash()"), hash, `${file} at ${moment}`);
      }
    }
  },
  { skip: noRecordings },
);
