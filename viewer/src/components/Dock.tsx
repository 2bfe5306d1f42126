// Below the board: playing, and the bars of time.
import { fineShown, narrow } from "../media.ts";
import * as state from "../state/index.ts";
import { Icon, type IconName } from "./icons.tsx";
import { LiveButton } from "./Live.tsx";
import { Bar } from "./Timeline.tsx";
import { Views } from "./Views.tsx";

function Tool(props: {
  icon: IconName;
  label: string;
  hint?: string;
  run(): void;
  pressed?: boolean;
  class?: string;
}) {
  return (
    <button
      type="button"
      class={`quiet ${props.class ?? ""}`}
      aria-label={props.label}
      title={props.hint ? `${props.label}  ${props.hint}` : props.label}
      aria-pressed={props.pressed}
      onClick={props.run}
    >
      <Icon name={props.icon} />
    </button>
  );
}

function Speed() {
  return (
    <label class="speed">
      <span class="only-heard">Speed</span>
      <select
        value={String(state.speed.value)}
        title="Speed  < >"
        onChange={(event) => {
          state.setSpeed(Number(event.currentTarget.value));
        }}
      >
        {state.SPEEDS.map((one) => (
          <option key={one} value={String(one)}>
            {one}×
          </option>
        ))}
      </select>
    </label>
  );
}

export function Dock() {
  const about = state.about.value;
  if (!about) return <section class="dock" aria-label="Time" />;
  const playing = state.playing.value;
  const loop = state.loop.value;
  const isKept = state.isBookmarked.value;
  const hasTurns = about.is_gamelog;
  const isFine = fineShown.value;
  // A small screen has room for live, or for these.
  const isTight = narrow.value && state.isGrowing.value;
  const hasArea = Boolean(state.story.value?.curves.length) || state.story.value === null;
  return (
    <section class="dock" aria-label="Time" data-area={hasArea}>
      {narrow.value && <Views />}
      <div class="transport">
        <div class="transport-main">
          <Tool
            icon="begin"
            label="Beginning"
            hint="Home"
            run={() => state.jump(state.firstMoment.value)}
            class="roomy"
          />
          <Tool
            icon="reverse"
            label="Play backward"
            hint="J"
            pressed={playing === -1}
            run={() => (playing === -1 ? state.pause() : state.play(-1))}
          />
          <Tool icon="back" label="Previous change" hint="←" run={() => void state.step(false, "change")} />
          <button
            type="button"
            class="primary play"
            aria-label={playing === 0 ? "Play" : "Pause"}
            title={playing === 0 ? "Play  Space" : "Pause  Space"}
            onClick={state.toggle}
          >
            <Icon name={playing === 0 ? "play" : "pause"} />
            <span class="play-word">{playing === 0 ? "Play" : "Pause"}</span>
          </button>
          <Tool icon="next" label="Next change" hint="→" run={() => void state.step(true, "change")} />
          {hasTurns && (
            <span class="pair roomy">
              <button
                type="button"
                class="quiet"
                aria-label="Previous turn"
                title="Previous turn  Shift ←"
                onClick={() => void state.step(false, "turn")}
              >
                <Icon name="left" />
              </button>
              <span class="pair-name">turn</span>
              <button
                type="button"
                class="quiet"
                aria-label="Next turn"
                title="Next turn  Shift →"
                onClick={() => void state.step(true, "turn")}
              >
                <Icon name="right" />
              </button>
            </span>
          )}
          <Tool icon="end" label="End" hint="End" run={state.toEnd} class="roomy" />
        </div>
        <button
          type="button"
          class="clock quiet"
          title="Go to a time  G"
          onClick={() => {
            state.pause();
            state.overlay.value = "goto";
          }}
        >
          <span class="only-heard">Go to a time, now </span>
          <span class="clock-now">{state.nowText.value}</span>
          {!state.isGrowing.value && (
            <span class="clock-all">
              {state.horizon.value === Number.POSITIVE_INFINITY ? `/ ${about.length_text}` : "/ ?"}
            </span>
          )}
        </button>
        <LiveButton />
        {!isTight && <Speed />}
        <div class="grow" />
        {loop && (
          <span class="loop-range">
            {state.timeText(loop.start)} – {state.timeText(loop.end)}
          </span>
        )}
        {!isTight && (
          <>
            <Tool icon="loop" label="Loop" hint="O" pressed={loop !== null} run={state.toggleLoop} />
            <Tool
              icon="bookmark"
              label="Bookmark"
              hint="B"
              pressed={isKept}
              run={() => state.toggleBookmark()}
            />
          </>
        )}
        <Tool
          icon="zoomBar"
          label="Fine bar"
          class="fine-tool"
          pressed={isFine}
          run={() => {
            state.fineBar.value = isFine ? "no" : "yes";
          }}
        />
        {isFine && (
          <span class="pair roomy">
            <Tool icon="plus" label="Zoom the fine bar in" hint="Z" run={() => state.zoomFine(0.5)} />
            <Tool icon="minus" label="Zoom the fine bar out" hint="Shift Z" run={() => state.zoomFine(2)} />
          </span>
        )}
      </div>
      {isFine && <Bar isFine key="fine" />}
      <Bar isFine={false} key="coarse" />
    </section>
  );
}
