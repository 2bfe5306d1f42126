import { Component, type ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import * as state from "../state/index.ts";
import { bytes } from "../words.ts";
import { Dock } from "./Dock.tsx";
import { Header } from "./Header.tsx";
import { Icon } from "./icons.tsx";
import { LiveOpening, LiveStrips } from "./Live.tsx";
import { Matches } from "./Matches.tsx";
import { Overlays } from "./Overlays.tsx";
import { Panels } from "./Panels.tsx";
import { Stages } from "./Stages.tsx";
import { FilePicker, Start } from "./Start.tsx";

export function App() {
  const place = state.place.value;
  return (
    <div class="page" data-place={place} data-waiting={!state.idle.value && state.playing.value === 0}>
      <Header />
      <Strips />
      {place === "waiting" && <main class="start" aria-busy="true" />}
      {place === "start" && <Start />}
      {place === "matches" && <Matches />}
      {place === "match" && <Match />}
      <Overlays />
      <Toast />
      <div class="only-heard" role="status" aria-live="polite">
        {state.announced.value}
      </div>
      {state.dragging.value && (
        <div class="drop-over" aria-hidden="true">
          <Icon name="upload" /> Drop to open
        </div>
      )}
    </div>
  );
}

/** What fails inside leaves the rest of the page alive. */
class Guard extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown) {
    this.setState({ failed: true });
    console.error(error);
    const text = error instanceof Error ? error.message : String(error);
    state.problem.value = {
      text: `A part of the page failed: ${text}`,
      retry: () => this.setState({ failed: false }),
    };
  }

  override render() {
    return this.state.failed ? <section class="failed" /> : this.props.children;
  }
}

function Match() {
  const about = state.about.value;
  if (!about) return <Opening />;
  return (
    <>
      <main class="match-page" data-board={about.has_board}>
        <Guard key={`board ${state.recording.value}`}>{about.has_board && <Stages />}</Guard>
        <Guard key={`panels ${state.recording.value} ${state.openTab.value}`}>
          <Panels />
        </Guard>
      </main>
      <Guard key={`dock ${state.recording.value}`}>
        <Dock />
      </Guard>
    </>
  );
}

function Opening() {
  const now = state.progress.value;
  const failed = state.problem.value;
  return (
    <main class="start">
      {failed ? (
        <div class="opening">
          <h2>It could not be opened</h2>
          <p class="problem-text">{failed.text}</p>
          <div class="field">
            {failed.retry && (
              <button type="button" class="primary" onClick={failed.retry}>
                Try again
              </button>
            )}
            <FilePicker label="Open a file" class="" />
          </div>
        </div>
      ) : state.liveName.value !== null ? (
        <LiveOpening />
      ) : (
        <div class="opening" aria-busy="true">
          <h2>Opening</h2>
          <progress
            aria-label="Bytes read"
            {...(now?.total ? { value: Math.min(now.done, now.total), max: now.total } : {})}
          />
          <p class="hint">
            {now && now.done > 0
              ? `${bytes(now.done)}${now.total ? ` of ${bytes(now.total)}` : ""}`
              : "\u00a0"}
          </p>
        </div>
      )}
    </main>
  );
}

/** For this many moments after a loss of a live match it is still said. */
const NEAR_LOSS = 200;

/** What went wrong and what is lost. */
function Strips() {
  const problem = state.problem.value;
  const about = state.about.value;
  const all = state.losses.value.filter(({ start }) => (start ?? 0) <= state.horizon.value);
  // Of a live match the last one is said, as long as it is near: all of them are on the bar.
  const isNear = ({ start, end }: { start: number | null; end: number | null }) =>
    (start ?? 0) <= state.target.value && state.target.value <= (end ?? start ?? 0) + NEAR_LOSS;
  const losses = state.isGrowing.value ? all.filter(isNear).slice(-1) : all;
  const isOpening = state.place.value === "match" && !about;
  return (
    <div class="strips">
      {problem && !isOpening && (
        <div class="strip problem" role="alert">
          <span class="grow">{problem.text}</span>
          {problem.retry && (
            <button
              type="button"
              onClick={() => {
                state.problem.value = null;
                problem.retry?.();
              }}
            >
              Try again
            </button>
          )}
          <button
            type="button"
            class="quiet square"
            aria-label="Close the message"
            onClick={() => {
              state.problem.value = null;
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      <LiveStrips />
      {losses.length > 0 && (
        <section class="strip loss" aria-label="Losses">
          {losses.slice(0, 3).map(({ text, start }) =>
            start === null ? (
              <span key={text}>{text}</span>
            ) : (
              <button type="button" class="link" key={`${start} ${text}`} onClick={() => state.jump(start)}>
                {text}
              </button>
            ),
          )}
          {losses.length > 3 && (
            <span
              title={losses
                .slice(3)
                .map(({ text }) => text)
                .join("\n")}
            >
              and {losses.length - 3} more
            </span>
          )}
        </section>
      )}
    </div>
  );
}

function Toast() {
  const text = state.toast.value;
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => {
      state.toast.value = null;
    }, 2600);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="toast" role="status" data-shown={Boolean(text)}>
      {text}
    </div>
  );
}
