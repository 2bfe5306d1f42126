// What follows from the position: how much of the time to come may be shown, and what the bars show.
import { computed } from "@preact/signals";
import type { Loss } from "../generated/shapes.ts";
import { momentText, rate } from "../words.ts";
import { edge, fromStart, playing, reached, target } from "./clock.ts";
import { kept } from "./kept.ts";
import { ofRecording } from "./lifetime.ts";
import { about, shown } from "./side.ts";

export interface Span {
  start: number;
  end: number;
}

export const spoilerFree = kept("spoiler-free", ["no", "yes"], "no");
export const fineBar = kept("fine-bar", ["auto", "yes", "no"], "auto");

/** The first moment that can be gone to: of a live match also those that are not here any more, or not yet. */
export const firstMoment = computed(() => (fromStart.value ? 0 : (about.value?.begin ?? 0)));
/** The last moment that there is. */
export const lastMoment = computed(() => edge.value ?? about.value?.end ?? 0);

export const spoilers = computed(() => spoilerFree.value === "no");
export const ended = computed(
  () => about.value !== null && edge.value === null && reached.value >= about.value.end,
);
/** What may be shown of the time to come: all, or up to the furthest moment seen. */
export const horizon = computed(() =>
  spoilers.value || ended.value ? Number.POSITIVE_INFINITY : Math.max(reached.value, firstMoment.value),
);

/** What a live connection lost. */
export const lostLive = ofRecording<Loss[]>([]);

/** What is missing: known when the recording was opened, and found since then. */
export const losses = computed<Loss[]>(() => {
  // Of a live match the connection itself says what is missing, and from when to when.
  const known = edge.value === null ? (about.value?.losses ?? []) : [];
  const said = [...lostLive.value, ...known.filter(({ end }) => end !== null)];
  const isSaid = (start: number | null) =>
    said.some((one) => start !== null && one.start! - 1 <= start && start <= one.end!);
  const found = (shown.value?.damage ?? []).filter(({ start }) => !isSaid(start));
  const all = [...lostLive.value, ...known, ...found];
  const isKnown =
    all.length === lastLosses.length && all.every(({ text }, at) => text === lastLosses[at]!.text);
  // The bars are painted again only when there is something new.
  if (!isKnown) lastLosses = all;
  return lastLosses;
});
let lastLosses: Loss[] = [];

/** The moments of the bar. Spoiler-free its end says nothing about the length: 1, 2, 4 … minutes, whatever is enough. */
export const span = computed<Span>(() => {
  const known = about.value;
  if (!known) return { start: 0, end: 1 };
  const start = firstMoment.value;
  if (horizon.value === Number.POSITIVE_INFINITY && edge.value !== null) return { start, end: liveEnd.value };
  if (horizon.value === Number.POSITIVE_INFINITY) return { start, end: Math.max(known.end, start + 1) };
  let length = rate(known) * 60;
  while (length < (reached.value - start) * 1.1) length *= 2;
  return { start, end: start + length };
});

/** The end of the bar of a match that goes on: steps ahead, so that the bar does not move all the time. */
const liveEnd = computed(() => {
  const known = about.value;
  const now = edge.value ?? 0;
  let step = known ? rate(known) * 5 : 1;
  while (now > step * 24) step *= 2;
  return (Math.floor(now / step) + 1) * step;
});

const fine = ofRecording<Span | null>(null);

/** The moments of the fine bar: a page of the bar that follows the position. */
export const fineNow = computed<Span>(() => {
  const all = span.value;
  const wished = fine.value;
  const least = Math.min(20, all.end - all.start);
  const length = Math.max(wished ? wished.end - wished.start : (all.end - all.start) / 12, least);
  if (wished && wished.start <= target.value && target.value <= wished.end) return wished;
  // Pages that overlap by half, so that the position is never at an edge.
  const half = length / 2;
  const page = Math.floor((target.value - all.start) / half - 0.5) * half + all.start;
  const start = Math.max(all.start, Math.min(page, all.end - length));
  return { start, end: start + length };
});

export function zoomFine(factor: number, around = target.value) {
  const { start, end } = fineNow.value;
  const all = span.value;
  const length = Math.min(Math.max((end - start) * factor, 20), all.end - all.start);
  const share = (around - start) / (end - start);
  panFineTo(around - share * length, length);
}

export function panFineTo(start: number, length = fineNow.value.end - fineNow.value.start) {
  const all = span.value;
  const from = Math.max(all.start, Math.min(start, all.end - length));
  fine.value = { start: from, end: from + length };
}

export function timeText(moment: number, exact = true): string {
  const known = about.value;
  return known ? momentText(known, moment, exact) : "";
}

export const nowText = computed(() =>
  shown.value && (shown.value.moment === target.value || (playing.value !== 0 && edge.value === null))
    ? shown.value.time
    : timeText(target.value),
);
