// Two boards side by side, in step: two views of one recording, or two recordings. What differs is marked.
import { batch, computed, effect, untracked } from "@preact/signals";
import type { About } from "../generated/shapes.ts";
import type { Origin } from "../requests.ts";
import { playing, target } from "./clock.ts";
import { kept } from "./kept.ts";
import { ofRecording, whenClosed } from "./lifetime.ts";
import { newest } from "./newest.ts";
import { announced, explain, say } from "./page.ts";
import { inspectAgain, same, select, unselect } from "./pointing.ts";
import { horizon, lastMoment } from "./position.ts";
import { about, active, drawsItself, main, onShown, Side, shown } from "./side.ts";
import { waitsFor } from "./time.ts";

export const isSplit = ofRecording(false);
/** Do both boards show the same part? */
export const linked = kept("linked-cameras", ["yes", "no"], "yes");
/** How much later the right side is, in its own moments. */
export const offset = ofRecording(0);
/** How many tiles differ. */
export const differing = ofRecording<number | null>(null);

export const second: Side = new Side({
  shown: (now) => {
    second.shown.value = now;
    if (second.selected.value) inspectAgain(second);
    compare();
  },
  failed: (error) => explain(error, () => follow(target.value)),
});
drawsItself(second);
waitsFor.push(() => !isSplit.value || !second.isWishing);
whenClosed(() => {
  second.close();
  active.value = main;
});

/** Is the right side another recording? */
export const isOther = computed(() => {
  void second.recording.value;
  return second.origin !== null && second.origin !== main.origin;
});

// ---------------------------------------------------------------- opening and closing

export async function split(from: Origin | null = main.origin, seen: readonly number[] | null = null) {
  const first = about.value;
  if (!from || !first?.has_board) {
    say("Only boards can be shown side by side");
    return;
  }
  offset.value = 0;
  differing.value = null;
  const began = second.start(from);
  isSplit.value = true;
  try {
    if (!(await began)) return;
    let known = await second.client!.ask("open", {});
    const other = seen ?? (from === main.origin ? otherView(first) : null);
    if (other) known = await second.client!.ask("view", { view: other });
    if (second.origin !== from) return;
    batch(() => {
      second.about.value = known;
      if (linked.value === "yes") second.camera.wished.value = main.camera.wished.value;
    });
    follow(target.value);
    announced.value = `Side by side: ${seenText(first)} and ${seenText(known)}`;
  } catch (error) {
    explain(error, () => void split(from, seen));
    unsplit();
  }
}

/** What the other side begins with: the next seat. */
function otherView(known: About): number[] | null {
  const next = known.views.find(({ view }) => !known.seen.includes(view) && view !== 0) ?? known.views[0];
  return next ? [next.view] : null;
}

/** Whose view it is, in words. */
export function seenText(known: About): string {
  const names = known.views.filter(({ view }) => known.seen.includes(view)).map(({ name }) => name);
  return names.join(" + ") || known.heading || known.name;
}

export function unsplit() {
  isSplit.value = false;
  differing.value = null;
  active.value = main;
  second.close();
  main.redraw();
}

export function toggleSplit() {
  if (isSplit.value) unsplit();
  else void split();
}

/** Whose view the right side is. */
export async function setSecondViews(views: readonly number[]) {
  const asked = second.client;
  if (!asked || !second.about.value) return;
  second.forget();
  try {
    const now = await asked.ask("view", { view: views });
    if (second.client !== asked) return;
    second.about.value = now;
    follow(target.value);
    if (second.selected.value) void select(second, second.selected.value);
  } catch (error) {
    explain(error, () => void setSecondViews(views));
  }
}

// ---------------------------------------------------------------- in step

/** The moment of the right side: the same time, with the offset. */
export function momentOf(moment: number): number {
  const [left, right] = [about.value, second.about.value];
  if (!left || !right) return moment;
  const hasClocks = left.tick_micros > 0 && right.tick_micros > 0;
  const same = hasClocks ? ((moment - 1) * left.tick_micros) / right.tick_micros + 1 : moment;
  // Of the same recording, nothing that is still to come, spoiler-free.
  // A live match has grown since it was opened.
  const last = isOther.value ? right.end : Math.min(Math.max(right.end, lastMoment.value), horizon.value);
  return Math.max(right.begin, Math.min(last, Math.round(same + offset.value)));
}

function follow(moment: number) {
  if (second.about.value) second.seek(momentOf(moment), null);
}

effect(() => {
  const to = target.value;
  void offset.value;
  if (isSplit.value) untracked(() => follow(to));
});

/** The offset in words: +2.5 s, −3 deltas. */
export const offsetText = computed(() => {
  const right = second.about.value;
  const by = offset.value;
  if (!right || by === 0) return "0";
  const sign = by > 0 ? "+" : "−";
  if (right.tick_micros <= 0) return `${sign}${Math.abs(by)}`;
  return `${sign}${Number(((Math.abs(by) * right.tick_micros) / 1e6).toFixed(2))} s`;
});

/** Moves the right side in time, in seconds or deltas. */
export function shift(by: number) {
  const right = second.about.value;
  if (!right) return;
  offset.value += right.tick_micros > 0 ? Math.round((by * 1e6) / right.tick_micros) : Math.round(by);
  announced.value = `The right side is at ${offsetText.value}`;
}

// ---------------------------------------------------------------- differences

const compareNow = newest<void>(async () => {
  const [left, right] = [main.client, second.client];
  if (!left || !right || !isSplit.value || !shown.value || !second.shown.value) return;
  // Not in step yet: the last of the two to arrive asks again.
  if (playing.value === 0 && second.shown.value.moment !== momentOf(shown.value.moment)) return;
  const [own, other] = await Promise.all([left.looks(), right.looks()]);
  const [found] = await Promise.all([left.compare(other), right.compare(own)]);
  differing.value = found;
  main.redraw();
  second.redraw();
});

function compare() {
  if (isSplit.value) compareNow();
}
onShown.push(compare);

/** The side that panels are not about. */
export const otherSide = computed(() => (active.value === main ? second : main));

/** The value of the other side where it is another one. */
export function otherValue(player: string, name: string, own: unknown): unknown {
  const players = isSplit.value ? otherSide.value.shown.value?.players : undefined;
  const values = players?.find(({ id }) => id === player)?.values;
  const other = values?.find((one) => one.name === name)?.value;
  return players && JSON.stringify(other) !== JSON.stringify(own) ? (other ?? null) : undefined;
}

// ---------------------------------------------------------------- linked cameras and selection

effect(() => {
  const left = main.camera.wished.value;
  if (untracked(() => isSplit.value && linked.value === "yes")) second.camera.wished.value = left;
});
effect(() => {
  const right = second.camera.wished.value;
  if (untracked(() => isSplit.value && linked.value === "yes" && second.about.value !== null))
    main.camera.wished.value = right;
});

/** The same tile is selected on both. */
function alsoSelect(from: Side, to: Side) {
  const tile = from.selected.value;
  untracked(() => {
    if (!isSplit.value || linked.value === "no" || !to.about.value) return;
    if (!tile) unselect(to);
    else if (!same(tile, to.selected.value)) void select(to, tile);
  });
}
effect(() => alsoSelect(main, second));
effect(() => alsoSelect(second, main));
