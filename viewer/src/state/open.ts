// Opening recordings, and choosing who sees them.
import { batch, computed, signal } from "@preact/signals";
import { embedded, type Inside } from "../assets.ts";
import { Failure } from "../client.ts";
import type { Origin, Tile } from "../requests.ts";
import { clock } from "../words.ts";
import { asideBusy } from "./aside.ts";
import { readBookmarks } from "./bookmarks.ts";
import { type Camera, cameraOf } from "./camera.ts";
import { fetching, playing, target } from "./clock.ts";
import { story } from "./events.ts";
import { forget, forgetRecording } from "./lifetime.ts";
import { address } from "./links.ts";
import { fetchView, liveMatches, liveName, readLiveMatches, shower, teller, watchLive } from "./live.ts";
import { byHand, explain, onFailure, opening, place, problem, progress, say } from "./page.ts";
import { select } from "./pointing.ts";
import { about, main, onProgress, recording } from "./side.ts";
import { linked, offset, second, split } from "./split.ts";
import { pause, seek } from "./time.ts";

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

export const matches = signal<MatchEntry[]>([]);

export function lengthOf(entry: MatchEntry): string {
  if (typeof entry.seconds === "number") return clock(entry.seconds, false);
  if (typeof entry.turns === "number") return `${entry.turns} turns`;
  return "";
}

/** Nothing is left to do. */
export const idle = computed(
  () =>
    place.value !== "waiting" &&
    ![main, second].some((side) => side.isBusy.value) &&
    asideBusy.value === 0 &&
    !opening.value &&
    fetching.value === null &&
    playing.value === 0,
);

// ---------------------------------------------------------------- the address decides

let inside: Inside | null = null;

export async function begin() {
  window.addEventListener("popstate", () => void route());
  try {
    inside = await embedded();
  } catch (error) {
    place.value = "start";
    const text = error instanceof Error ? error.message : String(error);
    problem.value = { text: `The recording inside this page cannot be unpacked: ${text}`, retry: null };
    return;
  }
  await route();
}

async function route() {
  const params = new URLSearchParams(location.search);
  const [live, src] = [params.get("live"), params.get("src")];
  if (live) return openLive(live);
  if (src) return openUrl(src);
  if (inside) return open({ kind: "bytes", bytes: inside.bytes, name: inside.name });
  close();
  problem.value = null;
  document.title = "Gametape";
  if (matches.value.length > 0) {
    place.value = "matches";
    void readLiveMatches();
    return;
  }
  place.value = "waiting";
  await Promise.all([readMatches(), readLiveMatches()]);
  place.value = matches.value.length + liveMatches.value.length > 0 ? "matches" : "start";
  void readLiveMatches();
}

/** Watches a live match of the server that the page is from. */
function openLive(match: string) {
  close();
  batch(() => {
    place.value = "match";
    opening.value = true;
    problem.value = null;
    progress.value = null;
  });
  document.title = `${match} · live · Gametape`;
  watchLive(match);
}

export function visitLive(match: string) {
  go({ live: match });
  openLive(match);
}

/** The list of matches beside the page, where there is one. */
export async function readMatches() {
  if (matches.value.length === 0) matches.value = await listOfMatches();
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

/** What is wrong with an address that somebody wrote, or null. */
export function wrongAddress(src: string): string | null {
  let url: URL;
  try {
    url = new URL(src, location.href);
  } catch {
    return `“${src}” is no address.`;
  }
  return ["http:", "https:"].includes(url.protocol)
    ? null
    : `Only http and https addresses can be opened, not “${src}”.`;
}

/** Opens a recording in place; Back returns. */
export function visit(src: string, time?: string) {
  const wrong = wrongAddress(src);
  if (wrong) {
    problem.value = { text: wrong, retry: null };
    return;
  }
  go(time ? { src, t: time } : { src });
  void openUrl(src);
}

export function originOf(src: string): Origin {
  const url = new URL(src, document.baseURI).href;
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // As it is.
  }
  return { kind: "url", url, name: name || "recording" };
}

async function openUrl(src: string) {
  await open(originOf(src));
}

export function openFile(file: File) {
  go({});
  void open({ kind: "file", file, name: file.name });
}

// ---------------------------------------------------------------- a recording

function close() {
  pause();
  opening.value = false;
  forgetRecording();
}

interface Place {
  moment: number;
  seen: number[];
  camera: Camera | null;
}

/** The session broke: a new one at the same place. */
function reopen() {
  const from = main.origin;
  const known = about.value;
  if (!from) return;
  const back = known && { moment: target.value, seen: known.seen, camera: main.camera.wished.value };
  if (from.kind !== "live") return void open(from, back);
  // The connection goes on.
  forget();
  void show(from, back);
}
onFailure.reopen = reopen;

onProgress.run = (done, total) => {
  progress.value = { done, total };
};

async function open(from: Origin, back: Place | null = null) {
  close();
  await show(from, back);
}

shower.show = (tape, name) => show({ kind: "live", tape, name }, null);
teller.tell = tell;

async function show(from: Origin, back: Place | null) {
  const params = new URLSearchParams(location.search);
  batch(() => {
    place.value = "match";
    opening.value = true;
    problem.value = null;
    progress.value = { done: 0, total: null };
  });
  const began = main.start(from);
  const mine = recording.value;
  const isMine = () => recording.value === mine && main.origin === from;
  try {
    if (!(await began)) return;
    const told = from.kind === "bytes" ? inside : null;
    const named = back ? back.seen.join("+") : (params.get("view") ?? told?.view ?? null);
    const opened = await openAs(named);
    // A live match is gone to by its own clock.
    const time = back || from.kind === "live" ? null : (params.get("t") ?? told?.time ?? null);
    const found = time ? await findTime(time) : { moment: back?.moment ?? opened.position, wrong: null };
    if (!isMine()) return;
    batch(() => {
      about.value = opened;
      progress.value = null;
      opening.value = false;
      main.camera.wished.value = back ? back.camera : cameraOf(params.get("c"));
      readBookmarks();
      if (found.wrong) say(found.wrong);
    });
    document.title = `${opened.heading || opened.name} · Gametape`;
    seek(found.moment ?? opened.position);
    const tile = params.get("s")?.split(",").map(Number);
    if (tile?.length === 2 && tile.every(Number.isFinite)) void select(main, tile as Tile);
    tellSoon();
    if (!back) void openSecond(params);
  } catch (error) {
    if (!isMine()) return;
    opening.value = false;
    progress.value = null;
    explain(error, () => void show(from, back));
  }
}

/** What a link says of the right side. */
async function openSecond(params: URLSearchParams) {
  const [src, views] = [params.get("src2"), params.get("split")];
  if (src === null && views === null) return;
  if (src !== null && wrongAddress(src)) return say(wrongAddress(src)!);
  const seen = (views ?? "").split("+").map(Number).filter(Number.isInteger);
  const camera = cameraOf(params.get("c2"));
  if (camera) linked.value = "no";
  await split(src === null ? main.origin : originOf(src), views && seen.length > 0 ? seen : null);
  const later = Number(params.get("later") ?? 0);
  if (Number.isInteger(later)) offset.value = later;
  if (camera) second.camera.wished.value = camera;
}

/** Opens the recording as somebody: numbers or names, joined by +. */
async function openAs(named: string | null) {
  const client = main.client!;
  const opened = await client.ask("open", {});
  const views = (named ?? "").split("+").map((one) => one.trim());
  const seats = opened.views.filter(({ view, name }) => views.includes(String(view)) || views.includes(name));
  const wanted = seats.map(({ view }) => view);
  if (wanted.length === 0 || wanted.join() === opened.seen.join()) return opened;
  return client.ask("view", { view: wanted });
}

async function findTime(text: string): Promise<{ moment: number | null; wrong: string | null }> {
  try {
    return { moment: (await main.client!.ask("find", { text })).moment, wrong: null };
  } catch (error) {
    if (!(error instanceof Failure) || error.cure !== "none") throw error;
    return { moment: null, wrong: error.message };
  }
}

/** A part of the story that takes longer than this, in milliseconds, … */
const SLOW_PART = 1500;
/** … and reports less of the recording than this: the rest would hold everything else up for minutes. */
const SMALL_PART = 0.01;

/** The first picture is wished already, and comes first. */
function tellSoon() {
  const asked = main.client;
  setTimeout(() => {
    if (main.client === asked) tell();
  });
}

/** The story comes a part at a time. */
function tell() {
  const asked = main.client;
  const before = story.value?.reported ?? 0;
  const began = performance.now();
  asked
    ?.ask("story", {})
    .then((told) => {
      story.value = told;
      const isHopeless = performance.now() - began > SLOW_PART && told.reported - before < SMALL_PART;
      if (told.reported < 1 && !isHopeless && main.client === asked) tell();
    })
    .catch((error) => explain(error, tell));
}

/** Sees the recording as one seat, or as several together. */
export async function setViews(views: readonly number[]) {
  const asked = main.client;
  const known = about.value;
  if (!asked || !known) return;
  const wanted = known.views.map(({ view }) => view).filter((view) => views.includes(view));
  if (wanted.length === 0 || wanted.join() === known.seen.join()) return;
  byHand.run();
  forget();
  if (liveName.value !== null && fetchView(wanted[0]!)) return;
  try {
    const now = await asked.ask("view", { view: wanted });
    if (main.client !== asked) return;
    about.value = now;
    seek(target.value);
    if (main.selected.value) void select(main, main.selected.value);
    tellSoon();
  } catch (error) {
    explain(error, () => void setViews(views));
  }
}

export async function setView(view: number) {
  await setViews([view]);
}

/** Adds a seat to those that are seen together, or takes it away. The all-seeing view is always alone. */
export async function toggleSeat(view: number) {
  const seen = about.value?.seen ?? [];
  const first = about.value?.views[0]?.view;
  if (view === first || view === 0) return setViews([view]);
  const seats = seen.filter((one) => one !== 0);
  const next = seats.includes(view) ? seats.filter((one) => one !== view) : [...seats, view];
  await setViews(next.length > 0 ? next : [first ?? 0]);
}

/** For tests and for comparing with the tool. */
export async function stateHash(): Promise<string | null> {
  return main.client ? (await main.client.ask("hash", {})).hash : null;
}
