// What others get: a link, a picture, a clip, a video.
import { useRef } from "preact/hooks";
import * as state from "../state/index.ts";
import { Dialog } from "./Dialog.tsx";
import { Icon } from "./icons.tsx";
import { CastShare } from "./Live.tsx";

export function Share() {
  return (
    <Dialog title="Share" class="small share">
      <Link />
      <CastShare />
      {state.about.value?.has_board && <Picture />}
      <Range />
    </Dialog>
  );
}

function Link() {
  const input = useRef<HTMLInputElement>(null);
  if (!state.shareable.value) {
    return (
      <p class="hint">
        This recording is a file on this computer: there is no address that others could open.
      </p>
    );
  }
  return (
    <section aria-label="Link">
      <div class="field">
        <input
          ref={input}
          readOnly
          value={state.link()}
          aria-label="Link to this moment"
          onFocus={(event) => event.currentTarget.select()}
        />
        <button
          type="button"
          class="primary"
          onClick={async () => {
            if (await state.copyLink()) state.overlay.value = null;
            else input.current?.select();
          }}
        >
          Copy link
        </button>
      </div>
      <p class="hint">With this time, view, camera and selection.</p>
    </section>
  );
}

function Picture() {
  return (
    <section class="share-row" aria-label="Picture">
      <h3>Picture of the board</h3>
      <button
        type="button"
        onClick={async () => {
          await state.savePicture();
          state.overlay.value = null;
        }}
      >
        <Icon name="picture" /> Save picture
      </button>
      <button
        type="button"
        onClick={async () => {
          if (await state.copyPicture()) state.overlay.value = null;
        }}
      >
        <Icon name="copy" /> Copy picture
      </button>
    </section>
  );
}

/** What is made of a range of time. */
function Range() {
  const making = state.making.value;
  const hasBoard = state.about.value?.has_board;
  const isTooLong = state.isTooLong.value;
  return (
    <section class="share-row" aria-label="Clip">
      <h3>
        From {state.rangeText.value.replace(" – ", " to ")}{" "}
        <span class="hint">{state.loop.value ? "the loop" : "a loop chooses another range"}</span>
      </h3>
      {making ? (
        <div class="making">
          <progress aria-label={making.what} {...(making.share === null ? {} : { value: making.share })} />
          <span class="grow">{making.what} …</span>
          <button type="button" onClick={state.cancel}>
            Cancel
          </button>
        </div>
      ) : (
        <>
          <button type="button" onClick={() => void state.makeClip()}>
            <Icon name="scissors" /> Clip as a tape
          </button>
          {hasBoard && (
            <button type="button" disabled={isTooLong} onClick={() => void state.makeGif()}>
              <Icon name="film" /> GIF
            </button>
          )}
          {hasBoard && state.canRecord.value && (
            <button type="button" disabled={isTooLong} onClick={() => void state.makeVideo()}>
              <Icon name="film" /> Video (WebM)
            </button>
          )}
          {hasBoard && isTooLong && (
            <p class="hint">
              Videos are at most {state.VIDEO_LENGTH} s long: make the loop shorter, or the speed higher.
            </p>
          )}
        </>
      )}
    </section>
  );
}
