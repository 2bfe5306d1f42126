import { toggleSpoilers } from "../keys.ts";
import { narrow } from "../media.ts";
import * as state from "../state/index.ts";
import { Icon, Logo } from "./icons.tsx";
import { LiveBadge } from "./Live.tsx";
import { Views } from "./Views.tsx";

export function Header() {
  const about = state.about.value;
  const isMatch = state.place.value === "match";
  const name = about?.heading || about?.name;
  // A subtitle may say how long it is.
  const subtitle = state.spoilers.value || state.ended.value ? about?.subtitle : about?.game;
  return (
    <header class="head">
      <a
        class="brand"
        href="."
        aria-label="Gametape: all recordings"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          state.home();
        }}
      >
        <Logo />
        <span class="brand-name">Gametape</span>
      </a>
      {isMatch && about ? (
        <div class="heading">
          <h1 title={name}>{name}</h1>
          <p title={subtitle}>{subtitle}</p>
        </div>
      ) : (
        <h1 class="only-heard">{isMatch ? "Opening a recording" : "Gametape"}</h1>
      )}
      <LiveBadge />
      <div class="grow" />
      {about && !narrow.value && <Views />}
      <nav class="tools" aria-label="Page">
        {about && (
          <>
            <button
              type="button"
              class="quiet"
              onClick={() => openSearch()}
              aria-label="Search"
              title="Search  /"
            >
              <Icon name="search" />
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                state.overlay.value = "share";
              }}
              aria-label="Share"
              title="Share  C"
            >
              <Icon name="share" />
            </button>
          </>
        )}
        <SpoilerSwitch />
        <ThemeSwitch />
        <button
          type="button"
          class="quiet"
          onClick={() => {
            state.overlay.value = "keys";
          }}
          aria-label="Keys"
          title="Keys  ?"
        >
          <Icon name="help" />
        </button>
      </nav>
    </header>
  );
}

function openSearch() {
  state.searchFor("");
  state.overlay.value = "search";
}

function SpoilerSwitch() {
  const off = state.spoilers.value;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={!off}
      aria-label="Spoiler-free"
      title={off ? "Hide what is still to come  X" : "Spoiler-free: what is still to come is hidden  X"}
      onClick={toggleSpoilers}
    >
      <Icon name={off ? "eye" : "eyeOff"} />
    </button>
  );
}

function ThemeSwitch() {
  const order = ["system", "dark", "light"] as const;
  const now = state.theme.value;
  const words = { system: "as the system", dark: "dark", light: "light" };
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Theme: ${words[now]}`}
      title={`Theme: ${words[now]}`}
      onClick={() => {
        state.theme.value = order[(order.indexOf(now) + 1) % order.length]!;
      }}
    >
      <Icon name={now === "system" ? "auto" : now === "dark" ? "moon" : "sun"} />
    </button>
  );
}
