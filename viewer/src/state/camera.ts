// What part of a board is seen, and how large.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { About } from "../generated/shapes.ts";
import type { Picture } from "../requests.ts";
import { byHand } from "./page.ts";

/** The middle of the picture in tiles from the upper left corner of the board, and CSS pixels of a tile. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Point {
  x: number;
  y: number;
}

const MAX_ZOOM = 160;
/** What the buttons over a board take, in CSS pixels. */
const BUTTONS = { width: 60, height: 180 };
/** What one line of the ticker takes, in CSS pixels. */
const TICKER = 36;
/** The small map, in CSS pixels. */
export const mapSize = { width: 148, height: 128 };

export class BoardCamera {
  /** null: all of the board fits. */
  readonly wished = signal<Camera | null>(null);
  /** The room for the board, in CSS pixels. */
  readonly size = signal({ width: 0, height: 0, ratio: 1 });

  constructor(private readonly about: ReadonlySignal<About | null>) {}

  readonly fitting = computed<Camera | null>(() => {
    const { width, height } = this.size.value;
    if (width === 0 || height === 0) return null;
    // A board that fills the room leaves some for what is said over it.
    const top = this.about.value?.is_gamelog ? TICKER : 0;
    const fit = (room: number) => fitted(this.about.value, room, height - 32 - top, 96);
    const at = fit(width - 32);
    const board = this.about.value?.board;
    if (!at || !board) return null;
    const [right, low] = [width + board.width * at.zoom, height + top + board.height * at.zoom];
    // Buttons at the lower right do not lie on the board.
    const isCovered = right / 2 > width - BUTTONS.width && low / 2 > height - BUTTONS.height;
    const found = isCovered ? fit(width - 2 * BUTTONS.width) : at;
    return found && { ...found, y: found.y - top / 2 / found.zoom };
  });
  readonly now = computed(() => this.wished.value ?? this.fitting.value);

  readonly picture = computed<Picture | null>(() => {
    const at = this.now.value;
    const { width, height, ratio } = this.size.value;
    return at && width > 0 ? pictureOf(at, width, height, ratio) : null;
  });

  /** The small map is there when the picture does not show all. */
  readonly mapShown = computed(() => {
    const [at, fit] = [this.now.value, this.fitting.value];
    return at !== null && fit !== null && at.zoom > fit.zoom * 1.15 && this.size.value.width >= 480;
  });
  readonly map = computed(() => fitted(this.about.value, mapSize.width - 8, mapSize.height - 8, 96));
  readonly mapPicture = computed<Picture | null>(() =>
    this.mapShown.value && this.map.value
      ? pictureOf(this.map.value, mapSize.width, mapSize.height, this.size.value.ratio)
      : null,
  );

  move(at: Camera) {
    const board = this.about.value?.board;
    const fit = this.fitting.value;
    if (!board || !fit) return;
    byHand.run();
    const zoom = Math.min(Math.max(at.zoom, this.leastZoom()), Math.max(MAX_ZOOM, fit.zoom));
    // The middle of the picture stays on the board.
    const x = Math.min(Math.max(at.x, 0), board.width);
    const y = Math.min(Math.max(at.y, 0), board.height);
    this.wished.value = { x, y, zoom };
  }

  /** Zooms so that the point of the stage stays where it is. */
  zoomBy(factor: number, point?: Point) {
    const at = this.now.value;
    if (!at) return;
    const { width, height } = this.size.value;
    const [dx, dy] = [(point?.x ?? width / 2) - width / 2, (point?.y ?? height / 2) - height / 2];
    const zoom = Math.min(Math.max(at.zoom * factor, this.leastZoom()), MAX_ZOOM);
    this.move({ x: at.x + dx / at.zoom - dx / zoom, y: at.y + dy / at.zoom - dy / zoom, zoom });
  }

  /** By CSS pixels. */
  panBy(dx: number, dy: number) {
    const at = this.now.value;
    if (at) this.move({ ...at, x: at.x + dx / at.zoom, y: at.y + dy / at.zoom });
  }

  fit() {
    byHand.run();
    this.wished.value = null;
  }

  /** A point of the stage in tiles. */
  onBoard({ x, y }: Point): Point | null {
    const at = this.now.value;
    const { width, height } = this.size.value;
    return at && { x: at.x + (x - width / 2) / at.zoom, y: at.y + (y - height / 2) / at.zoom };
  }

  /** A point of the board, in tiles, on the stage. */
  onStage({ x, y }: Point): Point | null {
    const at = this.now.value;
    const { width, height } = this.size.value;
    return at && { x: (x - at.x) * at.zoom + width / 2, y: (y - at.y) * at.zoom + height / 2 };
  }

  private leastZoom(): number {
    return Math.min(this.fitting.value?.zoom ?? 1, 4) * 0.8;
  }
}

function fitted(about: About | null, width: number, height: number, most: number): Camera | null {
  const board = about?.board;
  if (!board || board.width <= 0 || board.height <= 0) return null;
  const zoom = Math.min(width / board.width, height / board.height);
  return { x: board.width / 2, y: board.height / 2, zoom: Math.min(Math.max(zoom, 0.01), most) };
}

/** In pixels of the screen, of which a CSS pixel has `ratio`. */
export function pictureOf(at: Camera, width: number, height: number, ratio: number): Picture {
  const scale = at.zoom * ratio;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  return {
    width: w,
    height: h,
    scale,
    x: Math.round(w / 2 - at.x * scale),
    y: Math.round(h / 2 - at.y * scale),
  };
}

/** All of a board in a picture of this size. */
export function wholeBoard(about: About, width: number, height: number, ratio: number): Picture | null {
  const at = fitted(about, width, height, 96);
  return at && pictureOf(at, width, height, ratio);
}

export function cameraText({ x, y, zoom }: Camera): string {
  return [x.toFixed(1), y.toFixed(1), zoom.toFixed(1)].join(",");
}

export function cameraOf(text: string | null): Camera | null {
  const [x, y, zoom] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined) return null;
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : null;
}
