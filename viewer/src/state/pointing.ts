// Tiles that are pointed at and selected, on any board.
import { batch } from "@preact/signals";
import type { Tile } from "../requests.ts";
import type { Point } from "./camera.ts";
import { playing } from "./clock.ts";
import { newest } from "./newest.ts";
import { announced, explain } from "./page.ts";
import type { Side } from "./side.ts";

export function same(a: Tile | null | undefined, b: Tile | null | undefined): boolean {
  return Boolean(a && b && a[0] === b[0] && a[1] === b[1]);
}

async function pick(side: Side, { x, y }: Point): Promise<Tile | null> {
  const picture = side.camera.picture.value;
  const ratio = side.camera.size.value.ratio;
  if (!side.client || !picture) return null;
  const { tile } = await side.client.ask("pick", {
    ...picture,
    px: Math.round(x * ratio),
    py: Math.round(y * ratio),
  });
  return tile;
}

/** The pointer is over this point of the stage. */
export const hover = newest<{ side: Side; point: Point | null }>(async ({ side, point }) => {
  const client = side.client;
  const tile = point && client && side.about.value?.has_board ? await pick(side, point) : null;
  if (!point || !client || !tile) {
    side.hovered.value = null;
    return;
  }
  const old = side.hovered.value;
  const card = old && same(old.tile, tile) ? old.card : await client.ask("inspect", { tile });
  side.hovered.value = { tile, ...point, card };
});

/** Where the selection is on the board, in tiles; moves with the keys. */
const cursors = new WeakMap<Side, Point>();

/** Selects what is at a point of the stage. */
export async function selectAt(side: Side, point: Point) {
  side.cardSide.value = point.x > side.camera.size.value.width - 300 && point.x > 320 ? "left" : "right";
  try {
    const tile = await pick(side, point);
    const at = side.camera.onBoard(point);
    if (!tile || !at) return unselect(side);
    cursors.set(side, at);
    await select(side, tile);
  } catch (error) {
    explain(error, null);
  }
}

export async function moveSelection(side: Side, dx: number, dy: number) {
  const at = side.camera.now.value;
  if (!at) return;
  const cursor = side.selected.value ? cursors.get(side) : undefined;
  const to = cursor ? { x: cursor.x + dx, y: cursor.y + dy } : { x: at.x, y: at.y };
  const point = side.camera.onStage(to)!;
  const { width, height } = side.camera.size.value;
  try {
    const tile = await pick(side, point);
    if (!tile) return;
    cursors.set(side, to);
    if (point.x < 0 || point.y < 0 || point.x > width || point.y > height) side.camera.move({ ...at, ...to });
    await select(side, tile);
    announced.value = side.inspection.value?.title ?? "";
  } catch (error) {
    explain(error, null);
  }
}

export async function select(side: Side, tile: Tile) {
  const asked = side.client;
  if (!asked) return;
  batch(() => {
    side.selected.value = tile;
    side.changes.value = null;
  });
  try {
    const card = await asked.ask("inspect", { tile });
    if (side.selected.value !== tile) return;
    side.inspection.value = card;
    if (playing.value === 0) await askHistory(side);
  } catch (error) {
    explain(error, () => void select(side, tile));
  }
}

/** When the selected tile changed. */
export async function askHistory(side: Side) {
  const tile = side.selected.value;
  if (!side.client || !tile) return;
  side.changes.value = "asked";
  try {
    const found = await side.client.ask("history", { tile });
    if (side.selected.value === tile) side.changes.value = found;
  } catch (error) {
    if (side.selected.value === tile) side.changes.value = null;
    explain(error, () => void askHistory(side));
  }
}

export function unselect(side: Side) {
  batch(() => {
    side.selected.value = null;
    side.inspection.value = null;
    side.changes.value = null;
  });
}

/** The position changed: what is known of the selected tile is read again. */
export const inspectAgain = newest<Side>(async (side) => {
  const tile = side.selected.value;
  if (!tile || !side.client) return;
  const card = await side.client.ask("inspect", { tile });
  if (side.selected.value === tile) side.inspection.value = card;
});
