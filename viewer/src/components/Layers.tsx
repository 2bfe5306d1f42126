// What lies over the board: which heat map, ways of pieces; and what the colours mean.
import * as state from "../state/index.ts";
import { Icon } from "./icons.tsx";
import { Menu } from "./Menu.tsx";

export function Layers() {
  const heats = state.about.value?.heats ?? [];
  const isOn = state.heat.value !== null || state.trails.value;
  return (
    <Menu
      class="layers"
      label="Heat maps and ways"
      title="Heat maps  H · ways of pieces  M"
      isOn={isOn}
      button={<Icon name="heat" />}
    >
      {heats.length > 0 && (
        <fieldset>
          <legend>Heat map</legend>
          {[null, ...heats].map((kind) => (
            <label key={kind ?? "none"}>
              <input
                type="radio"
                name="heat"
                checked={state.heat.value === kind}
                onChange={() => state.setHeat(kind)}
              />
              {kind ? state.HEAT_WORDS[kind] : "None"}
            </label>
          ))}
        </fieldset>
      )}
      <label>
        <input type="checkbox" checked={state.trails.value} onChange={state.toggleTrails} />
        Ways of pieces
      </label>
    </Menu>
  );
}

export function HeatLegend() {
  const legend = state.main.legend.value;
  if (!legend || state.heat.value === null) return null;
  return (
    <figure class="heat-legend" data-map={state.main.camera.mapShown.value}>
      <figcaption>{legend.title}</figcaption>
      <div
        class="heat-scale"
        style={{ background: `linear-gradient(to right, ${legend.colours.join(", ")})` }}
      />
      <div class="heat-ends">
        <span>{legend.low}</span>
        <span>{legend.high}</span>
      </div>
    </figure>
  );
}
