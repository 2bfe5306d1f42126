// What is made of a range of the recording: a clip as a small tape, and videos.
import { computed, signal } from "@preact/signals";
import { Stale } from "../client.ts";
import { rate } from "../words.ts";
import { aside, closeAside } from "./aside.ts";
import { pictureOf } from "./camera.ts";
import { speed, target } from "./clock.ts";
import { heat } from "./heat.ts";
import { whenForgotten } from "./lifetime.ts";
import { explain, overlay } from "./page.ts";
import { horizon, lastMoment, type Span, timeText } from "./position.ts";
import { fileStem, save } from "./share.ts";
import { about, main } from "./side.ts";
import { loop } from "./time.ts";

/** A video has at most this many pixels on a side. */
const VIDEO_SIDE = 1280;
const VIDEO_RATE = 20;
const GIF_SIDE = 720;
const GIF_RATE = 10;
/** A video is at most this long, in seconds. */
export const VIDEO_LENGTH = 60;
/** Without a loop: this many seconds around the position. */
const AROUND = 5;

export interface Making {
  what: string;
  /** 0 to 1; null: not known. */
  share: number | null;
}

export const making = signal<Making | null>(null);
let job = 0;

whenForgotten(cancel);

/** Gives up what is being made. */
export function cancel() {
  if (!making.value) return;
  job++;
  making.value = null;
  closeAside();
}

/** The loop, or some seconds around the position; nothing that is still to come, spoiler-free. */
export const range = computed<Span>(() => {
  const known = about.value;
  if (!known) return { start: 0, end: 1 };
  if (loop.value) return loop.value;
  const half = rate(known) * AROUND;
  const end = Math.min(target.value + half, lastMoment.value, horizon.value);
  const start = Math.max(known.begin, Math.min(target.value, end) - half);
  return { start: Math.round(start), end: Math.round(Math.max(end, start + 1)) };
});

export const rangeText = computed(() => {
  const { start, end } = range.value;
  return `${timeText(start)} – ${timeText(end)}`;
});

/** How long a video of the range is, in seconds. */
export const videoLength = computed(() => {
  const known = about.value;
  return known ? (range.value.end - range.value.start) / rate(known) / speed.value : 0;
});
export const isTooLong = computed(() => videoLength.value > VIDEO_LENGTH);

/** One thing at a time, with its progress, until it is done or given up. */
async function run(what: string, work: (isWanted: () => boolean) => Promise<{ blob: Blob; name: string }>) {
  if (making.value || !about.value) return;
  const mine = ++job;
  making.value = { what, share: null };
  try {
    const { blob, name } = await work(() => job === mine);
    if (job !== mine) return;
    save(blob, name);
    if (overlay.value === "share") overlay.value = null;
  } catch (error) {
    if (job === mine && !(error instanceof Stale)) {
      overlay.value = null;
      explain(error, null);
    }
  } finally {
    if (job === mine) making.value = null;
  }
}

function nameOf(ending: string): string {
  return `${fileStem(rangeText.value.replace(/ – /, "-"))}.${ending}`;
}

/** The range, as the present view may have it, as a tape of its own. */
export function makeClip() {
  const { start, end } = range.value;
  const name = nameOf("tape");
  return run("Cutting the clip", async () => {
    const client = await aside(true);
    await client.ask("clip", { from: start, to: end });
    return { blob: new Blob([await client.file()], { type: "application/octet-stream" }), name };
  });
}

// ---------------------------------------------------------------- GIF

/** The whole board in moving pictures, made by the session a few at a time. */
export function makeGif() {
  const { start: from, end: to } = range.value;
  const { width, height } = main.camera.size.value;
  if (isTooLong.value || width === 0) return;
  const share = Math.min(1, GIF_SIDE / Math.max(width, height));
  const size = { width: Math.round(width * share), height: Math.round(height * share) };
  const fields = { from, to, speed: speed.value, fps: GIF_RATE, ...size, heat: heat.value };
  const name = nameOf("gif");
  const what = "Drawing the GIF";
  return run(what, async (isWanted) => {
    const client = await aside(true);
    for (;;) {
      const { done, frames, bytes } = await client.ask("gif", fields);
      if (!isWanted()) throw new Stale();
      making.value = { what, share: done / Math.max(1, frames) };
      if (bytes > 0) return { blob: new Blob([await client.file()], { type: "image/gif" }), name };
    }
  });
}

// ---------------------------------------------------------------- video

const VIDEO_TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export const canRecord = computed(
  () =>
    typeof MediaRecorder === "function" && VIDEO_TYPES.some((type) => MediaRecorder.isTypeSupported(type)),
);

/** The picture of the board as it is on the screen, with even sides as videos need. */
function videoPicture() {
  const at = main.camera.now.value;
  const { width, height } = main.camera.size.value;
  if (!at || width === 0) return null;
  const ratio = Math.min(1, VIDEO_SIDE / Math.max(width, height));
  const even = (side: number) => Math.max(2, Math.floor((side * ratio) / 2) * 2) / ratio;
  return pictureOf(at, even(width), even(height), ratio);
}

/** Records pictures as they come, in the time that they take. */
export function makeVideo() {
  const { start, end } = range.value;
  const known = about.value;
  const picture = videoPicture();
  if (!known || !picture || isTooLong.value) return;
  const name = nameOf("webm");
  const frames = Math.max(2, Math.round(videoLength.value * VIDEO_RATE));
  return run("Recording the video", async (isWanted) => {
    const client = await aside();
    const canvas = document.createElement("canvas");
    canvas.width = picture.width;
    canvas.height = picture.height;
    const context = canvas.getContext("2d", { alpha: false })!;
    const film = record(canvas);
    for (let frame = 0; frame <= frames && isWanted(); frame++) {
      const began = performance.now();
      const bitmap = await client.snapshot(Math.round(start + ((end - start) * frame) / frames), picture);
      if (bitmap) context.drawImage(bitmap, 0, 0);
      bitmap?.close();
      film.frame();
      making.value = { what: "Recording the video", share: frame / frames };
      // The recorder has no other clock than ours.
      await wait(1000 / VIDEO_RATE - (performance.now() - began));
    }
    const blob = await film.end();
    if (!isWanted()) throw new Stale();
    return { blob, name };
  });
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));
}

function record(canvas: HTMLCanvasElement): { frame(): void; end(): Promise<Blob> } {
  const type = VIDEO_TYPES.find((one) => MediaRecorder.isTypeSupported(one))!;
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 4_000_000 });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.start();
  return {
    frame: () => track.requestFrame(),
    end: () =>
      new Promise((resolve) => {
        recorder.onstop = () => resolve(new Blob(parts, { type: "video/webm" }));
        recorder.stop();
        track.stop();
      }),
  };
}
