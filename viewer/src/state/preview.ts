// A small picture of the board at the moment under the pointer.

import { aside } from "./aside.ts";
import { wholeBoard } from "./camera.ts";
import { ofView, whenForgotten } from "./lifetime.ts";
import { newest } from "./newest.ts";
import { horizon } from "./position.ts";
import { about, main } from "./side.ts";

export const previewSize = { width: 176, height: 120 };
export const preview = ofView<{ moment: number; bitmap: ImageBitmap } | null>(null);

let wished: number | null = null;
whenForgotten(() => {
  wished = null;
});

const draw = newest<number>(async (moment) => {
  const known = about.value;
  if (!known?.has_board || moment !== wished) return;
  const { width, height } = previewSize;
  const picture = wholeBoard(known, width, height, main.camera.size.value.ratio);
  if (!picture) return;
  const client = await aside();
  const bitmap = await client.snapshot(moment, { ...picture, plain: true });
  // The pointer is elsewhere by now: the next one comes.
  if (!bitmap || wished === null) return;
  preview.value?.bitmap.close();
  preview.value = { moment, bitmap };
});

/** The pointer is at this moment of a bar, or at none. */
export function previewAt(moment: number | null) {
  if (moment === wished) return;
  wished = moment;
  if (moment === null || moment > horizon.value) {
    preview.value?.bitmap.close();
    preview.value = null;
  } else draw(moment);
}
