// The board, or two side by side.
import { useEffect, useRef } from "preact/hooks";
import * as state from "../state/index.ts";
import { Board } from "./Board.tsx";
import { Icon } from "./icons.tsx";

export function Stages() {
  const isSplit = state.isSplit.value;
  return (
    <div class="stages" data-split={isSplit}>
      <div class="stage-side" data-active={isSplit && state.active.value === state.main}>
        {isSplit && <LeftHead />}
        <Board key={`main ${state.main.recording.value}`} side={state.main} />
      </div>
      {isSplit && (
        <div class="stage-side" data-active={state.active.value === state.second}>
          <RightHead />
          {state.second.about.value ? (
            <Board key={`second ${state.second.recording.value}`} side={state.second} />
          ) : (
            <section class="stage" aria-busy="true" aria-label="Opening the other side" />
          )}
        </div>
      )}
    </div>
  );
}

function LeftHead() {
  const about = state.about.value!;
  const found = state.differing.value;
  return (
    <header class="side-head">
      <strong class="side-name">
        {state.isOther.value ? about.heading || about.name : state.seenText(about)}
      </strong>
      <span class="side-time">{state.shown.value?.time}</span>
      <span class="grow" />
      <span class="side-found" role="status">
        {found === null ? "" : found === 1 ? "1 tile differs" : `${found} tiles differ`}
      </span>
    </header>
  );
}

function RightHead() {
  const about = state.second.about.value;
  const isOther = state.isOther.value;
  const isLinked = state.linked.value === "yes";
  return (
    <header class="side-head">
      {isOther && about && <strong class="side-name">{about.heading || about.name}</strong>}
      {about && about.views.length > 1 && (
        <select
          aria-label="View of the right side"
          value={String(about.seen[0])}
          onChange={(event) => void state.setSecondViews([Number(event.currentTarget.value)])}
        >
          {about.views.map(({ view, name }) => (
            <option key={view} value={String(view)}>
              {name}
            </option>
          ))}
        </select>
      )}
      <span class="side-time">{state.second.shown.value?.time}</span>
      <Offset />
      <span class="grow" />
      <OtherRecording />
      <button
        type="button"
        class="quiet square"
        aria-pressed={isLinked}
        aria-label="Both boards show the same part"
        title="Both boards show the same part"
        onClick={() => {
          state.linked.value = isLinked ? "no" : "yes";
        }}
      >
        <Icon name="link" />
      </button>
      <button type="button" class="quiet square" aria-label="Close the right side" onClick={state.unsplit}>
        <Icon name="close" />
      </button>
    </header>
  );
}

/** The right side is earlier or later. */
function Offset() {
  const about = state.second.about.value;
  if (!about) return null;
  const unit = about.tick_micros > 0 ? "half a second" : "one delta";
  const by = about.tick_micros > 0 ? 0.5 : 1;
  return (
    <span class="offset" role="group" aria-label="Offset of the right side">
      <button
        type="button"
        class="quiet square"
        aria-label={`Right side ${unit} earlier`}
        title={`Right side ${unit} earlier  {`}
        onClick={() => state.shift(-by)}
      >
        <Icon name="left" />
      </button>
      <output aria-label="Offset">{state.offsetText.value}</output>
      <button
        type="button"
        class="quiet square"
        aria-label={`Right side ${unit} later`}
        title={`Right side ${unit} later  }`}
        onClick={() => state.shift(by)}
      >
        <Icon name="right" />
      </button>
    </span>
  );
}

/** Another recording on the right side: a file, or one of the list. */
function OtherRecording() {
  const input = useRef<HTMLInputElement>(null);
  const matches = state.matches.value;
  useEffect(() => void state.readMatches(), []);
  return (
    <>
      {matches.length > 0 && (
        <select
          class="other-list"
          aria-label="Another recording on the right side"
          value=""
          onChange={(event) => {
            const src = event.currentTarget.value;
            event.currentTarget.value = "";
            if (src) void state.split(state.originOf(src));
          }}
        >
          <option value="">Compare with …</option>
          {matches.map(({ src, name }) => (
            <option key={src} value={src}>
              {name}
            </option>
          ))}
        </select>
      )}
      <input
        ref={input}
        type="file"
        hidden
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) void state.split({ kind: "file", file, name: file.name });
        }}
      />
      <button
        type="button"
        class="quiet square"
        aria-label="Another recording on the right side: a file"
        title="Compare with another recording"
        onClick={() => input.current?.click()}
      >
        <Icon name="file" />
      </button>
    </>
  );
}
