// The page of matches.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import * as state from "../state/index.ts";
import { count, sentence } from "../words.ts";
import { LiveCards } from "./Live.tsx";
import { FilePicker } from "./Start.tsx";

type Order = "date" | "name" | "length";

// What the list shows stays when somebody comes back from a match.
const text = signal("");
const chosen = signal<Order>("date");
const game = signal("");

function searchable(entry: state.MatchEntry): string {
  return [
    entry.name,
    entry.game,
    ...entry.players.map(({ name }) => name),
    state.spoilers.value ? entry.best?.text : "",
  ]
    .join(" ")
    .toLowerCase();
}

function day(date: string): string {
  const when = new Date(date);
  if (Number.isNaN(when.getTime())) return date;
  return when.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

export function Matches() {
  const all = state.matches.value;
  // The order may not show which match is the longest.
  const order = chosen.value === "length" && !state.spoilers.value ? "date" : chosen.value;
  const games = useMemo(
    () => [...new Set(all.map((entry) => entry.game ?? "").filter(Boolean))].sort(),
    [all],
  );
  const isOffered = games.includes(game.value);
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const list = all
    .filter((entry) => !isOffered || entry.game === game.value)
    .filter((entry) => words.every((word) => searchable(entry).includes(word)));
  const by: Record<Order, (a: state.MatchEntry, b: state.MatchEntry) => number> = {
    date: (a, b) => (b.date ?? "").localeCompare(a.date ?? "") || a.name.localeCompare(b.name),
    name: (a, b) => a.name.localeCompare(b.name),
    length: (a, b) => (b.seconds ?? b.turns ?? 0) - (a.seconds ?? a.turns ?? 0),
  };
  list.sort(by[order]);
  return (
    <main class="matches">
      <div class="matches-inside">
        <LiveCards />
        {all.length === 0 ? (
          <FilePicker label="Open a file" class="" />
        ) : (
          <div class="matches-head">
            <h2>
              Matches{" "}
              <span class="hint">
                {list.length === all.length
                  ? count(all.length)
                  : `${count(list.length)} of ${count(all.length)}`}
              </span>
            </h2>
            <div class="grow" />
            <input
              type="search"
              aria-label="Search matches"
              placeholder="Search players, names"
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
            {games.length > 1 && (
              <label>
                <span class="only-heard">Game</span>
                <select
                  value={isOffered ? game.value : ""}
                  onChange={(event) => {
                    game.value = event.currentTarget.value;
                  }}
                >
                  <option value="">All games</option>
                  {games.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
            )}
            <label>
              <span class="only-heard">Sort</span>
              <select
                value={order}
                onChange={(event) => {
                  chosen.value = event.currentTarget.value as Order;
                }}
              >
                <option value="date">Newest first</option>
                <option value="name">By name</option>
                {state.spoilers.value && <option value="length">Longest first</option>}
              </select>
            </label>
            <FilePicker label="Open a file" class="" />
          </div>
        )}
        {list.length === 0 && all.length > 0 && <p class="empty">No match is called that.</p>}
        <ul class="cards">
          {list.map((entry) => (
            <Card key={entry.src} entry={entry} />
          ))}
        </ul>
      </div>
    </main>
  );
}

function Card({ entry }: { entry: state.MatchEntry }) {
  const open = (time?: string) => (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.visit(entry.src, time);
  };
  const src = encodeURIComponent(entry.src);
  const told = state.spoilers.value;
  const length = told ? state.lengthOf(entry) : "";
  const names = entry.players.map(({ name }) => name).join(" · ");
  const results = entry.players.filter(({ result }) => result);
  return (
    <li class="match">
      <a class="match-link" href={`?src=${src}`} onClick={open()}>
        <div class="match-picture">
          {/* A picture may show who wins. */}
          {entry.picture && told ? (
            <img src={entry.picture} alt="" loading="lazy" />
          ) : (
            <span class="match-none">{entry.game ?? entry.format ?? ""}</span>
          )}
          {length && <span class="match-length">{length}</span>}
        </div>
        <div class="match-words">
          <h3>{names || entry.title || entry.name}</h3>
          <p class="hint">
            {[entry.game, names ? entry.name : null, entry.date ? day(entry.date) : null]
              .filter(Boolean)
              .join(" · ")}
          </p>
          {told && entry.outcome && <p class="match-outcome">{sentence(entry.outcome)}</p>}
          {told && !entry.outcome && results.length > 0 && (
            <p class="match-outcome">{results.map(({ name, result }) => `${name} ${result}`).join(", ")}</p>
          )}
          {entry.problem && (
            <p class="match-outcome warning-text" title={entry.problem}>
              {entry.picture ? "Damaged: a part of it is lost" : sentence(entry.problem)}
            </p>
          )}
        </div>
      </a>
      {told && entry.best && (
        <a
          class="match-best"
          href={`?src=${src}&t=${encodeURIComponent(entry.best.time)}`}
          onClick={open(entry.best.time)}
        >
          <span class="time">{entry.best.time}</span> {sentence(entry.best.text)}
        </a>
      )}
    </li>
  );
}
