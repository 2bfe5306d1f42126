// What lies over the board: heat maps of a range, and the ways of pieces.
import { computed } from "@preact/signals";
import type { HeatKind } from "../generated/shapes.ts";
import { rate } from "../words.ts";
import { edge } from "./clock.ts";
import { ofRecording, ofView } from "./lifetime.ts";
import { announced, say } from "./page.ts";
import { horizon } from "./position.ts";
import { about, type Extras, main } from "./side.ts";
import { isSplit, second } from "./split.ts";
import { loop } from "./time.ts";

/** Ways are as long as this, in seconds, or in deltas of a gamelog. */
const TRAIL_SECONDS = 20;
const TRAIL_DELTAS = 40;
/** Spoiler-free, a heat map grows in steps of this many seconds. */
const STEP_SECONDS = 10;

export const heat = ofView<HeatKind | null>(null);
export const trails = ofRecording(false);

export const HEAT_WORDS: Record<HeatKind, string> = {
  deaths: "Deaths",
  fights: "Fights",
  ownership: "Ownership",
  attention: "Attention",
};

/** The loop, or all that may be shown. */
const heatRange = computed(() => {
  const known = about.value;
  if (!known) return { from: 0, to: 0 };
  const step = rate(known) * STEP_SECONDS;
  // A match that goes on is counted in the same steps.
  const reached = Math.floor(Math.min(horizon.value, edge.value ?? horizon.value) / step) * step;
  const [from, to] = loop.value ? [loop.value.start, loop.value.end] : [known.begin, edge.value ?? known.end];
  return { from, to: Math.max(from, Math.min(to, reached)) };
});

const extras = computed<Extras>(() => {
  const known = about.value;
  const all: Extras = {};
  if (isSplit.value) all.differences = true;
  if (heat.value) all.heat = { kind: heat.value, ...heatRange.value };
  if (trails.value && known)
    all.trails = known.is_gamelog ? TRAIL_DELTAS : Math.round(rate(known) * TRAIL_SECONDS);
  return all;
});
main.extras = extras;
second.extras = computed(() => {
  const { heat: _, ...others } = extras.value;
  return others;
});

export function setHeat(kind: HeatKind | null) {
  heat.value = kind;
  announced.value = kind ? `Heat map: ${HEAT_WORDS[kind]}` : "No heat map";
}

/** The next heat map, then none. */
export function nextHeat() {
  const kinds = about.value?.heats ?? [];
  if (kinds.length === 0) return say("This recording has no heat maps");
  const at = heat.value === null ? -1 : kinds.indexOf(heat.value);
  setHeat(kinds[at + 1] ?? null);
}

export function toggleTrails() {
  trails.value = !trails.value;
  announced.value = trails.value ? "Ways of pieces are shown" : "Ways of pieces are hidden";
}
