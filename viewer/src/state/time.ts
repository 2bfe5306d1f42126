// Seeking, stepping, playing, loops.
import { batch, computed } from "@preact/signals";
import { Stale } from "../client.ts";
import type { Shown } from "../generated/shapes.ts";
import { rate } from "../words.ts";
import { bookmarks } from "./bookmarks.ts";
import { atLive, edge, fetching, fromStart, playing, reached, SPEEDS, speed, target } from "./clock.ts";
import { highlights, record, visibleEvents } from "./events.ts";
import { ofRecording } from "./lifetime.ts";
import { announced, byHand, explain, onFailure, say } from "./page.ts";
import { firstMoment, horizon, lastMoment, nowText, type Span, timeText } from "./position.ts";
import { about, main, onShown, onWishFailed, shown } from "./side.ts";

export const loop = ofRecording<Span | null>(null);

/** Playing goes on when all of these are ready. */
export const waitsFor: (() => boolean)[] = [() => !main.isWishing];

/** The position while playing, with parts of a moment. */
let head = 0;
/** What happened after this moment is asked for. */
let since: number | null = null;

function clamp(moment: number): number {
  if (!about.value) return 0;
  return Math.max(firstMoment.value, Math.min(lastMoment.value, Math.round(moment)));
}

/** What a recording that grows does near its end, and with moments that are not here; it says so itself. */
export const growth = {
  /** How fast to play this many seconds before its end, 0 to wait; null: too far, so it jumps to live. */
  pace: (_behind: number): number | null => 1,
  /** How many seconds before the end is live. */
  target: () => 0,
  /** Gets moments before the first one that is here. */
  fetch(_moment: number) {},
};

export function seek(moment: number, after: number | null = null) {
  // Who goes elsewhere is not live any more; what is shown again where it is stays so.
  if (clamp(moment) !== target.value) atLive.value = false;
  move(moment, after);
}

function move(moment: number, after: number | null) {
  const known = about.value;
  if (!known) return;
  const to = clamp(moment);
  since = after;
  head = to;
  target.value = to;
  const isHere = !fromStart.value || to >= known.begin;
  if (isHere) fetching.value = null;
  if (isHere) main.seek(to, after);
  else growth.fetch(to);
}

/** To the end of a recording that grows, because somebody wants it. */
export function catchUp() {
  byHand.run();
  goLive();
}

/** To the end of a recording that grows, and stays near it. */
export function goLive() {
  const known = about.value;
  if (!known || edge.value === null) return;
  speed.value = 1;
  loop.value = null;
  move(lastMoment.value - growth.target() * rate(known), null);
  atLive.value = true;
  play(1);
}

/** To the last moment; of a recording that grows, to live. */
export function toEnd() {
  if (edge.value === null) jump(lastMoment.value);
  else catchUp();
}

/** How many seconds the position is before the end of a recording that grows. */
export const behind = computed(() => {
  const known = about.value;
  return known && edge.value !== null ? Math.max(0, edge.value - target.value) / rate(known) : 0;
});

onWishFailed.run = (error) => explain(error, () => seek(target.value));

/** Takes what is there at a moment. */
function take(now: Shown) {
  const from = since !== null && shown.value ? since : now.moment - 1;
  shown.value = now;
  reached.value = Math.max(reached.value, now.moment);
  record(now, from);
}

onShown.push((now, isLast) =>
  batch(() => {
    take(now);
    if (playing.value === 0 && !main.isSeeking && isLast) target.value = now.moment;
  }),
);

/** A seek by hand: says where it led. */
export function jump(moment: number) {
  byHand.run();
  const wasPlaying = playing.value;
  seek(moment);
  if (wasPlaying === 0) announced.value = `At ${timeText(target.value)}`;
}

/** Goes to a time that somebody wrote; what is wrong with it otherwise. */
export async function goTo(text: string): Promise<string | null> {
  if (!main.client || text.trim() === "") return null;
  try {
    const { moment } = await main.client.ask("find", { text: text.trim() });
    jump(moment);
    return null;
  } catch (error) {
    if (error instanceof Stale) return null;
    return error instanceof Error ? error.message : String(error);
  }
}

// ---------------------------------------------------------------- steps

let stepping = false;

export async function step(forward: boolean, by: "change" | "tick" | "turn") {
  const asked = main.client;
  if (!asked || !about.value) return;
  byHand.run();
  pause();
  // A held key asks faster than steps are found.
  if (stepping) return;
  stepping = true;
  try {
    const from = target.value;
    const now = await asked.ask("step", { from, forward, by, follow: main.followed() });
    if (main.client !== asked) return;
    since = null;
    if (by === "turn" && now.moment === from) say(noTurn(forward));
    batch(() => {
      head = now.moment;
      target.value = now.moment;
      for (const one of onShown) one(now, false);
      announced.value = [`At ${now.time}`, ...now.lines.slice(0, 3).map(({ text }) => text)].join(". ");
    });
    main.redraw();
  } catch (error) {
    explain(error, () => void step(forward, by));
  } finally {
    stepping = false;
  }
}

function noTurn(forward: boolean): string {
  return about.value?.is_gamelog ? nothingFurther(forward) : "This recording has no turns";
}

const nothingFurther = (forward: boolean) => (forward ? "Nothing further ahead" : "Nothing further back");

/** To the next or previous of these moments. */
function hop(moments: readonly number[], forward: boolean) {
  const now = target.value;
  const to = forward ? moments.find((moment) => moment > now) : moments.findLast((moment) => moment < now);
  if (to === undefined) say(nothingFurther(forward));
  else jump(to);
}

export function stepMarker(forward: boolean) {
  const moments = visibleEvents.value.map(({ moment }) => moment);
  hop(moments, forward);
}

export function stepHighlight(forward: boolean) {
  const best = highlights.value.map(({ start }) => start);
  const own = bookmarks.value.map(({ moment }) => moment);
  hop(
    [...best, ...own].sort((a, b) => a - b),
    forward,
  );
}

// ---------------------------------------------------------------- playing

let last = 0;
let ticking = false;

export function play(direction: -1 | 1 = 1) {
  if (!about.value) return;
  if (direction === -1) atLive.value = false;
  if (direction === 1 && edge.value === null && target.value >= lastMoment.value && !loop.value)
    seek(firstMoment.value);
  if (direction === -1 && target.value <= firstMoment.value && !loop.value) return;
  head = target.value;
  playing.value = direction;
  last = performance.now();
  if (!ticking) requestAnimationFrame(frame);
  ticking = true;
}

export function pause() {
  atLive.value = false;
  if (playing.value !== 0) {
    playing.value = 0;
    announced.value = `Paused at ${nowText.value}`;
    main.redraw();
  }
}
onFailure.pause = pause;

export function toggle() {
  byHand.run();
  if (playing.value === 0) play(1);
  else pause();
}

/** J and L: play that way; again: faster. */
export function shuttle(direction: -1 | 1) {
  byHand.run();
  if (playing.value === direction) faster(true);
  else play(direction);
}

export function faster(more: boolean) {
  const at = SPEEDS.findIndex((one) => one >= speed.value);
  setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + (more ? 1 : -1)))]!);
  announced.value = `Speed ${speed.value} times`;
}

export function setSpeed(to: number) {
  byHand.run();
  atLive.value = false;
  speed.value = to;
}

function frame(now: number) {
  ticking = false;
  const known = about.value;
  if (playing.value === 0 || !known) return;
  // The first frame may have begun before play was asked for.
  const passed = Math.min(Math.max(now - last, 0), 250) / 1000;
  last = now;
  // One wish at a time: a slow machine shows fewer pictures, never late ones.
  const by = playing.value * speedNow() * rate(known) * passed;
  head += by;
  const range = loop.value;
  if (range) {
    const end = Math.min(range.end, lastMoment.value);
    if (playing.value === 1 ? head >= end : head <= range.start)
      head = playing.value === 1 ? range.start : end;
  }
  const ends = playing.value === 1 ? head >= lastMoment.value : head <= firstMoment.value;
  const to = clamp(Math.floor(head));
  if (to !== target.value && (ends || waitsFor.every((isReady) => isReady()))) {
    const from = shown.value?.moment ?? null;
    const exact = head;
    move(to, playing.value === 1 && from !== null && from < to && to - from < rate(known) * 30 ? from : null);
    head = exact;
  }
  if (ends && edge.value !== null && playing.value === 1) {
    // More comes: it is live from here on.
    head = Math.min(head, lastMoment.value);
    speed.value = 1;
    atLive.value = true;
  } else if (ends) {
    pause();
    return;
  }
  ticking = true;
  requestAnimationFrame(frame);
}

/** Jumps of more than as many seconds are said. */
const JUMP_SAID = 10;

/** How fast it is played now: near the end of a recording that grows a little faster or slower. */
function speedNow(): number {
  const known = about.value;
  if (!known || fetching.value !== null) return 0;
  if (!atLive.value || edge.value === null) return speed.value;
  const before = (lastMoment.value - head) / rate(known);
  const pace = growth.pace(before);
  if (pace !== null) return pace;
  head = lastMoment.value - growth.target() * rate(known);
  if (before > JUMP_SAID) say(`Jumped ${Math.round(before)} s to live`);
  return 0;
}

// ---------------------------------------------------------------- loops

export function toggleLoop() {
  const known = about.value;
  if (!known) return;
  if (loop.value) {
    loop.value = null;
    announced.value = "Loop off";
    return;
  }
  const around = highlights.value.find(({ start, end }) => start <= target.value && target.value <= end);
  const half = rate(known) * 5;
  setLoop(around?.start ?? target.value - half, around?.end ?? target.value + half);
}

export function setLoop(start: number, end: number) {
  // Spoiler-free, a loop does not say where the end is: it may be after it.
  const last = Number.isFinite(horizon.value) ? Number.POSITIVE_INFINITY : lastMoment.value;
  const [a, b] = [clamp(Math.min(start, end)), Math.min(Math.round(Math.max(start, end)), last)];
  if (b - a < 1) return;
  loop.value = { start: a, end: b };
  announced.value = `Loop from ${timeText(a)} to ${timeText(b)}`;
}

/** One end of the loop is here. */
export function loopFromHere(isStart: boolean) {
  const known = about.value;
  if (!known) return;
  const now = target.value;
  const end = Number.isFinite(horizon.value)
    ? Math.max(horizon.value, now + rate(known) * 10)
    : lastMoment.value;
  const other = loop.value ?? { start: now, end };
  if (isStart) setLoop(now, other.end > now ? other.end : end);
  else setLoop(other.start < now && loop.value ? other.start : firstMoment.value, now);
}
