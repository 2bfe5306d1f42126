// Panels beside the board, and what they read at each position.
import { computed, effect, signal, untracked } from "@preact/signals";
import { Stale } from "../client.ts";
import type { Found, TreeRow } from "../requests.ts";
import { story } from "./events.ts";
import { ofRecording, ofView } from "./lifetime.ts";
import { newest } from "./newest.ts";
import { explain, say } from "./page.ts";
import { inspectAgain } from "./pointing.ts";
import { horizon } from "./position.ts";
import { active, main, onShown } from "./side.ts";

export type TabName = "players" | "events" | "moments" | "statistics" | "state" | "messages";

export const tab = signal<TabName>("players");

export const tabs = computed<TabName[]>(() => {
  const side = active.value;
  const known = side.about.value;
  if (!known) return [];
  const list: TabName[] = [];
  if ((side.shown.value?.players.length ?? known.players.length) > 0) list.push("players");
  list.push("events", "moments");
  if (story.value?.curves.length) list.push("statistics");
  if (known.has_tree) list.push("state");
  if (known.has_messages) list.push("messages");
  return list;
});
export const openTab = computed<TabName>(() =>
  tabs.value.includes(tab.value) ? tab.value : (tabs.value[0] ?? "events"),
);

export const messages = ofView<string[] | null>(null);
export const tree = ofView<{ rows: TreeRow[]; first: number; total: number } | null>(null);
export const treeOpen = ofRecording<string[]>([]);
export const treeWindow = signal<{ first: number; count: number }>({ first: 0, count: 40 });
export const treeSought = ofRecording<string | null>(null);
export const search = ofView<{ text: string; found: Found[] | null; refused: string | null } | null>(null);

const readMessages = newest<void>(async () => {
  const side = active.value;
  const rows = (await side.client?.ask("messages", {}))?.rows;
  if (rows && side === active.value) messages.value = rows;
});

const readTree = newest<void>(async () => {
  const side = active.value;
  if (!side.client) return;
  const { first, count } = treeWindow.value;
  const { rows, total } = await side.client.ask("tree", { open: treeOpen.value, first, count });
  if (side === active.value) tree.value = { rows, first, total };
});

onShown.push(() => {
  if (main.selected.value) inspectAgain(main);
});

/** The position, the panel or the side changed: what is shown of it is read again. */
effect(() => {
  const [open, now] = [openTab.value, active.value.shown.value];
  if (!now) {
    // Another view, or another side: what was read is not of it.
    messages.value = null;
    tree.value = null;
  } else if (open === "messages") {
    untracked(readMessages);
  } else if (open === "state") {
    void treeOpen.value;
    void treeWindow.value;
    untracked(readTree);
  }
});
/** Another side: nothing of the one before stays. */
effect(() => {
  void active.value;
  messages.value = null;
  tree.value = null;
  untracked(() => search.value?.text && searchFor(search.value.text));
});

export function nextTab() {
  const list = tabs.value;
  const next = list[(list.indexOf(openTab.value) + 1) % list.length];
  if (next) tab.value = next;
}

export function toggleBranch(path: string) {
  const now = treeOpen.value;
  treeOpen.value = now.includes(path) ? now.filter((one) => one !== path) : [...now, path];
}

/** Opens what is above a path, and finds its row. */
export async function showPath(path: string) {
  const asked = active.value.client;
  if (!asked) return;
  tab.value = "state";
  const isAbove = (row: TreeRow) =>
    row.is_branch && !row.is_open && path.startsWith(row.path) && !/\w/.test(path[row.path.length] ?? "x");
  try {
    const count = 1000;
    for (let first = 0; active.value.client === asked; ) {
      const { rows, total } = await asked.ask("tree", { open: treeOpen.value, first, count });
      const at = rows.findIndex((row) => row.path === path);
      if (at >= 0) {
        treeWindow.value = { ...treeWindow.value, first: Math.max(0, first + at - 4) };
        treeSought.value = path;
        return;
      }
      const above = rows.find(isAbove);
      if (above) {
        // Its rows follow it.
        treeOpen.value = [...treeOpen.value, above.path];
        first += rows.indexOf(above);
        continue;
      }
      // Fewer rows may come than were asked for.
      first += rows.length;
      if (first >= total || rows.length === 0) break;
    }
    say(`${path} is not there at this moment`);
  } catch (error) {
    explain(error, null);
  }
}

const runSearch = newest<string>(async (text) => {
  const side = active.value;
  if (!side.client) return;
  try {
    const { found } = await side.client.ask("search", { text });
    if (search.value?.text === text && side === active.value) {
      const known = found.filter(({ moment }) => (moment ?? 0) <= horizon.value);
      search.value = { text, found: known, refused: null };
    }
  } catch (error) {
    if (error instanceof Stale) return;
    if (search.value?.text === text)
      search.value = { text, found: [], refused: String((error as Error).message) };
  }
});

export function searchFor(text: string) {
  search.value = { text, found: search.value?.found ?? null, refused: null };
  if (text.trim()) runSearch(text);
  else search.value = { text: "", found: null, refused: null };
}
