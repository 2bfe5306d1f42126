// What happened: markers of the story, and what was said while watching.
import { computed } from "@preact/signals";
import type { Line, Shown, Story } from "../generated/shapes.ts";
import type { Tile } from "../requests.ts";
import { rate } from "../words.ts";
import { playing, target } from "./clock.ts";
import { ofRecording, ofView } from "./lifetime.ts";
import { announced } from "./page.ts";
import { horizon } from "./position.ts";
import { about } from "./side.ts";

export interface LogEntry {
  moment: number;
  time: string;
  kind: string;
  text: string;
  player: number | null;
  at: Tile | null;
}

/** More lines that were said are not kept. */
const MOST_SAID = 2000;
/** Milliseconds between two things that a screen reader says while playing. */
const HEARD_EVERY = 4000;

export const story = ofView<Story | null>(null);
const log = ofView<LogEntry[]>([]);
export const hiddenKinds = ofRecording<ReadonlySet<string>>(new Set());
export const hiddenPlayers = ofRecording<ReadonlySet<number>>(new Set());
/** The curve whose shares the bars show; null: the first. */
export const barCurve = ofRecording<string | null>(null);

const markers = computed<LogEntry[]>(() =>
  (story.value?.markers ?? [])
    .map(({ moment, time, kind, text, player }): LogEntry => ({ moment, time, kind, text, player, at: null }))
    .sort((a, b) => a.moment - b.moment),
);
const markersByText = computed(() => {
  const said = new Map<string, number[]>();
  for (const { text, moment } of markers.value) {
    const list = said.get(text);
    if (list) list.push(moment);
    else said.set(text, [moment]);
  }
  return said;
});

/** Markers of the story and what was said while watching, in order, nothing twice. */
export const events = computed<LogEntry[]>(() => {
  const near = (about.value ? rate(about.value) : 10) * 0.5;
  const said = markersByText.value;
  const rest = log.value.filter(
    ({ text, moment }) => !said.get(text)?.some((other) => Math.abs(other - moment) <= near),
  );
  const all = rest.length === 0 ? markers.value : merged(markers.value, rest);
  return all.slice(0, countUpTo(all, horizon.value));
});

function merged(a: readonly LogEntry[], b: readonly LogEntry[]): LogEntry[] {
  const all: LogEntry[] = [];
  let from = 0;
  for (const one of a) {
    while (from < b.length && b[from]!.moment < one.moment) all.push(b[from++]!);
    all.push(one);
  }
  for (; from < b.length; from++) all.push(b[from]!);
  return all;
}

export const kinds = computed(() => {
  const found = new Map<string, number>();
  for (const { kind } of events.value) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
});

function isVisible({ kind, player }: LogEntry): boolean {
  return !hiddenKinds.value.has(kind) && !(player !== null && hiddenPlayers.value.has(player));
}
export const visibleEvents = computed(() => events.value.filter(isVisible));
/** On the bars: what the story reports, which does not change while playing. */
export const visibleMarkers = computed(() =>
  markers.value.slice(0, countUpTo(markers.value, horizon.value)).filter(isVisible),
);
/** How many of them have happened. */
export const happened = computed(() => countUpTo(visibleEvents.value, target.value));

function countUpTo(sorted: readonly { moment: number }[], moment: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.moment <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const highlights = computed(() =>
  (story.value?.highlights ?? []).filter(({ end }) => end <= horizon.value),
);

let lastHeard = 0;

/** What was said up to a moment, after another one, goes into the log. */
export function record(now: Shown, since: number) {
  const said = now.lines.map(
    (line: Line): LogEntry => ({
      moment: now.moment,
      time: now.time,
      kind: line.kind,
      text: line.text,
      player: line.players?.[0] ?? null,
      at: line.at ?? null,
    }),
  );
  const others = log.value.filter(({ moment }) => moment <= since || moment > now.moment);
  if (said.length === 0 && others.length === log.value.length) return;
  log.value = [...others, ...said].sort((a, b) => a.moment - b.moment).slice(-MOST_SAID);
  // Who listens hears what happens, not more often than can be heard.
  const heard = performance.now();
  if (playing.value === 1 && said.length > 0 && heard - lastHeard > HEARD_EVERY) {
    lastHeard = heard;
    announced.value = said[0]!.text;
  }
}

export function toggleKind(kind: string) {
  const now = new Set(hiddenKinds.value);
  if (!now.delete(kind)) now.add(kind);
  hiddenKinds.value = now;
}

export function togglePlayer(player: number) {
  const now = new Set(hiddenPlayers.value);
  if (!now.delete(player)) now.add(player);
  hiddenPlayers.value = now;
}
