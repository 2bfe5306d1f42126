// The board: a canvas that the worker draws, with what lies over it.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Player, Value } from "../generated/shapes.ts";
import * as state from "../state.ts";
import { rate, valueText } from "../words.ts";
import { Icon } from "./icons.tsx";

export function Board() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const touches = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const ratio = devicePixelRatio || 1;
      const { clientWidth: width, clientHeight: height } = element;
      const old = state.stage.value;
      if (old.width !== width || old.height !== height || old.ratio !== ratio)
        state.stage.value = { width, height, ratio };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    window.addEventListener("resize", measure);
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      state.zoomBy(Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 120 : 400)), point(event));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    const own = canvas.current!;
    state.useCanvas("board", own);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
      element.removeEventListener("wheel", wheel);
      state.dropCanvas("board", own);
    };
  }, []);

  const point = (event: { clientX: number; clientY: number }) => {
    const rect = box.current!.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  };

  const down = (event: PointerEvent) => {
    if (event.button > 1) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    touches.current.set(event.pointerId, point(event));
    if (touches.current.size === 1) moved.current = 0;
    state.hover(null);
  };
  const move = (event: PointerEvent) => {
    const now = point(event);
    const before = touches.current.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== "touch") state.hover(now);
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
      state.panBy((before.x - now.x) / 2, (before.y - now.y) / 2);
      if (was > 0) state.zoomBy(is / was, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else if (moved.current > 4) state.panBy(before.x - now.x, before.y - now.y);
  };
  const up = (event: PointerEvent) => {
    if (!touches.current.delete(event.pointerId)) return;
    if (event.type === "pointerup" && touches.current.size === 0 && moved.current <= 4) {
      const { x, y } = point(event);
      void state.selectAt(x, y);
    }
  };

  return (
    <section class="stage" aria-label="Board">
      <div
        ref={box}
        class="board"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: moved by keys
        tabIndex={0}
        aria-label="Board. Keys W A S D move it, plus and minus zoom, Shift with W A S D selects tiles."
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onPointerLeave={() => state.hover(null)}
        onDblClick={(event) => state.zoomBy(1.6, point(event))}
      >
        <canvas ref={canvas} class="board-canvas" aria-hidden="true" />
      </div>
      <Ticker />
      <HoverCard />
      <TileCard />
      {state.mapShown.value && <SmallMap />}
      <div class="zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in  +" onClick={() => state.zoomBy(1.4)}>
          <Icon name="plus" />
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out  −" onClick={() => state.zoomBy(1 / 1.4)}>
          <Icon name="minus" />
        </button>
        <button type="button" aria-label="Fit all" title="Fit all  F" onClick={state.fit}>
          <Icon name="fit" />
        </button>
      </div>
    </section>
  );
}

/** What happened just before, in words. */
function Ticker() {
  const about = state.about.value;
  const events = state.visibleEvents.value;
  const until = state.happened.value;
  if (!about) return null;
  const oldest = state.target.value - rate(about) * (about.is_gamelog ? 1 : 15);
  const last = events
    .slice(Math.max(0, until - 3), until)
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

export function Words({ value, players }: { value: Value["value"]; players: Player[] }) {
  const text = valueText(value, players);
  if (typeof value === "object" && "player" in value) {
    const player = players[value.player - 1];
    return (
      <span class="of-player">
        {player && <span class="swatch" style={{ background: player.colour }} />}
        {text}
      </span>
    );
  }
  if (typeof value === "object" && "tile" in value) {
    return (
      <button type="button" class="link" onClick={() => void state.select(value.tile)}>
        {text}
      </button>
    );
  }
  return <>{text}</>;
}

function HoverCard() {
  const at = state.hovered.value;
  if (!at?.card) return null;
  const chosen = state.selected.value;
  if (chosen && chosen[0] === at.tile[0] && chosen[1] === at.tile[1]) return null;
  const { width, height } = state.stage.value;
  const players = state.shown.value?.players ?? [];
  return (
    <div
      class="card hover-card"
      aria-hidden="true"
      style={{
        left: `${at.x > width - 260 ? at.x - 16 : at.x + 16}px`,
        top: `${at.y > height - 200 ? at.y - 16 : at.y + 16}px`,
        transform: `translate(${at.x > width - 260 ? "-100%" : "0"}, ${at.y > height - 200 ? "-100%" : "0"})`,
      }}
    >
      <h2>{at.card.title}</h2>
      <dl>
        {at.card.values.slice(0, 6).map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>
              <Words value={value} players={players} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function TileCard() {
  const tile = state.selected.value;
  const card = state.inspection.value;
  if (!tile || !card) return null;
  const players = state.shown.value?.players ?? [];
  return (
    <aside class="card tile-card" data-side={state.cardSide.value} aria-label={`Tile ${card.title}`}>
      <header>
        <h2>{card.title}</h2>
        <button type="button" class="quiet square" aria-label="Close the card" onClick={state.unselect}>
          <Icon name="close" />
        </button>
      </header>
      <dl tabIndex={0}>
        {card.values.map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>
              <Words value={value} players={players} />
            </dd>
          </div>
        ))}
      </dl>
      <History />
    </aside>
  );
}

/** When the tile changed: each time is a link. */
function History() {
  const changes = state.changes.value;
  if (changes === "asked") return <p class="history">Looking for changes …</p>;
  if (changes === null) {
    return (
      <p class="history">
        <button type="button" class="link" onClick={() => void state.askHistory()}>
          When did this change?
        </button>
      </p>
    );
  }
  const known = changes.filter(({ moment }) => moment <= state.horizon.value);
  if (known.length === 0) return <p class="history">Never changed</p>;
  const now = state.target.value;
  // Around the position, the nearest first.
  const near = [...known].sort((a, b) => Math.abs(a.moment - now) - Math.abs(b.moment - now)).slice(0, 12);
  near.sort((a, b) => b.moment - a.moment);
  return (
    <div class="history">
      <h3>Changed at</h3>
      <ol>
        {near.map(({ moment, time, text }) => (
          <li key={`${moment} ${text}`}>
            <button
              type="button"
              class="row-button"
              aria-current={moment === now ? "time" : undefined}
              onClick={() => state.jump(moment)}
            >
              <span class="time">{time}</span>
              <span class="grow two-lines" title={text}>
                {text}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {known.length > near.length && <p class="hint">and {known.length - near.length} more</p>}
    </div>
  );
}

/** The small map: where the picture is on the board. */
function SmallMap() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const held = useRef(false);
  useLayoutEffect(() => {
    const own = canvas.current!;
    state.useCanvas("map", own);
    return () => state.dropCanvas("map", own);
  }, []);
  const at = state.cameraNow.value;
  const map = state.mapCamera.value;
  const { width, height } = state.stage.value;
  if (!at || !map) return null;
  const { width: w, height: h } = state.mapSize;
  const left = w / 2 + (at.x - width / 2 / at.zoom - map.x) * map.zoom;
  const top = h / 2 + (at.y - height / 2 / at.zoom - map.y) * map.zoom;
  const go = (event: PointerEvent) => {
    const rect = canvas.current!.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    state.moveCamera({ x: map.x + (x - w / 2) / map.zoom, y: map.y + (y - h / 2) / map.zoom, zoom: at.zoom });
  };
  return (
    <div
      class="map"
      role="img"
      aria-label="Small map"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        held.current = true;
        go(event);
      }}
      onPointerMove={(event) => {
        if (held.current) go(event);
      }}
      onPointerUp={() => {
        held.current = false;
      }}
      onPointerCancel={() => {
        held.current = false;
      }}
    >
      <canvas ref={canvas} width={w} height={h} aria-hidden="true" />
      <div
        class="map-frame"
        style={{
          left: `${left}px`,
          top: `${top}px`,
          width: `${(width / at.zoom) * map.zoom}px`,
          height: `${(height / at.zoom) * map.zoom}px`,
        }}
      />
    </div>
  );
}
