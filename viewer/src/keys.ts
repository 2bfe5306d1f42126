// The keyboard: one table for what keys do and for the overlay that lists them.
import * as state from "./state/index.ts";

interface Key {
  /** As `event.key`, with "Shift+" before letters and arrows where it counts. */
  keys: string[];
  label: string;
  run(): void;
}

interface Group {
  title: string;
  keys: Key[];
}

/** How far a key moves the board, in CSS pixels. */
const PAN = 80;

function pan(dx: number, dy: number) {
  state.panBy(state.active.value, dx, dy);
}

function fit() {
  state.unfollow();
  state.active.value.camera.fit();
}

export const GROUPS: Group[] = [
  {
    title: "Time",
    keys: [
      { keys: [" ", "k"], label: "Play or pause", run: state.toggle },
      { keys: ["l"], label: "Play forward; again: faster", run: () => state.shuttle(1) },
      { keys: ["j"], label: "Play backward; again: faster", run: () => state.shuttle(-1) },
      { keys: ["ArrowRight"], label: "Next change", run: () => void state.step(true, "change") },
      { keys: ["ArrowLeft"], label: "Previous change", run: () => void state.step(false, "change") },
      { keys: ["."], label: "Next tick", run: () => void state.step(true, "tick") },
      { keys: [","], label: "Previous tick", run: () => void state.step(false, "tick") },
      { keys: ["Shift+ArrowRight"], label: "Next turn", run: () => void state.step(true, "turn") },
      { keys: ["Shift+ArrowLeft"], label: "Previous turn", run: () => void state.step(false, "turn") },
      { keys: ["ArrowDown"], label: "Next event", run: () => state.stepMarker(true) },
      { keys: ["ArrowUp"], label: "Previous event", run: () => state.stepMarker(false) },
      { keys: ["n"], label: "Next moment or bookmark", run: () => state.stepHighlight(true) },
      { keys: ["p"], label: "Previous moment or bookmark", run: () => state.stepHighlight(false) },
      { keys: [">"], label: "Faster", run: () => state.faster(true) },
      { keys: ["<"], label: "Slower", run: () => state.faster(false) },
      { keys: ["Home"], label: "To the beginning", run: () => state.jump(state.firstMoment.value) },
      { keys: ["End"], label: "To the end; of a live match to live", run: state.toEnd },
      { keys: ["e"], label: "Catch up to live", run: state.catchUp },
      { keys: ["g"], label: "Go to a time", run: () => open("goto") },
    ],
  },
  {
    title: "Loop and bookmarks",
    keys: [
      { keys: ["o"], label: "Loop on or off", run: state.toggleLoop },
      { keys: ["["], label: "Loop begins here", run: () => state.loopFromHere(true) },
      { keys: ["]"], label: "Loop ends here", run: () => state.loopFromHere(false) },
      { keys: ["b"], label: "Bookmark on or off", run: () => state.toggleBookmark() },
      { keys: ["z"], label: "Zoom the fine bar in", run: () => state.zoomFine(0.5) },
      { keys: ["Shift+Z"], label: "Zoom the fine bar out", run: () => state.zoomFine(2) },
    ],
  },
  {
    title: "Board",
    keys: [
      { keys: ["+", "="], label: "Zoom in", run: () => state.active.value.camera.zoomBy(1.25) },
      { keys: ["-"], label: "Zoom out", run: () => state.active.value.camera.zoomBy(0.8) },
      { keys: ["f"], label: "Fit all", run: fit },
      { keys: ["w"], label: "Move up", run: () => pan(0, -PAN) },
      { keys: ["a"], label: "Move left", run: () => pan(-PAN, 0) },
      { keys: ["s"], label: "Move down", run: () => pan(0, PAN) },
      { keys: ["d"], label: "Move right", run: () => pan(PAN, 0) },
      {
        keys: ["Shift+W"],
        label: "Select the tile above",
        run: () => void state.moveSelection(state.active.value, 0, -1),
      },
      {
        keys: ["Shift+A"],
        label: "Select the tile to the left",
        run: () => void state.moveSelection(state.active.value, -1, 0),
      },
      {
        keys: ["Shift+S"],
        label: "Select the tile below",
        run: () => void state.moveSelection(state.active.value, 0, 1),
      },
      {
        keys: ["Shift+D"],
        label: "Select the tile to the right",
        run: () => void state.moveSelection(state.active.value, 1, 0),
      },
      { keys: ["u"], label: "Follow a piece or a player; again: stop", run: state.toggleFollow },
      { keys: ["h"], label: "Next heat map, then none", run: state.nextHeat },
      { keys: ["m"], label: "Ways of pieces on or off", run: state.toggleTrails },
      { keys: ["Escape"], label: "Nothing selected", run: () => state.unselect(state.active.value) },
    ],
  },
  {
    title: "Page",
    keys: [
      { keys: ["0"], label: "All-seeing view", run: () => void state.setView(0) },
      { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], label: "View of a seat", run() {} },
      { keys: ["Shift+1 … 9"], label: "One seat more, or less", run() {} },
      { keys: ["i"], label: "Side by side on or off", run: state.toggleSplit },
      { keys: ["{"], label: "Right side earlier", run: () => state.shift(-0.5) },
      { keys: ["}"], label: "Right side later", run: () => state.shift(0.5) },
      { keys: ["/"], label: "Search", run: () => open("search") },
      { keys: ["c"], label: "Share", run: () => open("share") },
      { keys: ["t"], label: "Next tab", run: state.nextTab },
      { keys: ["x"], label: "Spoiler-free on or off", run: toggleSpoilers },
      { keys: ["?"], label: "Keys", run: () => open("keys") },
    ],
  },
];

export function toggleSpoilers() {
  state.spoilerFree.value = state.spoilers.value ? "yes" : "no";
  state.say(
    state.spoilers.value ? "Spoilers are shown" : "Spoiler-free: nothing that is still to come is shown",
  );
}

function open(what: state.Overlay) {
  if (what !== "keys" && !state.about.value) return;
  // Who is live stays so, and shares that.
  if (what !== "keys" && !(what === "share" && state.atLive.value)) state.pause();
  if (what === "search") state.searchFor("");
  state.overlay.value = what;
}

const table = new Map<string, Key>();
for (const { keys } of GROUPS) for (const key of keys) for (const name of key.keys) table.set(name, key);

export function keyName(name: string): string {
  const named: Record<string, string> = {
    " ": "Space",
    ArrowRight: "→",
    ArrowLeft: "←",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
  };
  return (
    name
      .split("+")
      .map((part) => named[part] ?? (part.length === 1 ? part.toUpperCase() : part))
      .join(" ")
      .trim() || "+"
  );
}

export function onKey(event: KeyboardEvent) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const on = event.target as HTMLElement;
  if (state.overlay.value !== null) return;
  // A dialog that is just closing holds no keys back.
  const isField = on.closest?.("input:not([type=checkbox], [type=radio]), select, textarea");
  if (isField && !on.closest("dialog")) return;
  const isPress = event.key === " " || event.key === "Enter";
  if (isPress && on.closest?.("button, a, summary, input, [role=tab], [role=radio]")) return;
  const isArrow = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
  if (isArrow && on.closest?.("[role=tablist], [role=radiogroup], [role=tree], input")) return;
  // Digits with Shift are other signs on every keyboard.
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  if (event.shiftKey && digit && state.about.value) {
    event.preventDefault();
    void state.toggleSeat(Number(digit));
    return;
  }
  if (event.key === "?") {
    event.preventDefault();
    open("keys");
    return;
  }
  if (!state.about.value) return;
  const shifted = event.shiftKey && (isArrow || /^[a-z]$/i.test(event.key));
  const name = shifted
    ? `Shift+${event.key.length === 1 ? event.key.toUpperCase() : event.key}`
    : event.key.length === 1
      ? event.key.toLowerCase()
      : event.key;
  const key = table.get(name);
  if (!key) return;
  event.preventDefault();
  if (/^[1-9]$/.test(name)) void state.setView(Number(name));
  else key.run();
}
