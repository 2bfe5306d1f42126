// What the page asks the session, and what it answers.
import type {
  About,
  Found,
  HeatKind,
  HeatLegend,
  Shown,
  Story,
  TileAt,
  TileCard,
  TileChange,
  TreeRow,
} from "./generated/shapes.ts";
import type { Growing } from "./growing.ts";

export type { Found, TileCard, TileChange as Change, TreeRow } from "./generated/shapes.ts";
export type Tile = TileAt;

export interface TileHistory {
  changes: TileChange[];
  /** Was every change noticed? */
  exact: boolean;
  /** How many earlier ones are not listed. */
  earlier: number;
}

/** In device pixels, as the session draws. */
export interface Picture {
  width: number;
  height: number;
  /** Device pixels of a tile. */
  scale: number;
  /** Where the upper left corner of the board is. */
  x: number;
  y: number;
  /** A tile that is selected. */
  select?: Tile;
  /** Tiles that differ from the other side are marked. */
  differences?: boolean;
  /** Names are left out. */
  plain?: boolean;
  /** A heat map of a range. */
  heat?: { kind: HeatKind; from: number; to: number };
  /** The ways of pieces during the last ticks: how many. */
  trails?: number;
}

/** What the picture follows: a piece, or where a player looks. */
export type Follow = { piece: string } | { camera: number };

export interface Requests {
  open: { fields: object; answer: About };
  seek: { fields: { to: number; since?: number | null; follow?: Follow | null }; answer: Shown };
  step: {
    fields: { from: number; forward: boolean; by: "change" | "tick" | "turn"; follow?: Follow | null };
    answer: Shown;
  };
  find: { fields: { text: string }; answer: { moment: number } };
  view: { fields: { view: readonly number[] }; answer: About };
  draw: { fields: Picture; answer: { drawn: boolean; heat: HeatLegend | null } };
  pick: {
    fields: Picture & { px: number; py: number };
    answer: { tile: Tile | null; piece?: string | null };
  };
  inspect: { fields: { tile: Tile }; answer: TileCard | null };
  history: { fields: { tile: Tile }; answer: TileHistory };
  story: { fields: object; answer: Story };
  messages: { fields: object; answer: { rows: string[] } };
  tree: {
    fields: { open: string[]; first: number; count: number };
    answer: { rows: TreeRow[]; total: number };
  };
  search: { fields: { text: string }; answer: { found: Found[] } };
  hash: { fields: object; answer: { hash: string } };
  clip: { fields: { from: number; to: number }; answer: { bytes: number } };
  /** Asked again until the file is there: `bytes` is above 0. */
  gif: {
    fields: {
      from: number;
      to: number;
      speed: number;
      fps: number;
      width: number;
      height: number;
      heat: HeatKind | null;
    };
    answer: { done: number; frames: number; bytes: number };
  };
}

export type Name = keyof Requests;
export type Fields<N extends Name> = Requests[N]["fields"];
export type Answer<N extends Name> = Requests[N]["answer"];

/** Where the bytes of a recording come from. */
export type Origin =
  /** A live match: its tape grows. */
  | { kind: "live"; tape: Growing; name: string }
  | { kind: "url"; url: string; name: string }
  | { kind: "file"; file: Blob; name: string }
  | { kind: "bytes"; bytes: Uint8Array<ArrayBuffer>; name: string };

/** The same for a worker, which gets of a tape that grows what is there, and then more. */
export type SentOrigin =
  | Exclude<Origin, { kind: "live" }>
  | { kind: "growing"; pieces: readonly Uint8Array<ArrayBuffer>[]; name: string };

/** What the board should show: always the newest wish only. */
export interface Wish {
  serial: number;
  seek?: { to: number; since: number | null; follow?: Follow | null };
  picture?: Picture;
  map?: Picture;
}

export type ToWorker =
  | {
      type: "open";
      origin: SentOrigin;
      wasm: string | Uint8Array<ArrayBuffer>;
      font: string | Uint8Array<ArrayBuffer> | null;
    }
  /** More of a tape that grows. */
  | { type: "extend"; bytes: Uint8Array<ArrayBuffer> }
  /** Another recording of the same match, seen as these views. */
  | { type: "restart"; origin: SentOrigin; seen: readonly number[] }
  | { type: "canvas"; role: "board" | "map"; canvas: OffscreenCanvas | null }
  | { type: "ask"; id: number; request: string }
  | { type: "wish"; wish: Wish }
  | { type: "png"; id: number }
  /** What is on the tiles, for another session. */
  | { type: "looks"; id: number }
  | { type: "compare"; id: number; looks: Uint8Array<ArrayBuffer> }
  /** The file that the last request made. */
  | { type: "file"; id: number }
  /** The board at a moment. */
  | { type: "snapshot"; id: number; to: number; picture: Picture };

/** What may help after a failure: nothing, asking again (the network failed), a new session (this one broke). */
export type Cure = "none" | "again" | "reopen";

export type FromWorker =
  | { type: "progress"; done: number; total: number | null }
  | { type: "answer"; id: number; value: unknown }
  | { type: "failed"; id: number; message: string; cure: Cure }
  | { type: "shown"; serial: number; shown: Shown | null; heat: HeatLegend | null }
  | { type: "wishfailed"; serial: number; message: string; cure: Cure }
  | { type: "bitmap"; role: "board" | "map"; bitmap: ImageBitmap };

/** What the worker is asked one after the other. */
export type Ask = Extract<ToWorker, { id: number }>;
