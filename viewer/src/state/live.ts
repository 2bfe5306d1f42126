// A match while it is played: what comes of it, how far from live the page is, and moments that are not here any more.
import { batch, computed, signal } from "@preact/signals";
import { Stale } from "../client.ts";
import type { LiveNotice, Lost } from "../generated/live.ts";
import type { About } from "../generated/shapes.ts";
import { Growing } from "../growing.ts";
import { type FromLive, type Link, type ToLive, WAYS, type Way } from "../live/messages.ts";
import { Pacer } from "../live/pace.ts";
import { rate } from "../words.ts";
import { closeAside } from "./aside.ts";
import { atLive, edge, fetching, fromStart, target } from "./clock.ts";
import { ofRecording, whenClosed } from "./lifetime.ts";
import { announced, explain, opening, place, problem, say } from "./page.ts";
import { lastMoment, lostLive, timeText } from "./position.ts";
import { about, main, shown } from "./side.ts";
import { isOther, isSplit, second } from "./split.ts";
import { behind, goLive, growth, play, seek } from "./time.ts";

/** A match that can be watched live. */
export interface LiveMatch {
  match: string;
  title: string;
  views: number[];
  delay_ticks: number;
  tick_us: number;
  tick: number;
  over: boolean;
  seats: number;
}

/** Seconds that are held by messages and by segments. */
const TARGETS: Record<Way, number> = { webtransport: 0.15, websocket: 0.15, segments: 1 };
/** Nearer to the end than this, in seconds, is called live. */
const NEAR = 3;
/** Somebody who joined has what was played before after this time, in milliseconds. */
const SETTLING = 3000;
/** The list of live matches is read again after this time, in milliseconds. */
const LIST_EVERY = 5000;
/** A story of a match that goes on is asked for again after this time, in milliseconds. */
const STORY_EVERY = 4000;

/** The name of the live match on the page; null: it is a recording. */
export const liveName = ofRecording<string | null>(null);
export const liveLink = ofRecording<Link | null>(null);
/** How much later than it is played the match comes, in seconds. */
export const delay = ofRecording(0);
/** Views that may be seen. */
export const permitted = ofRecording<number[]>([]);
/** Times without a connection: moments at which it broke off and was back. */
export const interruptions = ofRecording<{ start: number; end: number | null }[]>([]);
export const liveMatches = signal<LiveMatch[]>([]);

/** Does more of it come? */
export const isGrowing = computed(() => edge.value !== null);

/** What is said of where the position is: LIVE, how far from live, or that it is over. */
export const liveText = computed(() => {
  if (liveName.value === null) return null;
  if (!isGrowing.value) return liveLink.value?.state === "over" ? "Match over" : "Not live";
  if (atLive.value && behind.value < NEAR + (pacer?.target ?? 0)) return "LIVE";
  return `${behind.value >= 60 ? timeText(1 + behind.value * rateNow(), false) : Math.round(behind.value)}${
    behind.value >= 60 ? "" : " s"
  } behind live`;
});

function rateNow(): number {
  return about.value ? rate(about.value) : 10;
}

/** A tape of the match; the page goes on with the next one when it has what is wished. */
interface Tape {
  number: number;
  growing: Growing;
  /** The tick that it begins with. */
  first: number;
  /** The last moment that can be shown. */
  last: number | null;
  isOver: boolean;
}

/** What shows a recording; the part of the page that opens recordings says how. */
export const shower: { show(tape: Growing, name: string): Promise<void> } = {
  show: async () => {},
};
/** Asks for the story again; the same. */
export const teller = { tell() {} };

let worker: Worker | null = null;
/** The tape on the page, and the one that comes. */
let current: Tape | null = null;
let next: Tape | null = null;
let pacer: Pacer | null = null;
let told = 0;
/** Until then what comes is what was played before it was joined. */
let settled = 0;

/** The pass of the page's address. */
export function passOf(): string {
  return new URLSearchParams(location.search).get("pass") ?? "";
}

function waysOf(): Way[] {
  const wanted = new URLSearchParams(location.search).get("by")?.split(",");
  return WAYS.filter((way) => !wanted || wanted.includes(way));
}

/** The view that the address names, where that is a number. */
function viewOf(): number {
  const named = Number(new URLSearchParams(location.search).get("view") ?? 0);
  return Number.isInteger(named) && named >= 0 && named <= 15 ? named : 0;
}

export function watchLive(match: string) {
  liveName.value = match;
  fromStart.value = true;
  liveLink.value = { state: "connecting", way: null, text: "" };
  const at = (name: string) => new URL(name, document.baseURI).href;
  const mine = new Worker(at("live.js"));
  worker = mine;
  mine.onmessage = ({ data }: MessageEvent<FromLive>) => {
    if (worker === mine) hear(data);
  };
  mine.onerror = (event) => {
    event.preventDefault();
    if (worker === mine) fail(event.message || "The part of the page for live matches could not be loaded.");
  };
  void listed(match).then((found) => {
    if (worker !== mine) return;
    const views = found?.views ?? [];
    permitted.value = views;
    const wanted = viewOf();
    const view = views.includes(wanted) ? wanted : (views[0] ?? wanted);
    send({
      type: "open",
      wasm: at("live.wasm"),
      base: at("."),
      match,
      pass: passOf(),
      ways: waysOf(),
      view,
    });
  });
}

whenClosed(() => {
  worker?.terminate();
  [worker, current, next, pacer] = [null, null, null, null];
});

function send(message: ToLive) {
  worker?.postMessage(message);
}

function fail(text: string) {
  liveLink.value = { state: "lost", way: null, text };
  if (!about.value) problem.value = { text, retry: tryAgain };
}

/** After it was given up. */
export function tryAgain() {
  problem.value = null;
  liveLink.value = { state: "connecting", way: null, text: "" };
  send({ type: "again" });
}

// ---------------------------------------------------------------- what comes

function hear(message: FromLive) {
  if (message.type === "link") linked(message.link);
  else came(message);
}

function linked(now: Link) {
  const before = liveLink.value;
  liveLink.value = now;
  if (now.way && now.state === "open" && pacer?.target !== TARGETS[now.way])
    pacer = new Pacer(TARGETS[now.way]);
  const open = interruptions.value.at(-1);
  if (now.state === "again" && before?.state !== "again" && edge.value !== null) {
    interruptions.value = [...interruptions.value, { start: edge.value, end: null }];
    announced.value = "The connection broke off";
  } else if (now.state === "open" && open && open.end === null) {
    const ended = { ...open, end: edge.value ?? open.start };
    interruptions.value = [...interruptions.value.slice(0, -1), ended];
    announced.value = "Connected again";
  }
  if (now.state === "lost" || now.state === "refused") giveUp(now);
}

function giveUp({ state, text }: Link) {
  if (!about.value) {
    opening.value = false;
    problem.value = { text: `${text}.`, retry: state === "lost" ? tryAgain : null };
  } else if (fetching.value !== null) {
    // What was wished does not come: the position stays where it was.
    fetching.value = null;
    target.value = shown.value?.moment ?? target.value;
    say("That part of the match cannot be had any more");
  }
}

function came({ tape, told, bytes }: Extract<FromLive, { type: "came" }>) {
  batch(() => {
    if (tape !== current?.number && tape !== next?.number) {
      next = { number: tape, growing: new Growing(), first: 0, last: null, isOver: false };
    }
    const of = tape === current?.number ? current : next!;
    of.growing.add(bytes);
    for (const one of told) take(of, one);
    if (of === next) useNext();
    else growTo(of);
  });
  if (current?.isOver && current.number === tape) over();
}

function take(of: Tape, one: LiveNotice) {
  if ("welcome" in one) {
    permitted.value = one.welcome.views;
    delay.value = (one.welcome.delay * one.welcome.tick_micros) / 1e6;
  }
  if ("began" in one) of.first = one.began;
  // Before that the keyframe that it begins with may still be on its way.
  if ("shown" in one && one.shown >= of.first) of.last = one.shown + 1;
  if ("over" in one) of.isOver = true;
  if ("lost" in one) lose(one.lost);
}

/** The end moves; never back, also while another tape is still shorter than the last one. */
function growTo({ last }: Tape) {
  if (last !== null && edge.value !== null && last > edge.value) edge.value = last;
  tellNow();
}

function lose({ view, first, last, parts }: Lost) {
  // What is lost of other views is not this one's.
  if (about.value && !about.value.seen.includes(view)) return;
  const [start, end] = [first + 1, last + 1];
  const span = `${timeText(start)} to ${timeText(end)}`;
  const text = parts > 0 ? `details were lost on the way, ${span}` : `lost on the way: ${span}`;
  const before = lostLive.value.at(-1);
  // Losses that follow each other are one.
  const joins = before && parts > 0 && before.end !== null && start - before.end <= rateNow() * 2;
  const one = joins
    ? {
        ...before,
        end,
        text: `details were lost on the way, ${timeText(before.start!)} to ${timeText(end)}`,
      }
    : { text, start, end };
  lostLive.value = [...(joins ? lostLive.value.slice(0, -1) : lostLive.value), one].slice(-100);
}

/** The story grows with the match. */
function tellNow() {
  const now = performance.now();
  if (now - told < STORY_EVERY || !about.value) return;
  told = now;
  teller.tell();
}

/** Everything is there: it is a recording like others now. */
function over() {
  if (edge.value === null || !about.value) return;
  const asked = main.client;
  asked
    ?.ask("open", {})
    .then((known) => {
      if (main.client !== asked) return;
      batch(() => {
        about.value = withPermitted(known);
        edge.value = null;
        atLive.value = false;
      });
      announced.value = "The match is over";
      teller.tell();
      // What was played before it was joined is wanted now, too: nothing else comes.
      if (known.begin > 1) send({ type: "seek", tick: 0 });
    })
    .catch((error) => explain(error, null));
}

// ---------------------------------------------------------------- the first tape, and others

/** Goes on with the next tape as soon as it has the moment that is wished. */
function useNext() {
  const tape = next;
  if (!tape || tape.last === null) return;
  const wanted = fetching.value ?? target.value;
  const isFirst = current === null;
  if (!isFirst && !tape.isOver && tape.last < Math.min(wanted, lastMoment.value)) return;
  current = tape;
  next = null;
  settled = performance.now() + SETTLING;
  if (isFirst) void begin(tape);
  else void goOn(tape);
}

async function begin(tape: Tape) {
  place.value = "match";
  await shower.show(tape.growing, liveName.value ?? "live");
  if (current !== tape || !about.value) return;
  batch(() => {
    about.value = withPermitted(about.value!);
    edge.value = Math.max(tape.last ?? 0, about.value.end);
  });
  if (tape.isOver) return over();
  const time = new URLSearchParams(location.search).get("t");
  const moment = time === null ? null : liveMoment(time);
  if (moment === null) goLive();
  else {
    seek(moment);
    play(1);
  }
}

/** Another tape of the same match, at the same place on the page. */
async function goOn(tape: Tape) {
  const origin = { kind: "live", tape: tape.growing, name: liveName.value ?? "live" } as const;
  const seen = about.value?.seen ?? [];
  const alsoSecond = isSplit.value && !isOther.value;
  const secondSeen = second.about.value?.seen ?? [];
  const wanted = fetching.value ?? target.value;
  closeAside();
  main.restart(origin, seen);
  if (alsoSecond) second.restart(origin, secondSeen);
  const asked = main.client;
  try {
    const known = await asked!.ask("open", {});
    if (main.client !== asked || current !== tape) return;
    batch(() => {
      const last = Math.max(lastMoment.value, tape.last ?? 0);
      about.value = withPermitted(known);
      fetching.value = null;
      edge.value = last;
    });
    if (alsoSecond && second.client) {
      const right = await second.client.ask("open", {});
      second.about.value = withPermitted(right);
    }
    if (atLive.value) goLive();
    else seek(wanted);
    teller.tell();
    if (tape.isOver) over();
  } catch (error) {
    if (!(error instanceof Stale)) explain(error, () => void goOn(tape));
  }
}

/** All views that the pass allows can be chosen, also those that are not in this tape. */
function withPermitted(known: About): About {
  const missing = permitted.value.filter((view) => !known.views.some((one) => one.view === view));
  if (missing.length === 0) return known;
  const views = missing.map((view) => ({
    view,
    name: view === 0 ? "All" : (known.players[view - 1]?.name ?? `View ${view}`),
    colour: known.players[view - 1]?.colour ?? null,
  }));
  return { ...known, views: [...known.views, ...views].sort((a, b) => a.view - b.view) };
}

/** Another view of a live match: by segments one comes at a time, and another tape begins with it. True where that is so. */
export function fetchView(view: number): boolean {
  send({ type: "view", view });
  if (liveLink.value?.way !== "segments" || !permitted.value.includes(view)) return false;
  fetching.value = target.value;
  about.value = about.value && { ...about.value, seen: [view] };
  send({ type: "seek", tick: atLive.value ? null : Math.max(0, target.value - 1) });
  return true;
}

growth.fetch = (moment) => {
  const isNew = fetching.value !== moment;
  fetching.value = moment;
  if (isNew) fetchSoon();
};

/** While somebody drags the position only the newest wish is sent, one at a time. */
let waiting: ReturnType<typeof setTimeout> | null = null;
function fetchSoon() {
  if (waiting !== null) return;
  waiting = setTimeout(() => {
    waiting = null;
    if (fetching.value === null) return;
    next = null;
    send({ type: "seek", tick: Math.max(0, fetching.value - 1) });
  }, 150);
}

growth.pace = (seconds) => {
  pacer ??= new Pacer(TARGETS.websocket);
  // Just joined, what was played before still comes in.
  if (performance.now() < settled && seconds > pacer.target * 2 + 1) return null;
  return pacer.pace(seconds);
};
growth.target = () => pacer?.target ?? TARGETS.websocket;

/** The moment of a time that somebody wrote, where it is one since the start: 3:37.6, tick:40, 90s. */
export function liveMoment(text: string): number | null {
  const known = about.value;
  if (!known || known.tick_micros <= 0) return null;
  const [, tick] = /^tick:(\d+)$/.exec(text) ?? [];
  if (tick) return Number(tick) + 1;
  const [, hours, minutes, seconds] = /^(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const plain = /^(\d+(?:\.\d+)?)s$/.exec(text)?.[1];
  if (!seconds && !plain) return null;
  const all = plain ? Number(plain) : Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return Math.floor((all * 1e6) / known.tick_micros) + 1;
}

// ---------------------------------------------------------------- which matches there are

/** The live matches of the server; null where it has no such list. */
async function readLive(): Promise<LiveMatch[] | null> {
  if (!location.protocol.startsWith("http")) return null;
  try {
    const pass = passOf();
    const headers: Record<string, string> = pass ? { authorization: `Bearer ${pass}` } : {};
    const response = await fetch("live/matches.json", { cache: "no-store", headers });
    if (!response.ok) return null;
    const value = (await response.json()) as { matches?: LiveMatch[] };
    return Array.isArray(value.matches) ? value.matches.filter((one) => typeof one.match === "string") : [];
  } catch {
    return null;
  }
}

async function listed(match: string): Promise<LiveMatch | undefined> {
  return (await readLive())?.find((one) => one.match === match);
}

/** Was there ever a list? */
let hasList = false;
let reading: ReturnType<typeof setTimeout> | null = null;

/** The list of live matches, again and again while the page of matches is there. */
export async function readLiveMatches() {
  if (reading !== null) clearTimeout(reading);
  reading = null;
  const found = await readLive();
  hasList ||= found !== null;
  liveMatches.value = found ?? [];
  const isListed = place.value === "matches" || place.value === "start";
  if (place.value === "start" && liveMatches.value.length > 0) place.value = "matches";
  // A page without such a server asks once.
  if (isListed && hasList) reading = setTimeout(readLiveMatches, LIST_EVERY);
}
