// The bars of time: a coarse one with the whole story and a fine one that can be zoomed.
import { computed, effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { fineShown, look } from "../media.ts";
import * as state from "../state/index.ts";
import { count, rate, sentence } from "../words.ts";
import { colours, paintShares, prepare } from "./paint.ts";

interface Span {
  start: number;
  end: number;
}

const x = (moment: number, span: Span, width: number) =>
  ((moment - span.start) / Math.max(1, span.end - span.start)) * width;
const moment = (at: number, span: Span, width: number) =>
  span.start + (at / Math.max(1, width)) * (span.end - span.start);

/** Steps of a ruler that people like. */
const NICE = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

function ruler(span: Span, width: number): { at: number; text: string }[] {
  const about = state.about.value;
  if (!about || width < 40) return [];
  const each = about.is_gamelog ? 1 : rate(about);
  const least = ((span.end - span.start) / each) * (90 / width);
  const nice = about.is_gamelog
    ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]
    : NICE;
  const step = (nice.find((one) => one >= least) ?? least) * each;
  // The first tick is applied at moment 1.
  const zero = 1;
  const marks: { at: number; text: string }[] = [];
  for (
    let n = Math.ceil((span.start - zero) / step);
    n * step + zero <= span.end && marks.length < 100;
    n++
  ) {
    const at = n * step + zero;
    marks.push({
      at,
      text: about.is_gamelog ? count(Math.round(at - zero)) : state.timeText(at, step < each),
    });
  }
  return marks;
}

function colourOf(player: number | null, otherwise: string): string {
  return (player !== null && state.shown.value?.players[player - 1]?.colour) || otherwise;
}

/** Everything of a bar but the position. */
function paintBase(canvas: HTMLCanvasElement, width: number, height: number, span: Span, isFine: boolean) {
  const context = prepare(canvas, width, height);
  if (!context) return;
  const hue = colours();
  const curves = state.story.value?.curves;
  const curve = curves?.find(({ name }) => name === state.barCurve.value) ?? curves?.[0];
  const until = state.horizon.value;
  const top = isFine ? 16 : 26;
  const box = { x: 0, y: top, width, height: height - top };
  context.fillStyle = hue.raised;
  context.fillRect(0, box.y, width, box.height);
  if (curve) {
    // Of a live match nothing is known before the moment that it was joined at, until somebody goes there.
    const from = Math.max(0, Math.min(width, x(state.about.value?.begin ?? 0, span, width)));
    const here = { ...box, x: from, width: width - from };
    const last = Math.min(until, state.lastMoment.value);
    paintShares(context, curve, here, (at) => moment(at, span, width), last);
  }

  // Damage.
  for (const { start, end } of state.losses.value) {
    if (start === null || start > until) continue;
    const from = x(start, span, width);
    const to = Math.max(x(end ?? start, span, width), from + 4);
    context.fillStyle = hue.warning;
    context.globalAlpha = 0.35;
    context.fillRect(from, box.y, to - from, box.height);
    context.globalAlpha = 1;
    context.fillRect(from, box.y - 2, to - from, 2);
  }

  // Times without a connection.
  context.fillStyle = hue.faint;
  for (const { start, end } of state.interruptions.value) {
    if (start > until) continue;
    const from = x(start, span, width);
    const to = Math.max(x(end ?? start, span, width), from + 3);
    context.globalAlpha = 0.6;
    context.fillRect(from, height - 4, to - from, 4);
    context.globalAlpha = 1;
  }

  if (isFine) {
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    for (const { at, text } of ruler(span, width)) {
      const left = Math.round(x(at, span, width)) + 0.5;
      context.strokeStyle = hue.line;
      context.beginPath();
      context.moveTo(left, 0);
      context.lineTo(left, height);
      context.stroke();
      if (left + context.measureText(text).width + 4 < width) {
        context.fillStyle = hue.faint;
        context.fillText(text, left + 4, 1);
      }
    }
  }

  // Best moments as bars on top.
  for (const { start, end, rank } of state.highlights.value) {
    const from = x(start, span, width);
    const to = Math.max(x(end, span, width), from + 4);
    if (to < 0 || from > width) continue;
    context.fillStyle = hue.accent;
    context.globalAlpha = rank <= 1 ? 1 : 0.55;
    context.beginPath();
    if (isFine) context.rect(from, top - 3, to - from, 3);
    else context.roundRect(from, 1, to - from, 7, 3);
    context.fill();
    context.globalAlpha = 1;
  }

  // Events.
  const near = isFine ? 3 : 2;
  for (const { moment: at, player } of state.visibleMarkers.value) {
    const left = x(at, span, width);
    if (left < -2 || left > width + 2) continue;
    context.fillStyle = colourOf(player, hue.faint);
    if (isFine) {
      context.fillRect(left - 1, box.y + 3, near, 12);
      context.strokeStyle = hue.veil;
      context.strokeRect(left - 1.5, box.y + 2.5, near + 1, 13);
    } else context.fillRect(left - 1, 12, near, 11);
  }

  // Own bookmarks.
  context.fillStyle = hue.text;
  for (const { moment: at } of state.bookmarks.value) {
    const left = x(at, span, width);
    context.beginPath();
    context.moveTo(left - 5, height);
    context.lineTo(left + 5, height);
    context.lineTo(left, height - 8);
    context.closePath();
    context.fill();
    context.strokeStyle = hue.veil;
    context.stroke();
  }

  // The loop.
  const loop = state.loop.value;
  if (loop) {
    const [from, to] = [x(loop.start, span, width), x(loop.end, span, width)];
    context.strokeStyle = hue.accent;
    context.lineWidth = 2;
    context.strokeRect(from, box.y + 1, Math.max(2, to - from), box.height - 2);
    context.lineWidth = 1;
  }
}

function paintPosition(
  canvas: HTMLCanvasElement,
  base: HTMLCanvasElement,
  width: number,
  height: number,
  span: Span,
  isFine: boolean,
) {
  const context = prepare(canvas, width, height);
  if (!context || base.width === 0) return;
  const hue = colours();
  context.drawImage(base, 0, 0, width, height);
  const at = x(state.target.value, span, width);
  // The future is dimmed.
  context.fillStyle = hue.veil;
  context.globalAlpha = 0.55;
  const from = Math.max(0, at);
  if (from < width) context.fillRect(from, isFine ? 16 : 0, width - from, height);
  context.globalAlpha = 1;
  if (!isFine && fineShown.value) {
    const fine = state.fineNow.value;
    const [a, b] = [x(fine.start, span, width), x(fine.end, span, width)];
    context.strokeStyle = hue.faint;
    context.globalAlpha = 0.8;
    context.strokeRect(Math.round(a) + 0.5, 26.5, Math.max(3, Math.round(b - a) - 1), height - 27);
    context.globalAlpha = 1;
  }
  // Live is where the bar ends that far.
  const edge = state.edge.value;
  if (edge !== null && edge <= state.horizon.value) {
    const live = x(edge, span, width);
    context.fillStyle = hue.live;
    context.fillRect(Math.round(live) - 1, isFine ? 16 : 22, 2, height);
  }
  context.fillStyle = hue.text;
  context.fillRect(Math.round(at) - 1, 0, 2, height);
}

export function Bar({ isFine }: { isFine: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const pointed = useSignal<{ x: number; moment: number } | null>(null);
  const dragged = useRef<{ id: number; loop: number | null; resume: -1 | 0 | 1 } | null>(null);
  const spanOf = () => (isFine ? state.fineNow.value : state.span.value);

  useLayoutEffect(() => {
    const element = box.current!;
    const base = document.createElement("canvas");
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    size.value = { width: element.clientWidth, height: element.clientHeight };
    // The story is painted when it changes, the position at every moment.
    let times = 0;
    const painted = computed(() => {
      void look.value;
      void state.shown.value?.players.length;
      const { width, height } = size.value;
      if (width > 0) paintBase(base, width, height, spanOf(), isFine);
      return times++;
    });
    const stop = effect(() => {
      void painted.value;
      const { width, height } = size.value;
      if (width > 0 && canvas.current) paintPosition(canvas.current, base, width, height, spanOf(), isFine);
    });
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { width } = size.value;
      const at = moment(event.clientX - element.getBoundingClientRect().left, spanOf(), width);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const { start, end } = state.fineNow.value;
        state.panFineTo(start + ((event.deltaX || event.deltaY) / width) * (end - start));
      } else state.zoomFine(event.deltaY > 0 ? 1.25 : 0.8, isFine ? at : state.target.value);
    };
    if (isFine) element.addEventListener("wheel", wheel, { passive: false });
    return () => {
      stop();
      observer.disconnect();
      element.removeEventListener("wheel", wheel);
    };
  }, []);

  const at = (event: PointerEvent) => {
    const left = event.clientX - box.current!.getBoundingClientRect().left;
    const span = spanOf();
    const known = Math.min(Math.max(moment(left, span, size.value.width), span.start), span.end);
    return Math.round(known);
  };
  const span = spanOf();
  const about = state.about.value;
  if (!about) return null;
  return (
    <div
      ref={box}
      class={isFine ? "bar fine" : "bar coarse"}
      role="slider"
      tabIndex={0}
      aria-label={isFine ? "Time, fine" : "Time"}
      aria-valuemin={Math.round(span.start)}
      aria-valuemax={Math.round(span.end)}
      aria-valuenow={Math.round(state.target.value)}
      aria-valuetext={state.nowText.value}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.focus({ preventScroll: true });
        event.currentTarget.setPointerCapture(event.pointerId);
        const here = at(event);
        dragged.current = {
          id: event.pointerId,
          loop: event.shiftKey ? here : null,
          resume: state.playing.value,
        };
        state.pause();
        if (!event.shiftKey) state.jump(here);
      }}
      onPointerMove={(event) => {
        const here = at(event);
        pointed.value = { x: x(here, spanOf(), size.value.width), moment: here };
        const drag = dragged.current;
        // While the position is dragged the board itself shows it.
        state.previewAt(drag || event.pointerType === "touch" ? null : here);
        if (drag?.id !== event.pointerId) return;
        if (drag.loop !== null) state.setLoop(drag.loop, here);
        else state.seek(here);
      }}
      onPointerUp={(event) => {
        const drag = dragged.current;
        if (drag?.id !== event.pointerId) return;
        dragged.current = null;
        if (drag.resume !== 0) state.play(drag.resume);
      }}
      onPointerCancel={() => {
        dragged.current = null;
      }}
      onPointerLeave={() => {
        pointed.value = null;
        state.previewAt(null);
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {pointed.value && <Tip {...pointed.value} width={size.value.width} span={span} />}
    </div>
  );
}

/** The board at the moment under the pointer. */
function Preview() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = state.previewSize;
  const shown = state.preview.value;
  useLayoutEffect(() => {
    const own = canvas.current!;
    const ratio = devicePixelRatio || 1;
    if (own.width !== Math.round(width * ratio)) own.width = Math.round(width * ratio);
    if (own.height !== Math.round(height * ratio)) own.height = Math.round(height * ratio);
    const context = own.getContext("2d");
    if (shown) context?.drawImage(shown.bitmap, 0, 0);
  }, [shown]);
  return (
    <canvas
      ref={canvas}
      class="tip-picture"
      data-moment={shown?.moment}
      style={{ width: `${width}px`, height: `${height}px` }}
    />
  );
}

/** Of a live match, is the moment here already? */
function isHere(at: number): boolean {
  const edge = state.edge.value;
  return at >= (state.about.value?.begin ?? 0) && (edge === null || at <= edge);
}

/** The time under the pointer and what happened near it. */
function Tip({ x: left, moment: at, width, span }: { x: number; moment: number; width: number; span: Span }) {
  const near = ((span.end - span.start) / Math.max(1, width)) * 5;
  const best = state.highlights.value.find(({ start, end }) => start - near <= at && at <= end + near);
  const events = state.visibleMarkers.value
    .filter((event) => Math.abs(event.moment - at) <= near)
    .sort((a, b) => Math.abs(a.moment - at) - Math.abs(b.moment - at))
    .slice(0, 4);
  const loss = state.losses.value.find(
    ({ start, end }) =>
      start !== null && start - near <= at && at <= (end ?? start) + near && start <= state.horizon.value,
  );
  const gone = state.interruptions.value.find(
    ({ start, end }) => start - near <= at && at <= (end ?? start) + near && start <= state.horizon.value,
  );
  const note = state.bookmarks.value.find((one) => Math.abs(one.moment - at) <= near);
  return (
    <div
      class="tip"
      role="presentation"
      style={{ left: `${Math.max(0, Math.min(left, width))}px` }}
      data-side={left < 140 ? "left" : left > width - 140 ? "right" : "middle"}
    >
      {state.about.value?.has_board && isHere(at) && at <= state.horizon.value && <Preview />}
      <strong>{state.timeText(at)}</strong>
      {best && <span class="tip-best">{sentence(best.text)}</span>}
      {events.map((event) => (
        <span key={`${event.moment} ${event.text}`} class="tip-event">
          <span class="swatch" style={{ background: colourOf(event.player, "var(--faint)") }} />
          {event.text}
        </span>
      ))}
      {note && <span class="tip-note">Bookmark{note.note ? `: ${note.note}` : ""}</span>}
      {loss && <span class="tip-loss">{loss.text}</span>}
      {gone && <span class="tip-note">Without a connection here</span>}
    </div>
  );
}
