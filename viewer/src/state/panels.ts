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
import { about, main, onShown, shown } from "./side.ts";

export type TabName = "players" | "events" | "moments" | "statistics" | "state" | "messages";

export const tab = signal<TabName>("players");

export const tabs = computed<TabName[]>(() => {
  const known = about.value;
  if (!known) return [];
  const list: TabName[] = [];
  if ((shown.value?.players.length ?? known.players.length) > 0) list.push("players");
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
  if (main.client) messages.value = (await main.client.ask("messages", {})).rows;
});

const readTree = newest<void>(async () => {
  if (!main.client) return;
  const { first, count } = treeWindow.value;
  const { rows, total } = await main.client.ask("tree", { open: treeOpen.value, first, count });
  tree.value = { rows, first, total };
});

/** The position or the panel changed: what is shown of it is read again. */
function follow() {
  if (!shown.value) return;
  if (main.selected.value) inspectAgain(main);
  if (openTab.value === "messages") readMessages();
  if (openTab.value === "state") readTree();
}
onShown.push(follow);
effect(() => {
  if (openTab.value === "messages" || openTab.value === "state") {
    void treeOpen.value;
    void treeWindow.value;
    untracked(follow);
  }
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
  const asked = main.client;
  if (!asked) return;
  tab.value = "state";
  const isAbove = (row: TreeRow) =>
    row.is_branch && !row.is_open && path.startsWith(row.path) && !/\w/.test(path[row.path.length] ?? "x");
  try {
    const count = 1000;
    for (let first = 0; main.client === asked; ) {
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
  if (!main.client) return;
  try {
    const { found } = await main.client.ask("search", { text });
    if (search.value?.text === text) {
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
