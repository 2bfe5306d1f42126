// The worker of a live match: connections, falling back from one way to the next, connecting again.
import init, { type Seat } from "#live";
import type { LiveNotice } from "../generated/live.ts";
import { request } from "../source.ts";
import type { FromLive, Link, Opening, ToLive, Way } from "./messages.ts";
import {
  askAhead,
  type Listener,
  type Outcome,
  seatOf,
  type Visit,
  visitByMessages,
  visitBySegments,
} from "./visit.ts";

interface Scope {
  onmessage: ((event: MessageEvent<ToLive>) => void) | null;
  postMessage(message: FromLive, transfer?: Transferable[]): void;
}
const scope = self as unknown as Scope;

/** A connection that broke off is tried again for so long, in milliseconds, … */
const AGAIN_FOR = 30_000;
/** … of this the first part by the way that worked. */
const SAME_WAY_FOR = 10_000;
/** Pauses between tries, in milliseconds. */
const PAUSES = [100, 250, 500, 1000];

let opening: Opening | null = null;
let visit: Visit | null = null;
let running = false;
/** Tapes are numbered: each `began` is another one. */
let tape = 0;
/** The last tick that can be shown. */
let shown: number | null = null;
/** Where to begin, where somebody wished that before there was a connection. */
let wished: number | null = null;
/** Lets a pause end early. */
let wake: () => void = () => {};

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case "open":
      opening = data;
      void run(data);
      return;
    case "again":
      if (opening) void run(opening);
      return;
    case "view":
      if (opening) opening = { ...opening, view: data.view };
      return;
    case "seek":
      seek(data.tick);
      return;
  }
};

function seek(tick: number | null) {
  const isOther = visited?.view !== opening?.view;
  if (visit && visited?.way === "segments" && isOther) {
    // Another view by segments is another visit.
    wished = tick;
    isAnew = true;
    visit.stop();
  } else if (visit) visit.seek(tick);
  else if (seat) seat.seek(tick ?? -1);
  else wished = tick;
  // After the end of the match its parts may still be had.
  if (opening && !running) void run(opening);
}

/** By which way, and which view by segments. */
let visited: { way: Way; view: number } | null = null;
let isAnew = false;

function say(link: Link) {
  scope.postMessage({ type: "link", link });
}

function listenTo(way: Way): Listener {
  return {
    open: () => say({ state: "open", way, text: "" }),
    troubled: () => say({ state: "again", way, text: "The server cannot be reached" }),
    came: (told, bytes) => came(told, bytes),
  };
}

function came(told: LiveNotice[], bytes: Uint8Array<ArrayBuffer>) {
  for (const one of told) {
    if ("began" in one) {
      tape++;
      shown = null;
    }
    if ("shown" in one) shown = one.shown;
  }
  scope.postMessage({ type: "came", tape, told, bytes }, [bytes.buffer]);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
    setTimeout(resolve, milliseconds);
  });
}

/** Goes on until the match is over, refused or lost. */
async function run(first: Opening) {
  if (running) return wake();
  running = true;
  try {
    say({ state: "connecting", way: null, text: "" });
    if (first.ways[0] === "webtransport") askAhead(first.base);
    await init({ module_or_path: request(first.wasm) });
    await watch(first);
  } catch (error) {
    say({ state: "lost", way: null, text: error instanceof Error ? error.message : String(error) });
  }
  running = false;
}

let seat: Seat | null = null;

async function watch(first: Opening) {
  const { ways } = first;
  if (ways.length === 0) throw new Error("There is no way to watch it.");
  let at = 0;
  let tries = 0;
  /** The way that worked last, and when it ended. */
  let worked: { way: Way; ended: number } | null = null;
  const began = performance.now();
  let many: Link | null = null;
  for (;;) {
    const way = ways[at]!;
    const end = await go(way);
    if (end.over) return say({ state: "over", way, text: "" });
    if (isAnew) {
      isAnew = false;
      continue;
    }
    const wasWelcome = worked !== null || end.worked;
    if (end.worked) {
      worked = { way, ended: performance.now() };
      tries = 0;
    }
    if (end.refused && !mayPass(end.refused.why, wasWelcome)) {
      return say({ state: "refused", way, text: sentence(end.refused.text) });
    }
    many = end.refused?.why === "many" ? { state: "refused", way, text: sentence(end.refused.text) } : many;
    const since = performance.now() - (worked?.ended ?? began);
    if (worked && since < SAME_WAY_FOR) at = ways.indexOf(worked.way);
    else if (at + 1 < ways.length) {
      at++;
      continue;
    } else at = 0;
    if (since > AGAIN_FOR) {
      return say(many ?? { state: "lost", way, text: "The server cannot be reached" });
    }
    say({
      state: worked ? "again" : "connecting",
      way,
      text: worked ? "The connection broke off" : "The server cannot be reached yet",
    });
    await pause(PAUSES[Math.min(tries++, PAUSES.length - 1)]!);
  }
}

/** May another try help? A server that was started again does not know the match before its publisher is back. */
function mayPass(why: string, wasWelcome: boolean): boolean {
  return why === "many" || (why === "match" && wasWelcome);
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function go(way: Way): Promise<Outcome> {
  const now = opening!;
  visited = { way, view: now.view };
  if (way === "segments") {
    // Goes on where another way ended.
    const from = wished ?? shown;
    wished = null;
    visit = visitBySegments(now, from, listenTo(way));
  } else {
    seat ??= seatOf(now, wished ?? shown);
    wished = null;
    visit = visitByMessages(way, now, seat, listenTo(way));
  }
  const outcome = await visit.ended;
  visit = null;
  // What was begun by segments is another tape than that of a seat.
  if (way === "segments" && outcome.worked) seat = null;
  return outcome;
}
