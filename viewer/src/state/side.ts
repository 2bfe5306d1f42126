// A side: one board with the session of its recording. The page has one, or two side by side.
import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { assets } from "../assets.ts";
import { Client, Failure } from "../client.ts";
import type { About, HeatLegend, Shown } from "../generated/shapes.ts";
import type { Follow, Origin, Picture, Tile, TileCard, TileHistory, Wish } from "../requests.ts";
import { BoardCamera, type Point } from "./camera.ts";
import { playing } from "./clock.ts";
import { whenClosed, whenForgotten } from "./lifetime.ts";

export interface Hover extends Point {
  tile: Tile;
  card: TileCard | null;
}

export type Role = "board" | "map";

/** What is drawn besides the board itself. */
export type Extras = Omit<Picture, "width" | "height" | "scale" | "x" | "y">;

interface Listener {
  progress?(done: number, total: number | null): void;
  /** Something is shown; is it what was wished last? */
  shown(now: Shown, isLast: boolean): void;
  failed(error: Failure): void;
}

/** The small map is drawn this often while playing, in milliseconds. */
const MAP_EVERY = 300;

export class Side {
  client: Client | null = null;
  origin: Origin | null = null;
  readonly about = signal<About | null>(null);
  readonly shown = signal<Shown | null>(null);
  readonly camera: BoardCamera = new BoardCamera(this.about);
  readonly selected = signal<Tile | null>(null);
  readonly hovered = signal<Hover | null>(null);
  readonly inspection = signal<TileCard | null>(null);
  readonly changes = signal<TileHistory | "asked" | null>(null);
  /** The card of the selected tile does not lie on it. */
  readonly cardSide = signal<"left" | "right">("right");
  /** What the colours of the heat map mean. */
  readonly legend = signal<HeatLegend | null>(null);
  /** Counts recordings: a canvas belongs to one. */
  readonly recording = signal(0);
  /** What is reported with each moment. */
  followed: () => Follow | null = () => null;
  /** What is drawn besides the board. */
  extras: ReadonlySignal<Extras> = signal({});

  private readonly asking = signal(0);
  private readonly wishing = signal(false);
  readonly isBusy = computed(() => this.asking.value > 0 || this.wishing.value);
  get isWishing(): boolean {
    return this.wishing.value;
  }

  // The newest wish only.
  private serial = 0;
  /** Wishes before this one were of another view. */
  private least = 0;
  private pending: Omit<Wish, "serial"> | null = null;
  private scheduled = false;
  /** A wish is with the worker. */
  private sent = false;
  private mapDrawn = 0;
  private mapShows: string | null = null;
  private readonly canvases = new Map<Role, HTMLCanvasElement>();

  constructor(private readonly listener: Listener) {}

  /** A worker for this recording; false where another one was opened meanwhile. */
  async start(origin: Origin): Promise<boolean> {
    this.close();
    this.origin = origin;
    const mine = ++this.recording.value;
    // It may go on with another recording of the same match.
    const isMine = () => this.recording.value === mine && this.origin !== null;
    const known = await assets();
    if (!isMine()) return false;
    this.client = new Client(known, origin, {
      progress: (done, total) => isMine() && this.listener.progress?.(done, total),
      shown: (message) => isMine() && this.take(message.serial, message.shown, message.heat),
      wishFailed: (message) => {
        if (!isMine() || message.serial !== this.serial) return;
        this.settle(message.serial);
        this.listener.failed(new Failure(message.message, message.cure));
      },
      busy: (count) => {
        if (isMine()) this.asking.value = count;
      },
    });
    return true;
  }

  /** Goes on with another recording of the same match. */
  restart(origin: Origin, seen: readonly number[]) {
    this.origin = origin;
    this.client?.restart(origin, seen);
    this.least = this.serial + 1;
    this.mapShows = null;
  }

  close() {
    this.client?.close();
    this.client = null;
    this.origin = null;
    this.canvases.clear();
    this.sent = false;
    this.pending = null;
    batch(() => {
      this.about.value = null;
      this.asking.value = 0;
      this.wishing.value = false;
      this.camera.wished.value = null;
      this.selected.value = null;
      this.forget();
    });
  }

  /** Drops what another view knew. */
  forget() {
    this.client?.forget();
    this.least = this.serial + 1;
    batch(() => {
      this.shown.value = null;
      this.hovered.value = null;
      this.inspection.value = null;
      this.changes.value = null;
      this.legend.value = null;
    });
  }

  /** The canvas of the present recording. */
  useCanvas(role: Role, canvas: HTMLCanvasElement) {
    this.canvases.set(role, canvas);
    if (role === "map") this.mapShows = null;
    this.client?.attach(role, canvas);
    this.redraw();
  }

  dropCanvas(role: Role, canvas: HTMLCanvasElement) {
    if (this.canvases.get(role) === canvas) this.canvases.delete(role);
  }

  seek(to: number, since: number | null) {
    const follow = this.followed();
    this.want({ seek: follow ? { to, since, follow } : { to, since } });
  }

  get isSeeking(): boolean {
    return Boolean(this.pending?.seek);
  }

  redraw() {
    if (this.about.value) this.want({});
  }

  private want(part: Omit<Wish, "serial">) {
    this.pending = { ...this.pending, ...part };
    this.wishing.value = true;
    if (this.scheduled) return;
    this.scheduled = true;
    // At once where the worker is free; else a newer wish replaces the older one at most once a frame.
    if (this.sent) requestAnimationFrame(() => this.send());
    else queueMicrotask(() => this.send());
  }

  private send() {
    this.scheduled = false;
    const known = this.about.value;
    if (!this.client || !known || !this.pending) {
      this.wishing.value = false;
      this.pending = null;
      return;
    }
    const wish: Wish = { ...this.pending, serial: ++this.serial };
    this.pending = null;
    const picture = this.camera.picture.value;
    if (known.has_board && picture) {
      wish.picture = { ...picture, ...this.extras.value };
      if (this.selected.value) wish.picture.select = this.selected.value;
      const map = this.mapWish(known, wish.seek?.to);
      if (map) wish.map = { ...map, plain: true };
    }
    this.sent = true;
    this.client.wish(wish);
  }

  /** The small map is drawn when it changes, and while playing a few times a second. */
  private mapWish(known: About, to: number | undefined): Picture | null {
    const map = this.canvases.has("map") ? this.camera.mapPicture.value : null;
    const shows = map && `${to ?? this.shown.value?.moment} ${known.seen} ${map.width} ${map.scale}`;
    const now = performance.now();
    if (!map || shows === this.mapShows || (playing.value !== 0 && now - this.mapDrawn <= MAP_EVERY))
      return null;
    this.mapShows = shows;
    this.mapDrawn = now;
    return map;
  }

  private settle(of: number) {
    if (of !== this.serial) return;
    this.sent = false;
    if (!this.pending) this.wishing.value = false;
  }

  private take(of: number, now: Shown | null, heat: HeatLegend | null) {
    if (of >= this.least) this.legend.value = heat;
    if (now && of >= this.least) this.listener.shown(now, of === this.serial);
    this.settle(of);
  }
}

/** Draws again when what is drawn changes. */
export function drawsItself(side: Side) {
  effect(() => {
    void side.camera.picture.value;
    void side.camera.mapPicture.value;
    void side.extras.value;
    void side.selected.value;
    side.redraw();
  });
}

/** What parts of the page do when the main board shows something. */
export const onShown: ((now: Shown, isLast: boolean) => void)[] = [];
export const onWishFailed: { run(error: Failure): void } = { run() {} };
export const onProgress: { run(done: number, total: number | null): void } = { run() {} };

/** The board of the page; of two the left one. */
export const main = new Side({
  progress: (done, total) => onProgress.run(done, total),
  shown: (now, isLast) => {
    for (const one of onShown) one(now, isLast);
  },
  failed: (error) => onWishFailed.run(error),
});
drawsItself(main);
whenClosed(() => main.close());
whenForgotten(() => main.forget());

/** The board that keys act on and that panels are about; of two the one that was used last. */
export const active = signal<Side>(main);

export const { about, shown, recording } = main;
