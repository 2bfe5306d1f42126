// The state of the page: everything that is shown is in a signal here, and everything that can be done is a function here.
import { batch, computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { assets, embedded, type Inside } from "./assets.ts";
import { Client, Failure, Stale } from "./client.ts";
import type { About, Line, Shown, Story } from "./generated/shapes.ts";
import type { Change, Found, Inspection, Origin, Picture, Tile, TreeRow, Wish } from "./requests.ts";
import { clock, momentText, rate } from "./words.ts";

// ---------------------------------------------------------------- what is kept between visits

function kept<T extends string>(key: string, among: readonly T[], otherwise: T): Signal<T> {
  let value: string | null = null;
  try {
    value = localStorage.getItem(`gametape:${key}`);
  } catch {
    // No storage, as in some private windows: nothing is kept.
  }
  const it = signal<T>(among.includes(value as T) ? (value as T) : otherwise);
  effect(() => keep(key, it.value));
  return it;
}

function keep(key: string, value: string) {
  try {
    localStorage.setItem(`gametape:${key}`, value);
  } catch {
    // See above.
  }
}

// ---------------------------------------------------------------- the page

export interface MatchEntry {
  src: string;
  name: string;
  format?: string;
  game?: string;
  title?: string | null;
  outcome?: string | null;
  players: { name: string; result?: string | null }[];
  seconds?: number | null;
  turns?: number | null;
  date?: string | null;
  picture?: string | null;
  best?: { text: string; time: string } | null;
  problem?: string | null;
}

export interface Problem {
  text: string;
  retry: (() => void) | null;
}

export type TabName = "players" | "events" | "moments" | "statistics" | "state" | "messages";

export const place = signal<"waiting" | "start" | "matches" | "match">("waiting");
export const matches = signal<MatchEntry[]>([]);
export const problem = signal<Problem | null>(null);
export const progress = signal<{ done: number; total: number | null } | null>(null);
export const theme = kept("theme", ["system", "dark", "light"], "system");
export const spoilerFree = kept("spoiler-free", ["no", "yes"], "no");
export const fineBar = kept("fine-bar", ["auto", "yes", "no"], "auto");
export const overlay = signal<"keys" | "goto" | "search" | "share" | null>(null);
export const toast = signal<string | null>(null);
export const announced = signal("");
export const tab = signal<TabName>("players");
export const dragging = signal(false);

// ---------------------------------------------------------------- the recording

let client: Client | null = null;
let origin: Origin | null = null;

/** Counts recordings: a canvas belongs to one. */
export const recording = signal(0);
export const about = signal<About | null>(null);
export const shown = signal<Shown | null>(null);
export const story = signal<Story | null>(null);
/** The moment that is wished; `shown` follows. */
export const target = signal(0);
export const reached = signal(0);
export const playing = signal<-1 | 0 | 1>(0);
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;
export const speed = signal<number>(1);
export const loop = signal<{ start: number; end: number } | null>(null);
export const fine = signal<{ start: number; end: number } | null>(null);
export const hiddenKinds = signal<ReadonlySet<string>>(new Set());
export const hiddenPlayers = signal<ReadonlySet<number>>(new Set());
/** The curve whose shares the bars show; null: the first. */
export const barCurve = signal<string | null>(null);

export interface LogEntry {
  moment: number;
  time: string;
  kind: string;
  text: string;
  player: number | null;
  at: Tile | null;
}
const log = signal<LogEntry[]>([]);

export interface Bookmark {
  moment: number;
  time: string;
  note: string;
}
export const bookmarks = signal<Bookmark[]>([]);

const asking = signal(0);
const wishing = signal(false);
const opening = signal(false);
export const idle = computed(
  () =>
    place.value !== "waiting" &&
    asking.value === 0 &&
    !wishing.value &&
    !opening.value &&
    playing.value === 0,
);

export const spoilers = computed(() => spoilerFree.value === "no");
export const ended = computed(() => about.value !== null && reached.value >= about.value.end);
/** What may be told of the time to come: all, or up to the furthest moment seen. */
export const horizon = computed(() =>
  spoilers.value || ended.value ? Number.POSITIVE_INFINITY : Math.max(reached.value, about.value?.begin ?? 0),
);
/** The moments of the bar. Spoiler-free its end says nothing about the length: 1, 2, 4 … minutes, whatever is enough. */
export const span = computed(() => {
  const known = about.value;
  if (!known) return { start: 0, end: 1 };
  const start = known.begin;
  if (horizon.value === Number.POSITIVE_INFINITY) return { start, end: Math.max(known.end, start + 1) };
  let length = rate(known) * 60;
  while (length < (reached.value - start) * 1.1) length *= 2;
  return { start, end: start + length };
});

/** The moments of the fine bar: a page of the bar that follows the position. */
export const fineNow = computed(() => {
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

export const kinds = computed(() => {
  const found = new Map<string, number>();
  for (const { kind } of events.value) found.set(kind, (found.get(kind) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
});

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

function isVisible({ kind, player }: LogEntry): boolean {
  return !hiddenKinds.value.has(kind) && !(player !== null && hiddenPlayers.value.has(player));
}
export const visibleEvents = computed(() => events.value.filter(isVisible));
/** On the bars: what the story tells, which does not change while playing. */
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

export const tabs = computed<TabName[]>(() => {
  const known = about.value;
  if (!known) return [];
  const list: TabName[] = [];
  if ((shown.value?.players.length ?? known.players.length) > 0) list.push("players");
  list.push("events", "moments");
  if (story.value?.curves.length) list.push("statistics");
  if (known.has_tree) list.push("state");
  if (known.has_messages) list.push("messages");
  return list;
});
export const openTab = computed<TabName>(() =>
  tabs.value.includes(tab.value) ? tab.value : (tabs.value[0] ?? "events"),
);

export const shareable = computed(() => recording.value > 0 && origin?.kind !== "file");

export function timeText(moment: number, exact = true): string {
  const known = about.value;
  return known ? momentText(known, moment, exact) : "";
}

export const nowText = computed(() =>
  shown.value && (shown.value.moment === target.value || playing.value !== 0)
    ? shown.value.time
    : timeText(target.value),
);

export function say(text: string) {
  toast.value = text;
}

function explain(error: unknown, retry: (() => void) | null) {
  if (error instanceof Stale) return;
  const text = error instanceof Error ? error.message : String(error);
  pause();
  if (error instanceof Failure && error.cure === "none") problem.value = { text, retry: null };
  else problem.value = { text, retry: error instanceof Failure && error.cure === "reopen" ? reopen : retry };
}

// ---------------------------------------------------------------- opening

let inside: Inside | null = null;

export async function begin() {
  window.addEventListener("popstate", () => void route());
  try {
    inside = await embedded();
  } catch (error) {
    place.value = "start";
    problem.value = {
      text: `The recording inside this page cannot be unpacked: ${error instanceof Error ? error.message : error}`,
      retry: null,
    };
    return;
  }
  await route();
}

async function route() {
  const src = new URLSearchParams(location.search).get("src");
  if (src) return openUrl(src);
  if (inside) return open({ kind: "bytes", bytes: inside.bytes, name: inside.name });
  close();
  problem.value = null;
  document.title = "Gametape";
  if (matches.value.length > 0) {
    place.value = "matches";
    return;
  }
  place.value = "waiting";
  matches.value = await listOfMatches();
  place.value = matches.value.length > 0 ? "matches" : "start";
}

async function listOfMatches(): Promise<MatchEntry[]> {
  if (!location.protocol.startsWith("http")) return [];
  try {
    const response = await fetch("matches.json");
    if (!response.ok) return [];
    const value = (await response.json()) as { matches?: MatchEntry[] };
    return Array.isArray(value.matches)
      ? value.matches
          .filter((one) => typeof one.src === "string")
          .map((one) => ({ ...one, players: one.players ?? [] }))
      : [];
  } catch {
    return [];
  }
}

function nameOf(url: string): string {
  const last = new URL(url, location.href).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "recording";
  } catch {
    return last || "recording";
  }
}

/** Opens a recording in place; Back returns. */
export function visit(src: string, time?: string) {
  let url: URL;
  try {
    url = new URL(src, location.href);
  } catch {
    problem.value = { text: `“${src}” is no address.`, retry: null };
    return;
  }
  if (!["http:", "https:"].includes(url.protocol)) {
    problem.value = { text: `Only http and https addresses can be opened, not “${src}”.`, retry: null };
    return;
  }
  go(time ? { src, t: time } : { src });
  void openUrl(src);
}

/** The address of this page with only these parameters. */
function address(params: Record<string, string>): string {
  const url = new URL(location.href);
  for (const key of ["src", "t", "view", "c", "s"]) url.searchParams.delete(key);
  for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
  url.hash = "";
  // Readable where it may be.
  return url.href.replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%2F/g, "/");
}

function go(params: Record<string, string>) {
  try {
    history.pushState(null, "", address(params));
  } catch {
    // A page from disk has no history of its own.
  }
}

export function home() {
  go({});
  void route();
}

async function openUrl(src: string) {
  const url = new URL(src, document.baseURI).href;
  await open({ kind: "url", url, name: nameOf(url) });
}

export function openFile(file: File) {
  go({});
  void open({ kind: "file", file, name: file.name });
}

function close() {
  pause();
  client?.close();
  client = null;
  origin = null;
  canvases.clear();
  batch(() => {
    about.value = null;
    target.value = 0;
    reached.value = 0;
    loop.value = null;
    fine.value = null;
    speed.value = 1;
    hiddenKinds.value = new Set();
    hiddenPlayers.value = new Set();
    treeOpen.value = [];
    treeSought.value = null;
    barCurve.value = null;
    bookmarks.value = [];
    asking.value = 0;
    wishing.value = false;
    sent = false;
    pending = null;
    opening.value = false;
    camera.value = null;
    selected.value = null;
    forget();
  });
}

/** Nothing that another view knew may stay on the page. */
function forget() {
  client?.forget();
  batch(() => {
    shown.value = null;
    story.value = null;
    log.value = [];
    hovered.value = null;
    inspection.value = null;
    changes.value = null;
    messages.value = null;
    tree.value = null;
    search.value = null;
    if (overlay.value === "search") overlay.value = null;
    announced.value = "";
    toast.value = null;
  });
}

/** The session broke: a new one at the same place. */
function reopen() {
  const from = origin;
  const known = about.value;
  if (from) void open(from, known ? { moment: target.value, view: known.view, camera: camera.value } : null);
}

interface Place {
  moment: number;
  view: number | null;
  camera: Camera | null;
}

async function open(from: Origin, back: Place | null = null) {
  close();
  origin = from;
  const params = new URLSearchParams(location.search);
  batch(() => {
    place.value = "match";
    opening.value = true;
    problem.value = null;
    progress.value = { done: 0, total: null };
    recording.value++;
  });
  const mine = recording.value;
  const stillMine = () => recording.value === mine && origin === from;
  try {
    const known = await assets();
    if (!stillMine()) return;
    client = new Client(known, from, {
      progress: (done, total) => {
        if (stillMine()) progress.value = { done, total };
      },
      shown: (message) => stillMine() && take(message.serial, message.shown),
      wishFailed: (message) => {
        if (!stillMine() || message.serial !== serial) return;
        settle(message.serial);
        explain(new Failure(message.message, message.cure), () => seek(target.value));
      },
      busy: (count) => {
        if (stillMine()) asking.value = count;
      },
    });
    let opened = await client.ask("open", {});
    const named =
      (back ? String(back.view) : params.get("view")) ?? (from.kind === "bytes" ? inside?.view : null);
    const seat = opened.views.find(({ view, name }) => String(view) === named || name === named);
    if (seat && seat.view !== opened.view) opened = await client.ask("view", { view: seat.view });
    const time = params.get("t") ?? (from.kind === "bytes" ? inside?.time : null);
    let moment = back?.moment ?? opened.position;
    let wrong: string | null = null;
    if (time && !back) {
      try {
        moment = (await client.ask("find", { text: time })).moment;
      } catch (error) {
        if (!(error instanceof Failure) || error.cure !== "none") throw error;
        wrong = error.message;
      }
    }
    if (!stillMine()) return;
    batch(() => {
      about.value = opened;
      progress.value = null;
      opening.value = false;
      camera.value = back ? back.camera : cameraOf(params.get("c"));
      bookmarks.value = keptBookmarks();
      if (wrong) say(wrong);
    });
    document.title = `${opened.heading || opened.name} · Gametape`;
    seek(moment);
    const tile = params.get("s")?.split(",").map(Number);
    if (tile?.length === 2 && tile.every(Number.isFinite)) void select(tile as Tile);
    tell();
  } catch (error) {
    if (!stillMine()) return;
    opening.value = false;
    progress.value = null;
    explain(error, () => void open(from, back));
  }
}

/** The story is asked for after the first picture. */
function tell() {
  const asked = client;
  asked
    ?.ask("story", {})
    .then((told) => {
      story.value = told;
    })
    .catch((error) => explain(error, tell));
}

export async function setView(view: number) {
  const asked = client;
  if (!asked || !about.value || about.value.view === view) return;
  if (!about.value.views.some((one) => one.view === view)) return;
  forget();
  try {
    const now = await asked.ask("view", { view });
    if (client !== asked) return;
    about.value = now;
    seek(target.value);
    if (selected.value) void select(selected.value);
    tell();
  } catch (error) {
    explain(error, () => void setView(view));
  }
}

// ---------------------------------------------------------------- seeking and drawing: the newest wish only

let serial = 0;
let pending: Omit<Wish, "serial"> | null = null;
let scheduled = false;
/** A wish is with the worker. */
let sent = false;
let mapDrawn = 0;
let mapShows: string | null = null;
const canvases = new Map<"board" | "map", HTMLCanvasElement>();

/** The canvas of the present recording. */
export function useCanvas(role: "board" | "map", canvas: HTMLCanvasElement) {
  canvases.set(role, canvas);
  if (role === "map") mapShows = null;
  client?.attach(role, canvas);
  redraw();
}

export function dropCanvas(role: "board" | "map", canvas: HTMLCanvasElement) {
  if (canvases.get(role) === canvas) canvases.delete(role);
}

function want(part: Omit<Wish, "serial">) {
  pending = { ...pending, ...part };
  wishing.value = true;
  if (scheduled) return;
  scheduled = true;
  // At once where the worker is free; else a newer wish replaces the older one at most once a frame.
  if (sent) requestAnimationFrame(send);
  else queueMicrotask(send);
}

function send() {
  scheduled = false;
  const known = about.value;
  if (!client || !known || !pending) {
    wishing.value = false;
    pending = null;
    return;
  }
  const wish: Wish = { ...pending, serial: ++serial };
  pending = null;
  const picture = pictureNow.value;
  if (known.has_board && picture) {
    wish.picture = selected.value ? { ...picture, select: selected.value } : picture;
    const map = canvases.has("map") ? mapPicture.value : null;
    const shows = map && `${target.value} ${known.view} ${map.width} ${map.scale}`;
    const now = performance.now();
    // The small map is drawn when it changes, and while playing a few times a second.
    if (map && shows !== mapShows && (playing.value === 0 || now - mapDrawn > 300)) {
      wish.map = map;
      mapShows = shows;
      mapDrawn = now;
    }
  }
  sent = true;
  client.wish(wish);
}

function redraw() {
  if (about.value) want({});
}

function settle(of: number) {
  if (of !== serial) return;
  sent = false;
  if (!pending) wishing.value = false;
}

function take(of: number, now: Shown | null) {
  if (now) {
    batch(() => {
      const before = shown.value;
      shown.value = now;
      reached.value = Math.max(reached.value, now.moment);
      if (playing.value === 0 && !pending?.seek && of === serial) target.value = now.moment;
      record(now, before);
    });
    follow();
  }
  settle(of);
}

/** Lines go into the log of events at the moment where they were seen. */
function record(now: Shown, before: Shown | null) {
  const from = since !== null && before ? since : now.moment - 1;
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
  const others = log.value.filter(({ moment }) => moment <= from || moment > now.moment);
  if (said.length === 0 && others.length === log.value.length) return;
  log.value = [...others, ...said].sort((a, b) => a.moment - b.moment).slice(-2000);
  // Who listens hears what happens, not more often than can be heard.
  const heard = performance.now();
  if (playing.value === 1 && said.length > 0 && heard - lastHeard > 4000) {
    lastHeard = heard;
    announced.value = said[0]!.text;
  }
}

let lastHeard = 0;
let since: number | null = null;

function clamp(moment: number): number {
  const known = about.value;
  if (!known) return 0;
  return Math.max(known.begin, Math.min(known.end, Math.round(moment)));
}

export function seek(moment: number, after: number | null = null) {
  if (!about.value) return;
  const to = clamp(moment);
  since = after;
  head = to;
  target.value = to;
  want({ seek: { to, since: after } });
}

/** A seek by hand: says where it led. */
export function jump(moment: number) {
  const wasPlaying = playing.value;
  seek(moment);
  if (wasPlaying === 0) announced.value = `At ${timeText(target.value)}`;
}

export async function goTo(text: string): Promise<string | null> {
  if (!client || text.trim() === "") return null;
  try {
    const { moment } = await client.ask("find", { text: text.trim() });
    jump(moment);
    return null;
  } catch (error) {
    if (error instanceof Stale) return null;
    return error instanceof Error ? error.message : String(error);
  }
}

let stepping = false;

export async function step(forward: boolean, by: "change" | "tick" | "turn") {
  const asked = client;
  if (!asked || !about.value) return;
  pause();
  // A held key asks faster than steps are found.
  if (stepping) return;
  stepping = true;
  try {
    const now = await asked.ask("step", { from: target.value, forward, by });
    if (client !== asked) return;
    since = null;
    batch(() => {
      const before = shown.value;
      head = now.moment;
      target.value = now.moment;
      shown.value = now;
      reached.value = Math.max(reached.value, now.moment);
      record(now, before);
      announced.value = [`At ${now.time}`, ...now.lines.slice(0, 3).map(({ text }) => text)].join(". ");
    });
    redraw();
    follow();
  } catch (error) {
    explain(error, () => void step(forward, by));
  } finally {
    stepping = false;
  }
}

/** To the next or previous of these moments. */
function hop(moments: readonly number[], forward: boolean) {
  const now = target.value;
  const to = forward ? moments.find((moment) => moment > now) : moments.findLast((moment) => moment < now);
  if (to === undefined) say(forward ? "Nothing further ahead" : "Nothing further back");
  else jump(to);
}

export function stepMarker(forward: boolean) {
  hop(
    visibleEvents.value.map(({ moment }) => moment),
    forward,
  );
}

export function stepHighlight(forward: boolean) {
  hop(
    [...highlights.value.map(({ start }) => start), ...bookmarks.value.map(({ moment }) => moment)].sort(
      (a, b) => a - b,
    ),
    forward,
  );
}

// ---------------------------------------------------------------- playing

let head = 0;
let last = 0;
let ticking = false;

export function play(direction: -1 | 1 = 1) {
  const known = about.value;
  if (!known) return;
  if (direction === 1 && target.value >= known.end && !loop.value) seek(known.begin);
  if (direction === -1 && target.value <= known.begin && !loop.value) return;
  head = target.value;
  playing.value = direction;
  last = performance.now();
  if (!ticking) requestAnimationFrame(frame);
  ticking = true;
}

export function pause() {
  if (playing.value !== 0) {
    playing.value = 0;
    announced.value = `Paused at ${nowText.value}`;
    redraw();
  }
}

export function toggle() {
  if (playing.value === 0) play(1);
  else pause();
}

/** J and L: play that way; again: faster. */
export function shuttle(direction: -1 | 1) {
  if (playing.value === direction) faster(true);
  else play(direction);
}

export function faster(more: boolean) {
  const at = SPEEDS.findIndex((one) => one >= speed.value);
  speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + (more ? 1 : -1)))]!;
  announced.value = `Speed ${speed.value} times`;
}

function frame(now: number) {
  ticking = false;
  const known = about.value;
  if (playing.value === 0 || !known) return;
  // The first frame may have begun before play was asked for.
  const passed = Math.min(Math.max(now - last, 0), 250) / 1000;
  last = now;
  // One wish at a time: a slow machine shows fewer pictures, never late ones.
  head += playing.value * speed.value * rate(known) * passed;
  const range = loop.value;
  if (range && (playing.value === 1 ? head >= range.end : head <= range.start)) {
    head = playing.value === 1 ? range.start : range.end;
  }
  const ends = playing.value === 1 ? head >= known.end : head <= known.begin;
  const to = clamp(Math.floor(head));
  if (to !== target.value && (!wishing.value || ends)) {
    const from = shown.value?.moment ?? null;
    const exact = head;
    seek(to, playing.value === 1 && from !== null && from < to && to - from < rate(known) * 30 ? from : null);
    head = exact;
  }
  if (ends) {
    pause();
    return;
  }
  ticking = true;
  requestAnimationFrame(frame);
}

// ---------------------------------------------------------------- loop, bookmarks, markers

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
  const [a, b] = [clamp(Math.min(start, end)), clamp(Math.max(start, end))];
  if (b - a < 1) return;
  loop.value = { start: a, end: b };
  announced.value = `Loop from ${timeText(a)} to ${timeText(b)}`;
}

/** One end of the loop is here. */
export function loopFromHere(isStart: boolean) {
  const known = about.value;
  if (!known) return;
  const now = target.value;
  const other = loop.value ?? { start: now, end: known.end };
  if (isStart) setLoop(now, other.end > now ? other.end : known.end);
  else setLoop(other.start < now && loop.value ? other.start : known.begin, now);
}

function bookmarkKey(): string | null {
  const known = about.value;
  return known ? `bookmarks:${known.name}:${known.end}` : null;
}

function keptBookmarks(): Bookmark[] {
  const key = bookmarkKey();
  try {
    const value = JSON.parse((key && localStorage.getItem(`gametape:${key}`)) || "[]") as Bookmark[];
    return Array.isArray(value)
      ? value
          .filter((one) => typeof one.moment === "number")
          .map((one) => ({ moment: one.moment, time: String(one.time ?? ""), note: String(one.note ?? "") }))
      : [];
  } catch {
    return [];
  }
}

function setBookmarks(list: Bookmark[]) {
  bookmarks.value = list;
  const key = bookmarkKey();
  if (key) keep(key, JSON.stringify(list));
}

export function toggleBookmark(moment = target.value) {
  if (!about.value) return;
  if (bookmarks.value.some((one) => one.moment === moment)) {
    setBookmarks(bookmarks.value.filter((one) => one.moment !== moment));
    say("Bookmark removed");
  } else {
    const time = moment === shown.value?.moment ? shown.value.time : timeText(moment);
    setBookmarks([...bookmarks.value, { moment, time, note: "" }].sort((a, b) => a.moment - b.moment));
    say(`Bookmark at ${time}`);
  }
}

export function noteBookmark(moment: number, note: string) {
  setBookmarks(bookmarks.value.map((one) => (one.moment === moment ? { ...one, note } : one)));
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

// ---------------------------------------------------------------- the board: camera, hover, selection

/** The middle of the picture in tiles from the upper left corner of the board, and CSS pixels of a tile. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}
/** null: all of the board fits. */
export const camera = signal<Camera | null>(null);
export const stage = signal<{ width: number; height: number; ratio: number }>({
  width: 0,
  height: 0,
  ratio: 1,
});
const MAX_ZOOM = 160;

export const fitting = computed<Camera | null>(() => {
  const board = about.value?.board;
  const { width, height } = stage.value;
  if (!board || board.width <= 0 || board.height <= 0 || width === 0 || height === 0) return null;
  const zoom = Math.min((width - 32) / board.width, (height - 32) / board.height);
  return { x: board.width / 2, y: board.height / 2, zoom: Math.min(Math.max(zoom, 0.01), 96) };
});
export const cameraNow = computed(() => camera.value ?? fitting.value);

function pictureOf(at: Camera, width: number, height: number, ratio: number): Picture {
  const scale = at.zoom * ratio;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  return {
    width: w,
    height: h,
    scale,
    x: Math.round(w / 2 - at.x * scale),
    y: Math.round(h / 2 - at.y * scale),
  };
}

const pictureNow = computed<Picture | null>(() => {
  const at = cameraNow.value;
  const { width, height, ratio } = stage.value;
  return at && width > 0 ? pictureOf(at, width, height, ratio) : null;
});

/** The small map is there when the picture does not show all. */
export const mapSize = { width: 148, height: 128 };
export const mapShown = computed(() => {
  const at = cameraNow.value;
  const fit = fitting.value;
  return at !== null && fit !== null && at.zoom > fit.zoom * 1.15 && stage.value.width >= 480;
});
export const mapCamera = computed<Camera | null>(() => {
  const board = about.value?.board;
  if (!board) return null;
  const zoom = Math.min((mapSize.width - 8) / board.width, (mapSize.height - 8) / board.height);
  return { x: board.width / 2, y: board.height / 2, zoom };
});
const mapPicture = computed<Picture | null>(() =>
  mapShown.value && mapCamera.value
    ? pictureOf(mapCamera.value, mapSize.width, mapSize.height, stage.value.ratio)
    : null,
);

/** What is drawn changes with these. */
effect(() => {
  void pictureNow.value;
  void mapPicture.value;
  redraw();
});

export function moveCamera(at: Camera) {
  const board = about.value?.board;
  const fit = fitting.value;
  if (!board || !fit) return;
  const zoom = Math.min(Math.max(at.zoom, Math.min(fit.zoom, 4) * 0.8), Math.max(MAX_ZOOM, fit.zoom));
  // The middle of the picture stays on the board.
  const x = Math.min(Math.max(at.x, 0), board.width);
  const y = Math.min(Math.max(at.y, 0), board.height);
  camera.value = { x, y, zoom };
}

/** Zooms so that the point of the stage stays where it is. */
export function zoomBy(factor: number, point?: { x: number; y: number }) {
  const at = cameraNow.value;
  if (!at) return;
  const { width, height } = stage.value;
  const [dx, dy] = [(point?.x ?? width / 2) - width / 2, (point?.y ?? height / 2) - height / 2];
  const limit = Math.min(fitting.value?.zoom ?? 1, 4) * 0.8;
  const zoom = Math.min(Math.max(at.zoom * factor, limit), MAX_ZOOM);
  moveCamera({ x: at.x + dx / at.zoom - dx / zoom, y: at.y + dy / at.zoom - dy / zoom, zoom });
}

/** By CSS pixels. */
export function panBy(dx: number, dy: number) {
  const at = cameraNow.value;
  if (at) moveCamera({ ...at, x: at.x + dx / at.zoom, y: at.y + dy / at.zoom });
}

export function fit() {
  camera.value = null;
}

function cameraOf(text: string | null): Camera | null {
  const [x, y, zoom] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined) return null;
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : null;
}

export interface Hover {
  tile: Tile;
  x: number;
  y: number;
  card: Inspection | null;
}
export const hovered = signal<Hover | null>(null);
export const selected = signal<Tile | null>(null);
export const inspection = signal<Inspection | null>(null);
export const changes = signal<Change[] | "asked" | null>(null);

/** Runs one at a time and keeps only the newest wish. */
function newest<T>(work: (wish: T) => Promise<void>): (wish: T) => void {
  let next: { wish: T } | null = null;
  let running = false;
  return (wish) => {
    next = { wish };
    if (running) return;
    running = true;
    void (async () => {
      while (next) {
        const { wish: mine } = next as { wish: T };
        next = null;
        try {
          await work(mine);
        } catch (error) {
          if (!(error instanceof Stale)) console.warn(error);
        }
      }
      running = false;
    })();
  };
}

async function pick(x: number, y: number): Promise<Tile | null> {
  const picture = pictureNow.value;
  const ratio = stage.value.ratio;
  if (!client || !picture) return null;
  const { tile } = await client.ask("pick", {
    ...picture,
    px: Math.round(x * ratio),
    py: Math.round(y * ratio),
  });
  return tile;
}

/** The pointer is over this point of the stage. */
export const hover = newest<{ x: number; y: number } | null>(async (point) => {
  if (!point || !client || !about.value?.has_board) {
    hovered.value = null;
    return;
  }
  const tile = await pick(point.x, point.y);
  if (!tile) {
    hovered.value = null;
    return;
  }
  const old = hovered.value;
  const same = old && old.tile[0] === tile[0] && old.tile[1] === tile[1];
  const card = same ? old.card : await client.ask("inspect", { tile });
  hovered.value = { tile, ...point, card };
});

/** Where the selection is on the board, in tiles; moves with the keys. */
let cursor: { x: number; y: number } | null = null;

/** The card of the selected tile does not lie on it. */
export const cardSide = signal<"left" | "right">("right");

export async function selectAt(x: number, y: number) {
  cardSide.value = x > stage.value.width - 300 && x > 320 ? "left" : "right";
  try {
    const tile = await pick(x, y);
    const at = cameraNow.value;
    if (tile && at) {
      cursor = {
        x: at.x + (x - stage.value.width / 2) / at.zoom,
        y: at.y + (y - stage.value.height / 2) / at.zoom,
      };
      await select(tile);
    } else select_none();
  } catch (error) {
    explain(error, null);
  }
}

export async function moveSelection(dx: number, dy: number) {
  const at = cameraNow.value;
  const { width, height } = stage.value;
  if (!at) return;
  const from = selected.value && cursor ? cursor : { x: at.x, y: at.y };
  const to = selected.value && cursor ? { x: from.x + dx, y: from.y + dy } : from;
  const point = { x: (to.x - at.x) * at.zoom + width / 2, y: (to.y - at.y) * at.zoom + height / 2 };
  try {
    const tile = await pick(point.x, point.y);
    if (!tile) return;
    cursor = to;
    if (point.x < 0 || point.y < 0 || point.x > width || point.y > height) moveCamera({ ...at, ...to });
    await select(tile);
    announced.value = inspection.value?.title ?? "";
  } catch (error) {
    explain(error, null);
  }
}

export async function select(tile: Tile) {
  const asked = client;
  if (!asked) return;
  batch(() => {
    selected.value = tile;
    changes.value = null;
  });
  redraw();
  try {
    const card = await asked.ask("inspect", { tile });
    if (selected.value !== tile) return;
    inspection.value = card;
    if (playing.value === 0) await askHistory();
  } catch (error) {
    explain(error, () => void select(tile));
  }
}

export async function askHistory() {
  const tile = selected.value;
  if (!client || !tile) return;
  changes.value = "asked";
  try {
    const found = (await client.ask("history", { tile })).changes;
    if (selected.value === tile) changes.value = found;
  } catch (error) {
    if (selected.value === tile) changes.value = null;
    explain(error, () => void askHistory());
  }
}

function select_none() {
  batch(() => {
    selected.value = null;
    inspection.value = null;
    changes.value = null;
  });
  redraw();
}
export const unselect = select_none;

// ---------------------------------------------------------------- panels that follow the position

export const messages = signal<string[] | null>(null);
export const tree = signal<{ rows: TreeRow[]; first: number; total: number } | null>(null);
export const treeOpen = signal<string[]>([]);
export const treeWindow = signal<{ first: number; count: number }>({ first: 0, count: 40 });
export const treeSought = signal<string | null>(null);
export const search = signal<{ text: string; found: Found[] | null; refused: string | null } | null>(null);

const inspectAgain = newest<Tile>(async (tile) => {
  const card = (await client?.ask("inspect", { tile })) ?? null;
  if (selected.value === tile) inspection.value = card;
});

const readMessages = newest<void>(async () => {
  if (client) messages.value = (await client.ask("messages", {})).rows;
});

const readTree = newest<void>(async () => {
  if (!client) return;
  const { first, count } = treeWindow.value;
  const { rows, total } = await client.ask("tree", { open: treeOpen.value, first, count });
  tree.value = { rows, first, total };
});

/** The position or the panel changed: what is shown of it is read again. */
function follow() {
  if (!shown.value) return;
  if (selected.value) inspectAgain(selected.value);
  if (openTab.value === "messages") readMessages();
  if (openTab.value === "state") readTree();
}
effect(() => {
  if (openTab.value === "messages" || openTab.value === "state") {
    void treeOpen.value;
    void treeWindow.value;
    untracked(follow);
  }
});

export function toggleBranch(path: string) {
  const now = treeOpen.value;
  treeOpen.value = now.includes(path) ? now.filter((one) => one !== path) : [...now, path];
}

/** Opens what is above a path, and finds its row. */
export async function showPath(path: string) {
  const asked = client;
  if (!asked) return;
  tab.value = "state";
  const isAbove = (row: TreeRow) =>
    row.is_branch && !row.is_open && path.startsWith(row.path) && !/\w/.test(path[row.path.length] ?? "x");
  try {
    const count = 1000;
    for (let first = 0; client === asked; ) {
      const { rows, total } = await asked.ask("tree", { open: treeOpen.value, first, count });
      const at = rows.findIndex((row) => row.path === path);
      if (at >= 0) {
        treeWindow.value = { ...treeWindow.value, first: Math.max(0, first + at - 4) };
        treeSought.value = path;
        return;
      }
      const above = rows.find(isAbove);
      if (above) {
        // Its rows follow it.
        treeOpen.value = [...treeOpen.value, above.path];
        first += rows.indexOf(above);
        continue;
      }
      // Fewer rows may come than were asked for.
      first += rows.length;
      if (first >= total || rows.length === 0) break;
    }
    say(`${path} is not there at this moment`);
  } catch (error) {
    explain(error, null);
  }
}

const runSearch = newest<string>(async (text) => {
  if (!client) return;
  try {
    const { found } = await client.ask("search", { text });
    if (search.value?.text === text) {
      search.value = {
        text,
        found: found.filter(({ moment }) => (moment ?? 0) <= horizon.value),
        refused: null,
      };
    }
  } catch (error) {
    if (error instanceof Stale) return;
    if (search.value?.text === text)
      search.value = { text, found: [], refused: String((error as Error).message) };
  }
});

export function searchFor(text: string) {
  search.value = { text, found: search.value?.found ?? null, refused: null };
  if (text.trim()) runSearch(text);
  else search.value = { text: "", found: null, refused: null };
}

// ---------------------------------------------------------------- share

export function link(): string {
  const params: Record<string, string> = {};
  if (origin?.kind === "url") params.src = new URLSearchParams(location.search).get("src") ?? origin.url;
  const known = about.value;
  if (known) {
    params.t = known.is_gamelog
      ? `tick:${Math.max(0, target.value - 1)}`
      : (shown.value?.time ?? timeText(target.value));
    if (known.view !== null && known.view !== known.views[0]?.view) params.view = String(known.view);
  }
  if (camera.value) {
    const { x, y, zoom } = camera.value;
    params.c = [x.toFixed(1), y.toFixed(1), zoom.toFixed(1)].join(",");
  }
  if (selected.value) params.s = selected.value.join(",");
  return address(params);
}

export async function copyLink(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(link());
    say("Link copied");
    return true;
  } catch {
    return false;
  }
}

export async function savePicture() {
  if (!client || !about.value?.has_board) return;
  try {
    const blob = await client.picture();
    if (!blob) return;
    const at = document.createElement("a");
    at.href = URL.createObjectURL(blob);
    const stem = about.value.name.replace(/\.[a-z0-9]+$/i, "");
    at.download = `${stem} ${nowText.value.replace(/:/g, ".")}.png`;
    at.click();
    setTimeout(() => URL.revokeObjectURL(at.href), 10_000);
    say(`Saved ${at.download}`);
  } catch (error) {
    explain(error, null);
  }
}

/** For tests and for comparing with the tool. */
export async function stateHash(): Promise<string | null> {
  return client ? (await client.ask("hash", {})).hash : null;
}

export function lengthOf(entry: MatchEntry): string {
  if (typeof entry.seconds === "number") return clock(entry.seconds, false);
  if (typeof entry.turns === "number") return `${entry.turns} turns`;
  return "";
}
