// Pictures: the board in the page has the pixels that the tool draws natively, and those that it had before.
// `BLESS=1 npm test pictures` writes the pictures of tests/pictures/ again.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { About } from "../src/generated/shapes.ts";
import { inPage, open, root, suite } from "./harness.ts";
import { dist, inWorker, noRecordings, offer, prepared, run, tool } from "./real.ts";

suite(dist);

/** Processors round curves differently: a pixel of a thousand may be one off in a channel. */
const WORST = 1;
const OFF = 0.001;

interface Difference {
  different: number;
  all: number;
  worst: number;
  first: [number, number] | null;
}

type Pair = [number, number];

/** The board in the page beside a PNG on the server: the parts that begin at these pixels. */
async function compareBoard(page: Page, png: string, from: Pair, at: Pair, size: Pair): Promise<Difference> {
  return page.evaluate(
    async ({ png, from, at, size: [width, height] }) => {
      const pixels = (image: CanvasImageSource, [x, y]: Pair) => {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d")!;
        context.drawImage(image, -x, -y);
        return context.getImageData(0, 0, width, height).data;
      };
      const native = await createImageBitmap(await (await fetch(png)).blob());
      const board = document.querySelector<HTMLCanvasElement>(".board-canvas")!;
      const [a, b] = [pixels(native, from), pixels(board, at)];
      const found: Difference = { different: 0, all: width * height, worst: 0, first: null };
      for (let pixel = 0; pixel < found.all; pixel++) {
        let most = 0;
        for (let channel = 0; channel < 4; channel++) {
          most = Math.max(most, Math.abs(a[pixel * 4 + channel]! - b[pixel * 4 + channel]!));
        }
        if (most === 0) continue;
        found.different++;
        found.worst = Math.max(found.worst, most);
        found.first ??= [pixel % width, Math.floor(pixel / width)];
      }
      return found;
    },
    { png, from, at, size },
  );
}

function assertSame(found: Difference, what: string) {
  const said = `${what}: ${found.different} of ${found.all} pixels differ by up to ${found.worst}, first at ${found.first}`;
  assert.ok(found.worst <= WORST && found.different <= found.all * OFF, said);
}

/** Where `gametape map --png` puts the upper left corner of the board. */
const CORNER: Pair = [24, 96];

interface Sample {
  file: string;
  at: string;
  view?: string;
  scale: number;
}
const SAMPLES: Sample[] = [
  { file: "skirmish.tape", at: "1:30", scale: 30 },
  { file: "skirmish.tape", at: "end", view: "2", scale: 24 },
  { file: "skirmish.json", at: "50%", scale: 21 },
  { file: "current.minewars", at: "end", scale: 28 },
  { file: "current.minewars", at: "50%", view: "1", scale: 13 },
  { file: "v01.minewars", at: "end", scale: 20 },
  { file: "wide.minewars", at: "end", scale: 5 },
  { file: "checkers.json", at: "turn:9", scale: 40 },
];

/** The whole board as the tool draws it, on the server. */
async function offerNative({ file, at, view, scale }: Sample): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "gametape-picture-"));
  try {
    const png = join(folder, "native.png");
    const seen = view ? ["--view", view] : [];
    const drawn = ["--scale", String(scale), "--png", png];
    await run(tool, "-q", "map", "--at", at, ...seen, ...drawn, prepared(file));
    return offer(png);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens a sample with the whole board in the middle; where its corner is, and its size. */
async function openSample(
  page: Page,
  { file, at, view, scale }: Sample,
): Promise<{ corner: Pair; size: Pair }> {
  const src = offer(prepared(file));
  await open(page, "");
  const [about] = (await inWorker(page, src, [{ do: "open" }])) as [About];
  const { width, height } = about.board!;
  const c = `${width / 2},${height / 2},${scale}`;
  await open(page, `?${new URLSearchParams({ src, t: at, view: view ?? "0", c })}`);
  const canvas = (await page.locator(".board-canvas").boundingBox())!;
  const start = (room: number, board: number) => Math.round(room / 2 - (board / 2) * scale);
  return {
    corner: [start(canvas.width, width), start(canvas.height, height)],
    size: [Math.floor(width * scale), Math.floor(height * scale)],
  };
}

for (const sample of SAMPLES) {
  inPage(
    `the board of ${sample.file} at ${sample.at}, view ${sample.view ?? 0}, has the pixels that the tool draws`,
    async (page) => {
      const png = await offerNative(sample);
      const { corner, size } = await openSample(page, sample);
      assertSame(await compareBoard(page, png, CORNER, corner, size), sample.file);
    },
    { skip: noRecordings, viewport: { width: 1600, height: 1300 } },
  );
}

const BASELINES = join(root, "tests", "pictures");
const BLESS = process.env.BLESS === "1";
/** Of the middle of a board. */
const SIZE: Pair = [320, 240];

const KEPT: Record<string, Sample> = {
  "skirmish-all": { file: "skirmish.tape", at: "1:30", scale: 30 },
  "skirmish-seat": { file: "skirmish.tape", at: "1:30", view: "1", scale: 30 },
  minewars: { file: "current.minewars", at: "end", scale: 24 },
  gamelog: { file: "skirmish.json", at: "50%", scale: 30 },
  // Men of both sides, and a king.
  checkers: { file: "checkers.json", at: "turn:9", scale: 30 },
};

/** The middle of the board as PNG. */
async function middle(page: Page, at: Pair): Promise<Buffer> {
  const text = await page.evaluate(
    async ({ at: [x, y], size: [width, height] }) => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [width, height];
      const board = document.querySelector<HTMLCanvasElement>(".board-canvas")!;
      canvas.getContext("2d")!.drawImage(board, -x, -y);
      return canvas.toDataURL("image/png").split(",")[1]!;
    },
    { at, size: SIZE },
  );
  return Buffer.from(text, "base64");
}

for (const [name, sample] of Object.entries(KEPT)) {
  inPage(
    `the board looks as it did: ${name}`,
    async (page) => {
      const { corner, size } = await openSample(page, sample);
      const at = [0, 1].map((side) => corner[side]! + Math.round((size[side]! - SIZE[side]!) / 2)) as Pair;
      const file = join(BASELINES, `${name}.png`);
      if (BLESS) {
        mkdirSync(BASELINES, { recursive: true });
        writeFileSync(file, await middle(page, at));
      }
      assert.ok(existsSync(file), `${file} is missing: BLESS=1 writes it`);
      assertSame(await compareBoard(page, offer(file), [0, 0], at, SIZE), `${file} (BLESS=1 writes it)`);
    },
    { skip: noRecordings, viewport: { width: 1600, height: 1300 } },
  );
}
