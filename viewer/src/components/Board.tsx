// The board: a canvas that the worker draws, with what lies over it.
import { useLayoutEffect, useRef } from "preact/hooks";
import * as state from "../state/index.ts";
import { rate } from "../words.ts";
import { HoverCard, TileCard } from "./Cards.tsx";
import { Icon } from "./icons.tsx";
import { HeatLegend, Layers } from "./Layers.tsx";
import { SmallMap } from "./SmallMap.tsx";

export function Board({ side }: { side: state.Side }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const touches = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const isMain = side === state.main;

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const ratio = devicePixelRatio || 1;
      const { clientWidth: width, clientHeight: height } = element;
      const old = side.camera.size.value;
      if (old.width !== width || old.height !== height || old.ratio !== ratio)
        side.camera.size.value = { width, height, ratio };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    window.addEventListener("resize", measure);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      side.camera.zoomBy(Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 120 : 400)), point(event));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    const own = canvas.current!;
    side.useCanvas("board", own);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
      element.removeEventListener("wheel", wheel);
      side.dropCanvas("board", own);
    };
  }, []);

  const point = (event: { clientX: number; clientY: number }) => {
    const rect = box.current!.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };

  const down = (event: PointerEvent) => {
    if (event.button > 1) return;
    state.active.value = side;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    touches.current.set(event.pointerId, point(event));
    if (touches.current.size === 1) moved.current = 0;
    state.hover({ side, point: null });
  };
  const move = (event: PointerEvent) => {
    const now = point(event);
    const before = touches.current.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") state.hover({ side, point: now });
      return;
    }
    const others = [...touches.current].filter(([id]) => id !== event.pointerId);
    touches.current.set(event.pointerId, now);
    moved.current += Math.hypot(now.x - before.x, now.y - before.y);
    const other = others[0]?.[1];
    if (other) {
      // Two fingers: zoom by their distance, move by their middle.
      const [was, is] = [
        Math.hypot(before.x - other.x, before.y - other.y),
        Math.hypot(now.x - other.x, now.y - other.y),
      ];
      state.panBy(side, (before.x - now.x) / 2, (before.y - now.y) / 2);
      if (was > 0) side.camera.zoomBy(is / was, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else if (moved.current > 4) state.panBy(side, before.x - now.x, before.y - now.y);
  };
  const up = (event: PointerEvent) => {
    if (!touches.current.delete(event.pointerId)) return;
    if (event.type === "pointerup" && touches.current.size === 0 && moved.current <= 4) {
      void state.selectAt(side, point(event));
    }
  };

  return (
    <section class="stage" aria-label={isMain ? "Board" : "Board on the right"}>
      <div
        ref={box}
        class="board"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: moved by keys
        tabIndex={0}
        aria-label="Board. Keys W A S D move it, plus and minus zoom, Shift with W A S D selects tiles."
        onFocus={() => {
          state.active.value = side;
        }}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onPointerLeave={() => state.hover({ side, point: null })}
        onDblClick={(event) => side.camera.zoomBy(1.6, point(event))}
      >
        <canvas ref={canvas} class="board-canvas" aria-hidden="true" />
      </div>
      {isMain && <Ticker />}
      {isMain && <FollowChip />}
      {isMain && <HeatLegend />}
      <HoverCard side={side} />
      <TileCard side={side} />
      {side.camera.mapShown.value && <SmallMap side={side} />}
      {isMain && <Layers />}
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in  +" onClick={() => side.camera.zoomBy(1.4)}>
          <Icon name="plus" />
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          title="Zoom out  −"
          onClick={() => side.camera.zoomBy(1 / 1.4)}
        >
          <Icon name="minus" />
        </button>
        <button type="button" aria-label="Fit all" title="Fit all  F" onClick={() => side.camera.fit()}>
          <Icon name="fit" />
        </button>
      </div>
    </section>
  );
}

/** What the picture follows. */
function FollowChip() {
  const following = state.following.value;
  if (!following) return null;
  return (
    <p class="follow-chip">
      <Icon name="follow" /> Following {following.name}
      <button type="button" class="quiet square" aria-label="Stop following" onClick={state.unfollow}>
        <Icon name="close" />
      </button>
    </p>
  );
}

/** What happened just before, in words. */
function Ticker() {
  const about = state.about.value;
  const events = state.visibleEvents.value;
  const until = state.happened.value;
  if (!about) return null;
  const oldest = state.target.value - rate(about) * (about.is_gamelog ? 1 : 15);
  // Boards of gamelogs mostly fill their corners: one line has room above them.
  const most = about.is_gamelog ? 1 : 3;
  const last = events
    .slice(Math.max(0, until - most), until)
    .filter(({ moment }) => moment >= oldest)
    .reverse();
  return (
    <ol class="ticker" aria-label="Just happened">
      {last.map((event) => (
        <li
          key={`${event.moment} ${event.text}`}
          data-kind={event.kind}
          style={{
            borderLeftColor:
              (event.player && state.shown.value?.players[event.player - 1]?.colour) || "var(--line)",
          }}
        >
          <span class="time">{event.time}</span> {event.text}
        </li>
      ))}
    </ol>
  );
}
