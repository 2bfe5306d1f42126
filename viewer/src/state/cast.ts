// A caster shares where it is, whose view it has and what part of the board it sees; others follow it (spec/viewer.md, section 6).
import { effect, untracked } from "@preact/signals";
import { rate } from "../words.ts";
import { atLive, edge, playing, speed, target } from "./clock.ts";
import { ofRecording, whenClosed } from "./lifetime.ts";
import { liveName, passOf } from "./live.ts";
import { setViews } from "./open.ts";
import { announced, byHand, say } from "./page.ts";
import { about, main } from "./side.ts";
import { goLive, growth, pause, play, seek } from "./time.ts";

/** What a caster shares. */
interface Shared {
  /** The last tick that is shown. */
  t: number;
  playing: boolean;
  rate: number;
  view: number[];
  /** The middle of the picture in tiles, and how many times larger than the whole board it is; null: all of it. */
  camera: [number, number, number] | null;
}

/** What changes is shared at most this often, and what plays at least this often, in milliseconds. */
const SHARE_EVERY = 150;
const SAY_AGAIN = 1000;
/** A connection that broke off is tried again after this time, in milliseconds. */
const AGAIN = 2000;
/** Who follows is put right when it is off by more than this, in seconds. */
const OFF = 0.75;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The name under which this page shares what it shows. */
export const sharing = ofRecording<string | null>(null);
/** Whom the link says to follow. */
export const caster = ofRecording<string | null>(null);
/** Is the caster followed now? */
export const followsCaster = ofRecording(false);
/** Has anything been heard of the caster? */
export const casterHeard = ofRecording(false);

let socket: WebSocket | null = null;
let isApplying = false;
let last: Shared | null = null;
let timer: ReturnType<typeof setInterval> | null = null;

function close() {
  const old = socket;
  socket = null;
  old?.close();
  if (timer !== null) clearInterval(timer);
  timer = null;
}
whenClosed(() => {
  close();
  last = null;
});

function connect(name: string, hear: (text: string) => void) {
  close();
  const url = new URL(`live/${liveName.value}/cast/${name}`, document.baseURI);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const pass = passOf();
  if (pass) url.searchParams.set("pass", pass);
  const mine = new WebSocket(url);
  socket = mine;
  mine.onmessage = ({ data }) => {
    if (socket === mine && typeof data === "string") hear(data);
  };
  mine.onclose = () => {
    if (socket !== mine) return;
    setTimeout(() => {
      if (socket === mine) connect(name, hear);
    }, AGAIN);
  };
}

// ---------------------------------------------------------------- sharing

export function share(name: string): string | null {
  if (!NAME.test(name)) return "A name has 1 to 64 of the letters A-Z a-z 0-9 _ -";
  sharing.value = name;
  followsCaster.value = false;
  caster.value = null;
  connect(name, () => {});
  let sent = "";
  let when = 0;
  timer = setInterval(() => {
    const text = JSON.stringify(now());
    const isDue = text !== sent && (performance.now() - when >= SHARE_EVERY || playing.value === 0);
    const isPlaying = playing.value !== 0;
    // While it plays everybody counts on: only what is no playing on is news, and a word now and then.
    if (!isDue || (isPlaying && isPlayingOn(sent) && performance.now() - when < SAY_AGAIN)) return;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(text);
    [sent, when] = [text, performance.now()];
  }, SHARE_EVERY);
  announced.value = `You share what you see as ${name}`;
  return null;

  /** Is it what follows from what was sent, but for the time that passed? */
  function isPlayingOn(before: string): boolean {
    if (!before) return false;
    const [a, b] = [JSON.parse(before) as Shared, now()];
    const expected = a.t + ((performance.now() - when) / 1000) * a.rate * rate(about.value!);
    return (
      a.playing === b.playing &&
      a.rate === b.rate &&
      a.view.join() === b.view.join() &&
      JSON.stringify(a.camera) === JSON.stringify(b.camera) &&
      Math.abs(expected - b.t) < rate(about.value!) * OFF
    );
  }
}

export function stopSharing() {
  sharing.value = null;
  close();
  announced.value = "You share nothing any more";
}

function now(): Shared {
  const at = main.camera.wished.value;
  const fit = main.camera.fitting.value;
  const places = (number: number) => Math.round(number * 100) / 100;
  return {
    t: Math.max(0, target.value - 1),
    playing: playing.value !== 0,
    rate: playing.value === 0 ? 0 : atLive.value ? 1 : playing.value * speed.value,
    view: about.value?.seen ?? [],
    camera: at && fit ? [places(at.x), places(at.y), places(at.zoom / fit.zoom)] : null,
  };
}

// ---------------------------------------------------------------- following

/** Follows a caster from now on. */
export function followCaster(name: string) {
  if (!NAME.test(name) || liveName.value === null) return;
  caster.value = name;
  followsCaster.value = true;
  connect(name, (text) => {
    try {
      last = JSON.parse(text) as Shared;
    } catch {
      return;
    }
    casterHeard.value = true;
    if (followsCaster.value) apply(last);
  });
}

/** Who does something by hand goes an own way. */
export function leaveCaster() {
  if (!followsCaster.value) return;
  followsCaster.value = false;
  announced.value = `No longer following ${caster.value}`;
}
byHand.run = () => {
  if (!isApplying && followsCaster.value) {
    leaveCaster();
    say(`You go your own way; ${caster.value} is one click away`);
  }
};

export function backToCaster() {
  followsCaster.value = true;
  announced.value = `Following ${caster.value}`;
  if (last) apply(last);
}

function apply(to: Shared) {
  const known = about.value;
  if (!known || !Number.isFinite(to.t)) return;
  isApplying = true;
  try {
    const views = (Array.isArray(to.view) ? to.view : []).filter((view) =>
      known.views.some((one) => one.view === view),
    );
    if (views.length > 0 && views.join() !== known.seen.join()) void setViews(views);
    applyCamera(to.camera);
    applyTime(to);
  } finally {
    isApplying = false;
  }
}

function applyCamera(camera: Shared["camera"]) {
  const fit = main.camera.fitting.value;
  if (!camera) main.camera.fit();
  else if (fit && camera.length === 3 && camera.every(Number.isFinite)) {
    main.camera.move({ x: camera[0], y: camera[1], zoom: camera[2] * fit.zoom });
  }
}

function applyTime(to: Shared) {
  const each = rate(about.value!);
  const moment = to.t + 1;
  if (!to.playing) {
    pause();
    if (target.value !== moment) seek(moment);
    return;
  }
  // Nearer to the end than what is held back: it is live.
  const isLive = edge.value !== null && to.rate === 1 && edge.value - moment < (growth.target() + 2) * each;
  if (isLive) {
    if (!atLive.value) goLive();
    return;
  }
  if (Math.abs(target.value - moment) > OFF * each) seek(moment);
  speed.value = Math.abs(to.rate) || 1;
  const direction = to.rate < 0 ? -1 : 1;
  if (playing.value !== direction) play(direction);
}

/** A link may say whom to follow. */
effect(() => {
  const name = new URLSearchParams(location.search).get("cast");
  const isOpen = about.value !== null && liveName.value !== null && edge.value !== null;
  untracked(() => {
    if (isOpen && name && caster.value === null && sharing.value === null) followCaster(name);
  });
});
