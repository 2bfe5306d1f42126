// What lies over the page: keys, go to, search.
import { useEffect, useRef, useState } from "preact/hooks";
import { GROUPS, keyName } from "../keys.ts";
import * as state from "../state/index.ts";
import { Dialog } from "./Dialog.tsx";
import { Share } from "./Share.tsx";

export function Overlays() {
  switch (state.overlay.value) {
    case "keys":
      return <Keys />;
    case "goto":
      return <GoTo />;
    case "search":
      return <Search />;
    case "share":
      return <Share />;
    default:
      return null;
  }
}

function Keys() {
  return (
    <Dialog title="Keys" class="keys">
      <div class="keys-groups">
        {GROUPS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map((key) => (
                <div key={key.label} class="keys-row">
                  <dt>
                    {(key.keys.length > 3 ? [`${key.keys[0]} … ${key.keys.at(-1)}`] : key.keys).map(
                      (name) => (
                        <kbd key={name}>{keyName(name)}</kbd>
                      ),
                    )}
                  </dt>
                  <dd>{key.label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function GoTo() {
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string | null>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <Dialog title="Go to a time" class="small">
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          const wrong = await state.goTo(input.current?.value ?? "");
          if (wrong) setRefused(wrong);
          else state.overlay.value = null;
        }}
      >
        <div class="field">
          <input
            ref={input}
            aria-label="Time"
            placeholder={state.nowText.value}
            aria-describedby="goto-how"
            spellcheck={false}
          />
          <button type="submit" class="primary">
            Go
          </button>
        </div>
        <p id="goto-how" class="hint">
          <code>3:37.6</code> <code>tick:40</code> <code>turn:12</code> <code>50%</code> <code>-10s</code>{" "}
          <code>end</code>
        </p>
        <p role="alert" class="refused">
          {refused}
        </p>
      </form>
    </Dialog>
  );
}

function Search() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { text, found, refused } = state.search.value ?? { text: "", found: null, refused: null };
  const close = () => {
    state.overlay.value = null;
  };
  return (
    <Dialog title="Search" class="search">
      <div class="field">
        <input
          ref={input}
          type="search"
          aria-label="Search events and state"
          placeholder="A name, a word, a value"
          value={text}
          spellcheck={false}
          onInput={(event) => state.searchFor(event.currentTarget.value)}
        />
      </div>
      <p class="hint" role="status">
        {refused ??
          (text.trim() === "" || found === null
            ? "Events, names and state of this view"
            : `${found.length} found`)}
      </p>
      {text.trim() !== "" && found !== null && found.length > 0 && (
        <ul class="found">
          {found.slice(0, 200).map((one, at) => (
            <li key={`${at} ${one.text}`}>
              <button
                type="button"
                class="row-button"
                disabled={typeof one.moment !== "number" && !one.path}
                onClick={() => {
                  close();
                  if (typeof one.moment === "number") state.jump(one.moment);
                  if (one.path) void state.showPath(one.path);
                }}
              >
                <span class="time">{one.time ?? (one.path ? "state" : "board")}</span>
                <span class="grow">{one.text}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
