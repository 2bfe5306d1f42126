// Painting of bars and charts on a canvas.
import type { Story } from "../generated/shapes.ts";
import { look } from "../media.ts";

export type Curve = Story["curves"][number];

export interface Colours {
  line: string;
  raised: string;
  text: string;
  faint: string;
  accent: string;
  warning: string;
  veil: string;
  live: string;
}

let known: { look: string; colours: Colours } | null = null;

export function colours(): Colours {
  // Styles are asked for once per theme: asking makes the browser lay the page out.
  if (known?.look !== look.value) known = { look: look.value, colours: ofStyle() };
  return known.colours;
}

function ofStyle(): Colours {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    line: get("line"),
    raised: get("raised"),
    text: get("text"),
    faint: get("faint"),
    accent: get("accent"),
    warning: get("warning"),
    veil: get("veil"),
    live: get("live"),
  };
}

/** Sizes the canvas for the screen and gives a context in CSS pixels. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The value at a moment: on the line between the two points around it. */
export function valueAt(points: readonly [number, number][], moment: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]![0] <= moment) low = middle + 1;
    else high = middle;
  }
  const before = points[low - 1];
  const after = points[low];
  if (!before) return after?.[1] ?? 0;
  if (!after) return before[1];
  const share = (moment - before[0]) / Math.max(1, after[0] - before[0]);
  return before[1] + (after[1] - before[1]) * share;
}

/** The share of each player as stacked area, the first on top. */
export function paintShares(
  context: CanvasRenderingContext2D,
  curve: Curve,
  box: { x: number; y: number; width: number; height: number },
  momentAt: (x: number) => number,
  until: number,
) {
  // Of one player there are no shares: the value itself.
  const alone = curve.players.length === 1 ? curve.players[0]! : null;
  let most = 0;
  for (const [moment, value] of alone?.points ?? []) if (moment <= until) most = Math.max(most, value);
  const columns: number[][] = [];
  const step = 2;
  let right = box.x;
  for (let x = box.x; x <= box.x + box.width; x += step) {
    const moment = momentAt(x);
    if (moment > until) break;
    right = x;
    const values = curve.players.map(({ points }) => Math.max(0, valueAt(points, moment)));
    const sum = alone ? most : values.reduce((a, b) => a + b, 0);
    let top = alone && sum > 0 ? 1 - values[0]! / sum : 0;
    columns.push([
      top,
      ...values.map((value) => {
        top += sum > 0 ? value / sum : 0;
        return top;
      }),
    ]);
  }
  if (columns.length < 2) return;
  curve.players.forEach(({ colour }, player) => {
    context.beginPath();
    columns.forEach((tops, at) => {
      const x = Math.min(box.x + at * step, right);
      const y = box.y + tops[player]! * box.height;
      if (at === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    });
    for (let at = columns.length - 1; at >= 0; at--) {
      context.lineTo(box.x + at * step, box.y + columns[at]![player + 1]! * box.height);
    }
    context.closePath();
    context.fillStyle = colour;
    context.globalAlpha = 0.82;
    context.fill();
    context.globalAlpha = 1;
  });
}
