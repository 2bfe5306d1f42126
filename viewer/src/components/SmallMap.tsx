import { useLayoutEffect, useRef } from "preact/hooks";
import * as state from "../state/index.ts";

/** The small map: where the picture is on the board. */
export function SmallMap({ side }: { side: state.Side }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const held = useRef(false);
  useLayoutEffect(() => {
    const own = canvas.current!;
    side.useCanvas("map", own);
    return () => side.dropCanvas("map", own);
  }, []);
  const at = side.camera.now.value;
  const map = side.camera.map.value;
  const { width, height } = side.camera.size.value;
  if (!at || !map) return null;
  const { width: w, height: h } = state.mapSize;
  const left = w / 2 + (at.x - width / 2 / at.zoom - map.x) * map.zoom;
  const top = h / 2 + (at.y - height / 2 / at.zoom - map.y) * map.zoom;
  const go = (event: PointerEvent) => {
    const rect = canvas.current!.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    if (side === state.main) state.unfollow();
    side.camera.move({ x: map.x + (x - w / 2) / map.zoom, y: map.y + (y - h / 2) / map.zoom, zoom: at.zoom });
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
