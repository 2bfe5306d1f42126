// Beside the board: players, events, moments, statistics, state, messages.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Player, Value } from "../generated/shapes.ts";
import type { TreeRow } from "../requests.ts";
import * as state from "../state/index.ts";
import { count, plain, sentence, short } from "../words.ts";
import { Words } from "./Cards.tsx";
import { Chart } from "./Chart.tsx";
import { Icon } from "./icons.tsx";
import { List } from "./List.tsx";

const TITLES: Record<state.TabName, string> = {
  players: "Players",
  events: "Events",
  moments: "Moments",
  statistics: "Statistics",
  state: "State",
  messages: "Messages",
};

export function Panels() {
  const list = state.tabs.value;
  const open = state.openTab.value;
  const move = (event: KeyboardEvent) => {
    const at = list.indexOf(open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = list[(to + list.length) % list.length]!;
    state.tab.value = next;
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <section class="side" aria-label="Panels">
      <div class="tabs" role="tablist" aria-label="Panels" tabIndex={-1} onKeyDown={move}>
        {list.map((name) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`tab-${name}`}
            aria-selected={name === open}
            aria-controls="panel"
            tabIndex={name === open ? 0 : -1}
            onClick={() => {
              state.tab.value = name;
            }}
          >
            {TITLES[name]}
          </button>
        ))}
      </div>
      <div
        class={`panel panel-${open}`}
        data-long={state.about.value?.is_gamelog}
        role="tabpanel"
        id="panel"
        aria-labelledby={`tab-${open}`}
      >
        {state.isSplit.value && <Whose of={open} />}
        {open === "players" && <Players />}
        {open === "events" && <Events />}
        {open === "moments" && <Moments />}
        {open === "statistics" && <Statistics />}
        {open === "state" && <Tree />}
        {open === "messages" && <Messages />}
      </div>
    </section>
  );
}

/** Of two boards: which one a panel is about. What happened over time is that of the left one, as the bars are. */
function Whose({ of }: { of: state.TabName }) {
  const isOfTime = ["events", "moments", "statistics"].includes(of);
  const sides = [
    { side: state.main, where: "Left" },
    { side: state.second, where: "Right" },
  ];
  return (
    <div class="whose" role="group" aria-label="Which board this panel is about">
      {sides.map(({ side, where }) => {
        const known = side.about.value;
        const isIt = isOfTime ? side === state.main : side === state.active.value;
        return (
          <button
            type="button"
            key={where}
            aria-pressed={isIt}
            disabled={!known || (isOfTime && !isIt)}
            onClick={() => {
              state.active.value = side;
            }}
          >
            {where}: {known ? state.seenText(known) : "…"}
          </button>
        );
      })}
    </div>
  );
}

function Players() {
  const shown = state.active.value.shown.value;
  const [order, setOrder] = useState<string | null>(null);
  if (!shown) return <p class="empty">…</p>;
  // Time and view are shown elsewhere.
  const facts = shown.facts.filter(({ name }) => !["time", "view", "delta"].includes(name));
  const names: string[] = [];
  for (const { values } of shown.players) {
    // What is or is not is said beside the name.
    const columns = (values ?? []).filter(({ value }) => typeof value !== "boolean");
    for (const { name } of columns) if (!names.includes(name)) names.push(name);
  }
  const valueFor = (values: Value[] | undefined, name: string) =>
    values?.find((one) => one.name === name)?.value;
  const rows = shown.players.map((player, at) => ({ player, at }));
  if (order !== null) {
    const weight = (value: Value["value"] | undefined) =>
      typeof value === "number" ? value : Number.NEGATIVE_INFINITY;
    rows.sort(
      (a, b) =>
        weight(valueFor(b.player.values, order)) - weight(valueFor(a.player.values, order)) || a.at - b.at,
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Values of the players">
        <table class="players">
          <thead>
            <tr>
              <th scope="col" aria-sort={order === null ? "other" : undefined}>
                <button type="button" class="sort" onClick={() => setOrder(null)}>
                  player
                </button>
              </th>
              {names.map((name) => (
                <th
                  key={name}
                  scope="col"
                  class="number"
                  aria-sort={order === name ? "descending" : undefined}
                >
                  <button
                    type="button"
                    class="sort"
                    title={`Sort by ${plain(name)}`}
                    onClick={() => setOrder(order === name ? null : name)}
                  >
                    {plain(name)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ player, at }) => (
              <tr key={player.id} class={player.eliminated ? "out" : undefined}>
                <th scope="row">
                  <div class="player-cell">
                    <span class="swatch" style={{ background: player.colour }} />
                    <span class="player-name" title={player.name}>
                      {player.eliminated ? <s>{player.name}</s> : player.name}
                    </span>
                    {player.eliminated && <span class="only-heard"> (out)</span>}
                    {(player.values ?? [])
                      .filter(({ value }) => value === true)
                      .map(({ name }) => (
                        <span key={name} class="tag" title={plain(name)}>
                          {plain(name)}
                        </span>
                      ))}
                    {state.about.value?.cameras.includes(at + 1) && (
                      <FollowCamera player={at + 1} name={player.name} />
                    )}
                  </div>
                </th>
                {names.map((name) => {
                  const value = valueFor(player.values, name);
                  const other = state.otherValue(player.id, name, value) as Value["value"] | null | undefined;
                  return (
                    <td
                      key={name}
                      class="number"
                      data-differs={other !== undefined}
                      title={typeof value === "number" ? count(value) : undefined}
                    >
                      <Cell value={value} players={shown.players} />
                      {other !== undefined && (
                        <span class="other-value">
                          <span class="only-heard">
                            , on the {state.active.value === state.main ? "right" : "left"}{" "}
                          </span>
                          {other === null ? "–" : <Cell value={other} players={shown.players} />}
                        </span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{plain(name)}</dt>
              <dd>
                <Words value={value} players={shown.players} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {state.highlights.value.length > 0 && (
        <section class="best" aria-label="Best moments">
          <h2>Best moments</h2>
          <Highlights most={4} />
        </section>
      )}
    </>
  );
}

function Cell({ value, players }: { value: Value["value"] | undefined; players: Player[] }) {
  if (value === undefined) return null;
  return typeof value === "number" ? <span>{short(value)}</span> : <Words value={value} players={players} />;
}

/** The picture shows where this player looks. */
function FollowCamera({ player, name }: { player: number; name: string }) {
  const isFollowed = state.isFollowed({ camera: player });
  return (
    <button
      type="button"
      class="quiet follow-player"
      aria-pressed={isFollowed}
      aria-label={`Follow where ${name} looks`}
      title={`Follow where ${name} looks`}
      onClick={() => (isFollowed ? state.unfollow() : state.followCamera(player))}
    >
      <Icon name="follow" />
    </button>
  );
}

function Events() {
  const kinds = state.kinds.value;
  const events = state.visibleEvents.value;
  const until = state.happened.value;
  // Calls of a gamelog are longer than sentences.
  const isLong = state.about.value?.is_gamelog ?? false;
  const players = state.shown.value?.players ?? [];
  return (
    <>
      <div class="filters">
        {kinds.length > 1 && (
          <div class="chips" role="group" aria-label="Kinds of events">
            {kinds.map(([kind, number]) => (
              <button
                type="button"
                key={kind}
                class="chip"
                aria-pressed={!state.hiddenKinds.value.has(kind)}
                onClick={() => state.toggleKind(kind)}
              >
                {plain(kind)} <span class="chip-count">{count(number)}</span>
              </button>
            ))}
          </div>
        )}
        {players.length > 1 && players.length <= 8 && state.events.value.length > 0 && (
          <div class="chips" role="group" aria-label="Players">
            {players.map(({ id, name, colour }, at) => (
              <button
                type="button"
                key={id}
                class="chip"
                aria-pressed={!state.hiddenPlayers.value.has(at + 1)}
                onClick={() => state.togglePlayer(at + 1)}
              >
                <span class="swatch" style={{ background: colour }} /> {name}
              </button>
            ))}
          </div>
        )}
      </div>
      {events.length === 0 ? (
        <p class="empty">
          {state.story.value === null
            ? "Reading the story of the match …"
            : "Nothing has been said yet. Play, and what happens appears here."}
        </p>
      ) : (
        <List
          items={events}
          height={isLong ? 62 : 44}
          keep={Math.max(0, until - 1)}
          label="Events"
          row={(event, at) => (
            <button
              type="button"
              class="row-button event"
              data-future={at >= until}
              data-kind={event.kind}
              aria-current={at === until - 1 ? "true" : undefined}
              onClick={() => {
                state.jump(event.moment);
                if (event.at) void state.select(state.main, event.at);
              }}
            >
              <span class="time">{event.time}</span>
              <span
                class="stripe"
                style={{ background: (event.player && players[event.player - 1]?.colour) || "var(--line)" }}
              />
              <span class="grow two-lines" title={event.text}>
                {event.text}
              </span>
            </button>
          )}
        />
      )}
    </>
  );
}

/** What made it a best moment, the most important first. */
function whyText(why: { name: string; percent: number }[]): string {
  return [...why]
    .filter(({ percent }) => percent >= 0.5)
    .sort((a, b) => b.percent - a.percent)
    .map(({ name, percent }) => `${plain(name)} ${Math.round(percent)} %`.replaceAll(" ", "\u00a0"))
    .join(" · ");
}

function Highlights({ most }: { most: number }) {
  const list = state.highlights.value.slice(0, most);
  const players = state.shown.value?.players ?? [];
  return (
    <ol class="moments">
      {list.map((one) => (
        <li key={one.rank} class="moment">
          <button type="button" class="moment-go" onClick={() => state.jump(one.start)}>
            <span class="time">{one.time}</span>
            <span class="grow">
              <span class="moment-text">
                {one.player !== null && players[one.player - 1] && (
                  <span class="swatch" style={{ background: players[one.player - 1]!.colour }} />
                )}
                {sentence(one.text)}
              </span>
              {one.why.length > 0 && <span class="why">{whyText(one.why)}</span>}
            </span>
          </button>
          <button
            type="button"
            class="quiet square"
            aria-label={`Loop the moment at ${one.time}`}
            title="Loop this moment"
            onClick={() => {
              state.setLoop(one.start, one.end);
              state.seek(one.start);
              state.play(1);
            }}
          >
            <Icon name="loop" />
          </button>
        </li>
      ))}
    </ol>
  );
}

function Moments() {
  const bookmarks = state.bookmarks.value;
  return (
    <div class="scroll">
      <h2>Best moments</h2>
      {state.highlights.value.length > 0 ? (
        <Highlights most={100} />
      ) : (
        <p class="empty">
          {state.story.value === null
            ? "Looking for them …"
            : state.spoilers.value
              ? "None were found."
              : "None so far."}
        </p>
      )}
      <h2>Bookmarks</h2>
      {bookmarks.length === 0 && (
        <p class="empty">
          None yet: <kbd>B</kbd> keeps this moment, on this computer only.
        </p>
      )}
      <ol class="moments">
        {bookmarks.map(({ moment, time, note }) => (
          <li key={moment} class="moment">
            <button type="button" class="link time" onClick={() => state.jump(moment)}>
              {time}
            </button>
            <input
              class="note"
              aria-label={`Note of the bookmark at ${time}`}
              placeholder="Note"
              value={note}
              onChange={(event) => state.noteBookmark(moment, event.currentTarget.value)}
            />
            <button
              type="button"
              class="quiet square"
              aria-label={`Remove the bookmark at ${time}`}
              onClick={() => state.toggleBookmark(moment)}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Statistics() {
  return (
    <div class="scroll">
      {(state.story.value?.curves ?? []).map((curve) => (
        <Chart key={curve.name} curve={curve} />
      ))}
    </div>
  );
}

const ROW = 24;

const TONES: Record<string, string> = {
  added: "new",
  replaced: "changed",
  removed: "removed",
  within: "changed inside",
  refused: "refused",
};

function Tree() {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const tree = state.tree.value;
  const sought = state.treeSought.value;

  const measure = () => {
    const element = box.current;
    if (!element) return;
    const first = Math.max(0, Math.floor(element.scrollTop / ROW) - 20);
    const number = Math.ceil(element.clientHeight / ROW) + 40;
    const now = state.treeWindow.value;
    if (now.first !== first || now.count !== number) state.treeWindow.value = { first, count: number };
  };
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (sought === null || !box.current || !tree) return;
    box.current.scrollTop = (state.treeWindow.value.first + 1) * ROW;
    setActive(sought);
    state.treeSought.value = null;
    measure();
  }, [sought, tree]);

  const rows = tree?.rows ?? [];
  const move = (event: KeyboardEvent) => {
    const at = rows.findIndex((row) => row.path === active);
    const row = rows[at];
    const to = (next: number) => {
      const other = rows[Math.max(0, Math.min(rows.length - 1, next))];
      if (!other || !tree) return;
      setActive(other.path);
      const top = (tree.first + rows.indexOf(other)) * ROW;
      const element = box.current!;
      if (top < element.scrollTop) element.scrollTop = top;
      if (top > element.scrollTop + element.clientHeight - ROW)
        element.scrollTop = top - element.clientHeight + ROW;
    };
    switch (event.key) {
      case "ArrowDown":
        to(at + 1);
        break;
      case "ArrowUp":
        to(Math.max(0, at - 1));
        break;
      case "ArrowRight":
        if (row?.is_branch && !row.is_open) state.toggleBranch(row.path);
        else to(at + 1);
        break;
      case "ArrowLeft":
        if (row?.is_branch && row.is_open) state.toggleBranch(row.path);
        else if (row) to(rows.findLastIndex((other, index) => index < at && other.depth < row.depth));
        break;
      case "Enter":
      case " ":
        if (row?.reference) void state.showPath(row.reference);
        else if (row?.is_branch) state.toggleBranch(row.path);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={box}
      class="tree"
      role="tree"
      tabIndex={0}
      aria-label="State"
      aria-activedescendant={
        active !== null && rows.some((row) => row.path === active) ? `row-${active}` : undefined
      }
      onScroll={measure}
      onKeyDown={move}
    >
      <div class="tree-all" role="presentation" style={{ height: `${(tree?.total ?? 0) * ROW}px` }}>
        {rows.map((row, at) => (
          <TreeLine
            key={row.path}
            row={row}
            at={(tree?.first ?? 0) + at}
            total={tree?.total ?? 0}
            active={active === row.path}
            choose={setActive}
          />
        ))}
      </div>
    </div>
  );
}

function TreeLine({
  row,
  at,
  active,
  choose,
}: {
  row: TreeRow;
  at: number;
  total: number;
  active: boolean;
  choose(path: string): void;
}) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles keys
    <div
      class="tree-row"
      role="treeitem"
      id={`row-${row.path}`}
      data-tone={row.tone}
      data-active={active}
      aria-level={row.depth + 1}
      aria-expanded={row.is_branch ? row.is_open : undefined}
      aria-selected={active}
      tabIndex={-1}
      style={{ transform: `translateY(${at * ROW}px)`, paddingLeft: `${8 + row.depth * 14}px` }}
      onClick={() => {
        choose(row.path);
        if (row.is_branch) state.toggleBranch(row.path);
      }}
    >
      <span class="twist" data-open={row.is_open}>
        {row.is_branch ? <Icon name="right" /> : null}
      </span>
      <span class="tree-key">{row.key} </span>
      {row.reference ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: Enter follows it
        <span
          class="tree-text reference"
          role="presentation"
          title={`Go to ${row.reference}`}
          onClick={(event) => {
            event.stopPropagation();
            void state.showPath(row.reference!);
          }}
        >
          {row.text}
        </span>
      ) : (
        <span class="tree-text">{row.text}</span>
      )}
      {TONES[row.tone] && <span class="only-heard"> {TONES[row.tone]}</span>}
    </div>
  );
}

function Messages() {
  const rows = state.messages.value;
  if (rows === null) return <p class="empty">…</p>;
  if (rows.length === 0)
    return <p class="empty">No messages at this moment. Step to the next change to see some.</p>;
  return <List items={rows} height={22} label="Messages" class="mono" row={(row) => <code>{row}</code>} />;
}
