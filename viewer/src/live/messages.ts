// What the page and the worker of a live match say to each other.
import type { LiveNotice } from "../generated/live.ts";

/** How a match comes, best first. */
export const WAYS = ["webtransport", "websocket", "segments"] as const;
export type Way = (typeof WAYS)[number];

/** What is known of the connection. */
export interface Link {
  state:
    | "connecting"
    /** Something comes. */
    | "open"
    /** It broke off, and is tried again. */
    | "again"
    /** It is not tried any more. */
    | "lost"
    /** The server gives no seat. */
    | "refused"
    /** The match is over, and everything is there. */
    | "over";
  way: Way | null;
  /** For people; empty where there is nothing to say. */
  text: string;
}

export interface Opening {
  type: "open";
  wasm: string;
  /** The address of the server: that of the page. */
  base: string;
  match: string;
  pass: string;
  /** The ways that may be tried. */
  ways: readonly Way[];
  /** The view where only one can come at a time. */
  view: number;
}

export type ToLive =
  | Opening
  /** To a tick, or to live: another tape begins. */
  | { type: "seek"; tick: number | null }
  /** The view where only one can come at a time; a seek begins with it. */
  | { type: "view"; view: number }
  /** After it was lost. */
  | { type: "again" };

export type FromLive =
  | { type: "link"; link: Link }
  /** What came: notices, and bytes of the tape with this number. */
  | { type: "came"; tape: number; told: LiveNotice[]; bytes: Uint8Array<ArrayBuffer> };
