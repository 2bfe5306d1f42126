// A curve of each player over time; a click goes there.
import { computed, effect, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { look } from "../media.ts";
import * as state from "../state/index.ts";
import { plain, short } from "../words.ts";
import { type Curve, colours, prepare, valueAt } from "./paint.ts";

export function Chart({ curve }: { curve: Curve }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const pointed = useSignal<number | null>(null);
  const own = useRef(curve);
  own.current = curve;

  useLayoutEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    size.value = { width: element.clientWidth, height: element.clientHeight };
    const base = document.createElement("canvas");
    let times = 0;
    const painted = computed(() => {
      void look.value;
      void state.story.value;
      const { width, height } = size.value;
      if (width > 0) paint(base, own.current, width, height);
      return times++;
    });
    const stop = effect(() => {
      void painted.value;
      const { width, height } = size.value;
      if (width === 0 || !canvas.current) return;
      const context = prepare(canvas.current, width, height);
      if (!context) return;
      const hue = colours();
      context.drawImage(base, 0, 0, width, height);
      const span = state.span.value;
      const at = ((state.target.value - span.start) / (span.end - span.start)) * width;
      context.fillStyle = hue.veil;
      context.globalAlpha = 0.45;
      context.fillRect(at, 0, width - at, height);
      context.globalAlpha = 1;
      context.fillStyle = hue.text;
      context.fillRect(Math.round(at) - 0.5, 0, 1, height);
      if (pointed.value !== null) {
        context.fillStyle = hue.faint;
        context.fillRect(
          Math.round(((pointed.value - span.start) / (span.end - span.start)) * width),
          0,
          1,
          height,
        );
      }
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, []);

  const at = (event: PointerEvent) => {
    const rect = box.current!.getBoundingClientRect();
    const { start, end } = state.span.value;
    const share = Math.min(Math.max((event.clientX - rect.left) / rect.width, 0), 1);
    return Math.round(start + share * (end - start));
  };
  const when = Math.min(pointed.value ?? state.target.value, state.horizon.value);
  return (
    <figure class="chart">
      <figcaption>
        <h2>{plain(curve.name)}</h2>
        {(state.story.value?.curves.length ?? 0) > 1 && (
          <button
            type="button"
            class="chip"
            aria-pressed={(state.barCurve.value ?? state.story.value?.curves[0]?.name) === curve.name}
            aria-label={`Shares of ${plain(curve.name)} in the bar`}
            onClick={() => {
              state.barCurve.value = curve.name;
            }}
          >
            in the bar
          </button>
        )}
        <span class="grow" />
        <span class="time">{state.timeText(when)}</span>
      </figcaption>
      <div
        ref={box}
        class="chart-box"
        role="presentation"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          state.jump(at(event));
        }}
        onPointerMove={(event) => {
          pointed.value = at(event);
          if (event.buttons === 1) state.seek(at(event));
        }}
        onPointerLeave={() => {
          pointed.value = null;
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <ul class="chart-legend">
        {curve.players.map(({ player, name, colour, points }) => (
          <li key={player}>
            <span class="swatch" style={{ background: colour }} />
            {name} <strong>{short(Math.round(valueAt(points, when) * 100) / 100)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  );
}

function paint(canvas: HTMLCanvasElement, curve: Curve, width: number, height: number) {
  const context = prepare(canvas, width, height);
  if (!context) return;
  const hue = colours();
  const span = state.span.value;
  const until = state.horizon.value;
  let most = 0;
  let least = 0;
  for (const { points } of curve.players) {
    for (const [moment, value] of points) {
      if (moment > until) break;
      most = Math.max(most, value);
      least = Math.min(least, value);
    }
  }
  const room = Math.max(most - least, 1e-9) * 1.08;
  const y = (value: number) => height - 1 - ((value - least) / room) * (height - 6);
  const x = (moment: number) => ((moment - span.start) / (span.end - span.start)) * width;
  context.strokeStyle = hue.line;
  context.beginPath();
  for (const part of [0, 0.5, 1]) {
    const at = Math.round(y(least + (most - least) * part)) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
  context.lineWidth = 1.75;
  context.lineJoin = "round";
  for (const { points, colour } of curve.players) {
    context.strokeStyle = colour;
    context.beginPath();
    let column = Number.NEGATIVE_INFINITY;
    for (const [moment, value] of points) {
      if (moment > until) break;
      const at = x(moment);
      // No more points than pixels.
      if (at - column < 0.5) continue;
      column = at;
      context.lineTo(at, y(value));
    }
    context.stroke();
  }
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = hue.faint;
  context.textBaseline = "top";
  context.fillText(short(Math.round(most * 100) / 100), 4, Math.max(0, y(most) + 3));
}
