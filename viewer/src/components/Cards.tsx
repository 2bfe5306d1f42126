// What is known of tiles: cards over the board.
import type { Player, Value } from "../generated/shapes.ts";
import * as state from "../state/index.ts";
import { valueText } from "../words.ts";
import { Icon } from "./icons.tsx";

export function Words({ value, players }: { value: Value["value"]; players: Player[] }) {
  const text = valueText(value, players);
  if (typeof value === "object" && "player" in value) {
    const player = players[value.player - 1];
    return (
      <span class="of-player">
        {player && <span class="swatch" style={{ background: player.colour }} />}
        {text}
      </span>
    );
  }
  if (typeof value === "object" && "tile" in value) {
    return (
      <button type="button" class="link" onClick={() => void state.select(state.main, value.tile)}>
        {text}
      </button>
    );
  }
  return <>{text}</>;
}

export function HoverCard({ side }: { side: state.Side }) {
  const at = side.hovered.value;
  if (!at?.card) return null;
  if (state.same(side.selected.value, at.tile)) return null;
  const { width, height } = side.camera.size.value;
  const players = side.shown.value?.players ?? [];
  return (
    <div
      class="card hover-card"
      aria-hidden="true"
      style={{
        left: `${at.x > width - 260 ? at.x - 16 : at.x + 16}px`,
        top: `${at.y > height - 200 ? at.y - 16 : at.y + 16}px`,
        transform: `translate(${at.x > width - 260 ? "-100%" : "0"}, ${at.y > height - 200 ? "-100%" : "0"})`,
      }}
    >
      <h2>{at.card.title}</h2>
      <dl>
        {at.card.values.slice(0, 6).map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>
              <Words value={value} players={players} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function TileCard({ side }: { side: state.Side }) {
  const tile = side.selected.value;
  const card = side.inspection.value;
  if (!tile || !card) return null;
  const players = side.shown.value?.players ?? [];
  return (
    <aside class="card tile-card" data-side={side.cardSide.value} aria-label={`Tile ${card.title}`}>
      <header>
        <h2>{card.title}</h2>
        <button
          type="button"
          class="quiet square"
          aria-label="Close the card"
          onClick={() => state.unselect(side)}
        >
          <Icon name="close" />
        </button>
      </header>
      <dl tabIndex={0}>
        {card.values.map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>
              <Words value={value} players={players} />
            </dd>
          </div>
        ))}
      </dl>
      {side === state.main && card.pieces.map((piece) => <FollowPiece key={piece.id} {...piece} />)}
      <History side={side} />
    </aside>
  );
}

function FollowPiece({ id, name }: { id: string; name: string }) {
  const isFollowed = state.isFollowed({ piece: id });
  return (
    <p class="card-action">
      <button
        type="button"
        aria-pressed={isFollowed}
        title="Follow  U"
        onClick={() => (isFollowed ? state.unfollow() : state.followThis({ piece: id }, name))}
      >
        <Icon name="follow" /> Follow {name}
      </button>
    </p>
  );
}

/** When the tile changed: each time is a link. */
function History({ side }: { side: state.Side }) {
  const changes = side.changes.value;
  if (changes === "asked") return <p class="history">Looking for changes …</p>;
  if (changes === null) {
    return (
      <p class="history">
        <button type="button" class="link" onClick={() => void state.askHistory(side)}>
          When did this change?
        </button>
      </p>
    );
  }
  const known = changes.changes.filter(({ moment }) => moment <= state.horizon.value);
  if (known.length === 0)
    return <p class="history">{changes.exact ? "Never changed" : "No change was found"}</p>;
  // Spoiler-free, those that are not listed may be still to come.
  const earlier = Number.isFinite(state.horizon.value) ? 0 : changes.earlier;
  const now = state.target.value;
  // Around the position, the nearest first.
  const near = [...known].sort((a, b) => Math.abs(a.moment - now) - Math.abs(b.moment - now)).slice(0, 12);
  near.sort((a, b) => b.moment - a.moment);
  return (
    <div class="history">
      <h3>Changed at</h3>
      <ol>
        {near.map(({ moment, time, text }) => (
          <li key={`${moment} ${text}`}>
            <button
              type="button"
              class="row-button"
              aria-current={moment === now ? "time" : undefined}
              onClick={() => state.jump(moment)}
            >
              <span class="time">{time}</span>
              <span class="grow two-lines" title={text}>
                {text}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <p class="hint">
        {known.length + earlier > near.length && `and ${known.length + earlier - near.length} more`}
        {!changes.exact && " What changed and changed back at once may be missing."}
      </p>
    </div>
  );
}
