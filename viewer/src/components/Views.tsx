// Whose view it is, alone or together; and two boards side by side.
import { useSignal } from "@preact/signals";
import { compact, narrow } from "../media.ts";
import * as state from "../state/index.ts";
import { Icon } from "./icons.tsx";
import { Menu } from "./Menu.tsx";

/** More views than these are chosen from a list. */
const most = () => (narrow.value ? 4 : compact.value ? 5 : 7);

/** Whose view it is: it governs everything on the page. */
export function Views() {
  const about = state.about.value;
  const wantsSeveral = useSignal(false);
  if (!about) return null;
  const hasSeats = about.views.filter(({ view }) => view !== 0).length > 1;
  const isSeveral = hasSeats && (wantsSeveral.value || about.seen.length > 1);
  const isLong = about.views.length > most();
  const several = () => {
    wantsSeveral.value = !isSeveral;
    if (isSeveral && about.seen.length > 1) void state.setViews(about.seen.slice(0, 1));
  };
  return (
    <div class="views-box">
      {about.views.length > 1 &&
        (isLong ? isSeveral ? <SeatMenu /> : <ViewList /> : isSeveral ? <Seats /> : <ViewSwitch />)}
      {hasSeats && (
        <button
          type="button"
          class="quiet views-tool"
          aria-pressed={isSeveral}
          aria-label="Several seats together"
          title="Several seats together  Shift 1 … 9"
          onClick={several}
        >
          <Icon name="together" />
        </button>
      )}
      {about.has_board && (
        <button
          type="button"
          class="quiet views-tool"
          aria-pressed={state.isSplit.value}
          aria-label="Split"
          title="Side by side  I"
          onClick={state.toggleSplit}
        >
          <Icon name="split" />
          <span class="views-word">Split</span>
        </button>
      )}
    </div>
  );
}

function ViewList() {
  const about = state.about.value!;
  return (
    <label class="views-select">
      <span class="only-heard">View</span>
      <select
        value={String(about.seen[0])}
        onChange={(event) => void state.setView(Number(event.currentTarget.value))}
      >
        {about.views.map(({ view, name }) => (
          <option key={view} value={String(view)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ViewSwitch() {
  const about = state.about.value!;
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = about.views.findIndex(({ view }) => about.seen.includes(view));
    const next = about.views[(at + by + about.views.length) % about.views.length]!;
    void state.setView(next.view);
    const box = event.currentTarget as HTMLElement;
    box.querySelector<HTMLElement>(`[data-view="${next.view}"]`)?.focus();
  };
  return (
    <div class="views" role="radiogroup" aria-label="View" tabIndex={-1} onKeyDown={move}>
      {about.views.map(({ view, name, colour }) => (
        <button
          type="button"
          role="radio"
          key={view}
          data-view={view}
          aria-checked={about.seen.includes(view)}
          tabIndex={about.seen.includes(view) ? 0 : -1}
          title={view <= 9 ? `${name}  ${view}` : name}
          onClick={(event) => {
            // As in lists elsewhere: one more, not another one.
            const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
            void (isMore ? state.toggleSeat(view) : state.setView(view));
          }}
        >
          {colour && <span class="swatch" style={{ background: colour }} />}
          <span class="views-name">{name}</span>
        </button>
      ))}
    </div>
  );
}

/** Each seat is on or off. */
function Seats() {
  const about = state.about.value!;
  return (
    <fieldset class="views" aria-label="Seats that are seen together">
      {about.views.map(({ view, name, colour }) => (
        <button
          type="button"
          role="checkbox"
          key={view}
          data-view={view}
          aria-checked={about.seen.includes(view)}
          title={view > 0 && view <= 9 ? `${name}  Shift ${view}` : name}
          onClick={() => void state.toggleSeat(view)}
        >
          {colour && <span class="swatch" style={{ background: colour }} />}
          <span class="views-name">{name}</span>
        </button>
      ))}
    </fieldset>
  );
}

/** The same in a list, where there are many. */
function SeatMenu() {
  const about = state.about.value!;
  return (
    <Menu class="views-menu" button={state.seenText(about)}>
      {about.views.map(({ view, name, colour }) => (
        <label key={view}>
          <input
            type="checkbox"
            checked={about.seen.includes(view)}
            onChange={() => void state.toggleSeat(view)}
          />
          {colour && <span class="swatch" style={{ background: colour }} />}
          {name}
        </label>
      ))}
    </Menu>
  );
}
