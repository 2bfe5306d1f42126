// One visit at a match, by one way: until the connection ends, the match is over or somebody wants something else.
import { Seat, Segments } from "#live";
import type { LiveNotice, Refused } from "../generated/live.ts";
import { type Connection, type Handlers, webSocket, webTransport } from "./connections.ts";
import type { Opening, Way } from "./messages.ts";

/** How a visit ended. */
export interface Outcome {
  /** Did anything come? */
  worked: boolean;
  refused: Refused | null;
  over: boolean;
}

/** What comes of the match. */
export interface Listener {
  /** The connection is open. */
  open(): void;
  /** The network fails at the moment, and is tried again. */
  troubled(): void;
  came(told: LiveNotice[], bytes: Uint8Array<ArrayBuffer>): void;
}

/** A match that is watched. */
export interface Visit {
  readonly ended: Promise<Outcome>;
  seek(tick: number | null): void;
  /** Somebody wants something else. */
  stop(): void;
}

/** A connection on which nothing came for this long, in milliseconds, is tried again: nobody says when a cable was pulled. */
const SILENCE = 20_000;
/** Time passes in steps of this many milliseconds. */
const STEP = 50;
/** Files of segments that are not reached are asked for again after this time, for so long, in milliseconds. */
const FETCH_AGAIN = 500;
const FETCH_FOR = 30_000;

const now = () => performance.now();

/** What keeps a seat over several connections. */
export function seatOf(opening: Opening, from: number | null): Seat {
  // Everything that the pass allows: views change at once, then.
  return new Seat(opening.match, 0xffff, from ?? -1, opening.pass);
}

/** Over a connection with messages. */
export function visitByMessages(way: Way, opening: Opening, seat: Seat, listener: Listener): Visit {
  let connection: Connection | null = null;
  let finish: (outcome: Outcome) => void = () => {};
  const outcome: Outcome = { worked: false, refused: null, over: false };
  let timer: ReturnType<typeof setInterval> | undefined;
  let isDone = false;
  const end = () => {
    if (isDone) return;
    isDone = true;
    clearInterval(timer);
    // What came before the end counts.
    flush();
    connection?.close();
    finish(outcome);
  };
  const attempt = (work: () => void) => {
    try {
      work();
    } catch {
      // The other side says what cannot be understood: another connection may do better.
      end();
    }
  };
  const flush = () => {
    try {
      const told = JSON.parse(seat.notices()) as LiveNotice[];
      const bytes = seat.tape();
      for (const one of told) {
        if ("welcome" in one && !outcome.worked) {
          outcome.worked = true;
          listener.open();
        }
        if ("refused" in one) outcome.refused = one.refused;
        if ("over" in one) outcome.over = true;
      }
      if (told.length > 0 || bytes.length > 0) listener.came(told, bytes);
    } catch {
      outcome.worked = false;
    }
    if (outcome.refused || outcome.over) end();
  };
  const send = () => {
    // What is to be said waits for the connection.
    if (!connection) return;
    for (let message = seat.next(); message; message = seat.next()) connection.send(message);
  };
  let heard = now();
  const handlers = {
    message: (bytes: Uint8Array) => {
      heard = now();
      attempt(() => seat.receive(bytes, heard));
    },
    ended: end,
  };
  const ended = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const begin = async () => {
    const join = seat.join();
    const opened = await (way === "websocket"
      ? webSocket(opening.base, join, handlers)
      : openWebTransport(opening.base, join, handlers));
    if (isDone) return opened.close();
    connection = opened;
    if (!opened.hasJoined) connection.send(seat.join());
    heard = now();
    timer = setInterval(
      () =>
        attempt(() => {
          seat.poll(now());
          send();
          flush();
          if (now() - heard > SILENCE) end();
        }),
      STEP,
    );
  };
  begin().catch(end);
  return {
    ended,
    seek: (tick) =>
      attempt(() => {
        flush();
        seat.seek(tick ?? -1);
        send();
      }),
    stop: end,
  };
}

/** What the server says of itself. */
interface ServerInfo {
  transports?: string[];
  /** "request": it takes a Join there. */
  join?: string;
  /** SHA-256 of its certificate, in hexadecimal, where nobody vouches for it. */
  certificate_sha256?: string;
}

async function serverInfo(base: string): Promise<ServerInfo> {
  const response = await fetch(new URL("live/server.json", base), { cache: "no-store" });
  return response.ok ? ((await response.json()) as ServerInfo) : {};
}

/** What was asked for before it is needed. */
let ahead: Promise<ServerInfo> | null = null;

/** Asks what the server says of itself, while something else is waited for. */
export function askAhead(base: string) {
  ahead = serverInfo(base);
  // Who needs it learns that it failed.
  ahead.catch(() => {});
}

/** WebTransport is on the same port, also where the page comes without TLS. */
async function openWebTransport(base: string, join: Uint8Array<ArrayBuffer>, handlers: Handlers) {
  const asked = ahead ?? serverInfo(base);
  // Another connection may be to a server that was started again.
  ahead = null;
  const info = await asked;
  if (!info.transports?.includes("webtransport")) throw new Error("the server has no WebTransport");
  const url = new URL("live", base);
  url.protocol = "https:";
  const hash = info.certificate_sha256?.match(/../g);
  const bytes = hash && Uint8Array.from(hash, (byte) => Number.parseInt(byte, 16));
  return webTransport(url, bytes ? [bytes] : [], info.join === "request" ? join : null, handlers);
}

/** By files of one view. */
export function visitBySegments(opening: Opening, from: number | null, listener: Listener): Visit {
  const { view } = opening;
  let segments = new Segments(view, from ?? -1);
  /** Counts where it begins: files that were asked for before say nothing any more. */
  let start = 0;
  let isDone = false;
  let finish: (outcome: Outcome) => void = () => {};
  const outcome: Outcome = { worked: false, refused: null, over: false };
  const ended = new Promise<Outcome>((resolve) => {
    finish = resolve;
  });
  const end = () => {
    if (isDone) return;
    isDone = true;
    clearInterval(timer);
    finish(outcome);
  };
  const flush = () => {
    const told = JSON.parse(segments.notices()) as LiveNotice[];
    const bytes = segments.tape();
    if (told.some((one) => "over" in one)) outcome.over = true;
    if (told.length > 0 || bytes.length > 0) listener.came(told, bytes);
    if (outcome.over) end();
  };
  const headers: Record<string, string> = opening.pass ? { authorization: `Bearer ${opening.pass}` } : {};
  const place = new URL(`live/${encodeURIComponent(opening.match)}/${view}/`, opening.base);
  const get = async (file: string) => {
    const mine = start;
    const bytes = await reach(
      new URL(file, place),
      { headers },
      {
        isWanted: () => !isDone && mine === start,
        troubled: () => outcome.worked && listener.troubled(),
        isPatient: () => outcome.worked,
      },
    );
    if (isDone || mine !== start) return;
    if (file === "now" && bytes === null && !outcome.worked) {
      outcome.refused = { why: "match", text: "there is no such match for this pass" };
      return end();
    }
    if (bytes && (file === "now" || file === "entry")) {
      outcome.worked = true;
      listener.open();
    }
    segments.answer(file, bytes ?? undefined, now());
    flush();
  };
  const step = () => {
    for (const file of segments.poll(now())) get(file).catch(end);
  };
  const timer = setInterval(step, STEP);
  step();
  return {
    ended,
    seek: (tick) => {
      flush();
      start++;
      segments.free();
      segments = new Segments(view, tick ?? -1);
      step();
    },
    stop: end,
  };
}

/** The bytes of a file, null where it is not there; asks again while the network fails. Throws when that does not help. */
async function reach(
  url: URL,
  init: RequestInit,
  how: { isWanted(): boolean; troubled(): void; isPatient(): boolean },
): Promise<Uint8Array<ArrayBuffer> | null> {
  for (const began = now(); ; ) {
    try {
      const response = await fetch(url, init);
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      // A server that is overloaded or starting is asked again.
      if (response.status < 500 && response.status !== 429) return null;
    } catch {
      // The network failed.
    }
    if (!how.isWanted()) return null;
    if (!how.isPatient() || now() - began > FETCH_FOR) throw new Error("it cannot be reached");
    how.troubled();
    await new Promise((resolve) => setTimeout(resolve, FETCH_AGAIN));
  }
}
