// The picture follows a piece, or where a player looks, until somebody moves it.
import type { Follow } from "../requests.ts";
import { target } from "./clock.ts";
import { ofView } from "./lifetime.ts";
import { announced, say } from "./page.ts";
import { about, main, onShown, type Side } from "./side.ts";
import { seek } from "./time.ts";

export interface Following {
  what: Follow;
  name: string;
}

export const following = ofView<Following | null>(null);
main.followed = () => following.value?.what ?? null;

/** How much larger than the whole board things are shown when something is followed. */
const CLOSER = 2.2;

onShown.push((now) => {
  const fit = main.camera.fitting.value;
  const at = main.camera.now.value;
  if (!following.value || !now.follow || !fit || !at) return;
  const [x, y] = now.follow;
  const zoom = main.camera.wished.value ? at.zoom : Math.max(at.zoom, fit.zoom * CLOSER);
  main.camera.move({ x, y, zoom });
});

export function followThis(what: Follow, name: string) {
  following.value = { what, name };
  announced.value = `Following ${name}`;
  seek(target.value);
}

export function unfollow() {
  if (!following.value) return;
  announced.value = `No longer following ${following.value.name}`;
  following.value = null;
}

export function followCamera(player: number) {
  const name = about.value?.players[player - 1]?.name ?? `player ${player}`;
  followThis({ camera: player }, `where ${name} looks`);
}

export function isFollowed(what: Follow): boolean {
  return JSON.stringify(following.value?.what) === JSON.stringify(what);
}

/** By key: the piece on the selected tile, else where the player of the view looks; again: nothing. */
export function toggleFollow() {
  if (following.value) return unfollow();
  const piece = main.inspection.value?.pieces[0];
  const { cameras = [], seen = [] } = about.value ?? {};
  const camera = cameras.find((player) => seen.includes(player)) ?? cameras[0];
  if (piece) followThis({ piece: piece.id }, piece.name);
  else if (camera !== undefined) followCamera(camera);
  else say("Nothing to follow: select a tile with a piece");
}

/** Moves the picture by hand. */
export function panBy(side: Side, dx: number, dy: number) {
  if (side === main) unfollow();
  side.camera.panBy(dx, dy);
}
