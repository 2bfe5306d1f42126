// What the page says of a match that is played now.
import { useRef } from "preact/hooks";
import * as state from "../state/index.ts";
import { clock } from "../words.ts";

const WAY_WORDS = { webtransport: "WebTransport", websocket: "WebSocket", segments: "segments" };

/** LIVE, or the distance from live; leads to live. */
export function LiveButton() {
  const text = state.liveText.value;
  if (text === null) return null;
  if (!state.isGrowing.value) return <span class="live-over">{text}</span>;
  const isLive = text === "LIVE";
  const way = state.liveLink.value?.way;
  const by = way ? `, by ${WAY_WORDS[way]}` : "";
  return (
    <button
      type="button"
      class="live-button"
      data-live={isLive}
      data-link={state.liveLink.value?.state}
      title={isLive ? `Live${by}` : `Catch up to live  E${by}`}
      onClick={state.catchUp}
    >
      <span class="live-dot" aria-hidden="true" />
      <span>
        {text.replace(" behind live", "")}
        {!isLive && <span class="live-words"> behind live</span>}
      </span>
      {!isLive && <span class="only-heard">: catch up</span>}
    </button>
  );
}

/** On the head of the page: that it is live, and how much later than it is played. */
export function LiveBadge() {
  if (!state.isGrowing.value) return null;
  const delay = state.delay.value;
  return (
    <span class="live-badge">
      LIVE
      {delay >= 1 && <span class="live-delay"> · {delayText(delay)} later</span>}
    </span>
  );
}

function delayText(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : clock(seconds, false);
}

/** The connection, what is on its way, and who is followed. */
export function LiveStrips() {
  const link = state.liveLink.value;
  const fetching = state.fetching.value;
  if (state.liveName.value === null || !state.about.value) return null;
  return (
    <>
      {(link?.state === "again" || link?.state === "connecting") && (
        <div class="strip note" role="status">
          <span class="spinner" aria-hidden="true" />
          {link.text ? `${link.text}: trying again` : "Connecting"} …
        </div>
      )}
      {(link?.state === "lost" || link?.state === "refused") && (
        <div class="strip problem" role="alert">
          <span class="grow">{link.text}. What came so far can be watched.</span>
          {link.state === "lost" && (
            <button type="button" onClick={state.tryAgain}>
              Try again
            </button>
          )}
        </div>
      )}
      {fetching !== null && (
        <div class="strip note" role="status">
          <span class="spinner" aria-hidden="true" />
          Getting {state.timeText(fetching)} …
        </div>
      )}
      <CastStrip />
    </>
  );
}

function CastStrip() {
  const sharing = state.sharing.value;
  const caster = state.caster.value;
  if (sharing) {
    return (
      <section class="strip note" aria-label="Sharing">
        <span class="grow">You share your time, view and camera as {sharing}.</span>
        <button type="button" onClick={state.stopSharing}>
          Stop sharing
        </button>
      </section>
    );
  }
  if (!caster) return null;
  const follows = state.followsCaster.value;
  return (
    <section class="strip note" aria-label="Caster">
      <span class="grow">
        {!follows
          ? `${caster} goes on without you.`
          : state.casterHeard.value
            ? `Following ${caster}: time, view and camera.`
            : `Waiting for ${caster} …`}
      </span>
      {follows ? (
        <button type="button" onClick={state.leaveCaster}>
          Go your own way
        </button>
      ) : (
        <button type="button" onClick={state.backToCaster}>
          Back to {caster}
        </button>
      )}
    </section>
  );
}

/** Before there is anything to show. */
export function LiveOpening() {
  const link = state.liveLink.value;
  const text =
    link?.state === "open"
      ? "Waiting for the match to begin"
      : `Connecting${link?.text ? `: ${link.text}` : ""}`;
  return (
    <div class="opening" aria-busy="true">
      <h2>{state.liveName.value}</h2>
      <progress aria-label={text} />
      <p class="hint" role="status">
        {text} …
      </p>
    </div>
  );
}

/** Matches that are played now. */
export function LiveCards() {
  const all = state.liveMatches.value;
  if (all.length === 0) return null;
  return (
    <section aria-label="Live now" class="live-now">
      <h2>
        Live now <span class="hint">{all.length}</span>
      </h2>
      <ul class="cards">
        {all.map((one) => (
          <li class="match" key={one.match}>
            <a class="match-link" href={`?live=${encodeURIComponent(one.match)}`} onClick={open(one.match)}>
              <div class="match-words">
                <p>
                  <span class="live-badge">{one.over ? "JUST OVER" : "LIVE"}</span>
                </p>
                <h3>{one.title || one.match}</h3>
                <p class="hint">
                  {[
                    one.title ? one.match : null,
                    clock((Math.max(0, one.tick) * one.tick_us) / 1e6, false),
                    one.delay_ticks * one.tick_us >= 1e6
                      ? `${delayText((one.delay_ticks * one.tick_us) / 1e6)} later`
                      : null,
                    one.seats > 0 ? `${one.seats} watching` : null,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </p>
              </div>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function open(match: string) {
  return (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.visitLive(match);
  };
}

/** In the dialog of sharing: a caster lets others see what it sees. */
export function CastShare() {
  const input = useRef<HTMLInputElement>(null);
  if (!state.isGrowing.value) return null;
  const sharing = state.sharing.value;
  return (
    <section class="share-row" aria-label="Cast">
      <h3>Let others see what you see</h3>
      {!state.passOf() ? (
        <p class="hint">This needs a pass for the match in the address of the page.</p>
      ) : sharing ? (
        <div class="field">
          <input
            readOnly
            value={state.castLink(sharing)}
            aria-label="Link to follow you"
            onFocus={(event) => event.currentTarget.select()}
          />
          <button type="button" onClick={state.stopSharing}>
            Stop sharing
          </button>
        </div>
      ) : (
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            const wrong = state.share(input.current?.value.trim() ?? "");
            if (wrong) state.say(wrong);
          }}
        >
          <input ref={input} aria-label="Your name as a caster" placeholder="Your name" maxLength={64} />
          <button type="submit">Start sharing</button>
        </form>
      )}
    </section>
  );
}
