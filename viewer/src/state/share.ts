// What others get: links and pictures.
import { computed } from "@preact/signals";
import { cameraText } from "./camera.ts";
import { atLive, target } from "./clock.ts";
import { address } from "./links.ts";
import { liveName } from "./live.ts";
import { explain, say } from "./page.ts";
import { nowText, timeText } from "./position.ts";
import { about, main, recording, shown } from "./side.ts";
import { isOther, isSplit, linked, offset, second } from "./split.ts";

export const shareable = computed(() => recording.value > 0 && main.origin?.kind !== "file");

export function link(): string {
  const params: Record<string, string> = {};
  if (main.origin?.kind === "url")
    params.src = new URLSearchParams(location.search).get("src") ?? main.origin.url;
  if (liveName.value !== null) params.live = liveName.value;
  const known = about.value;
  if (known && !atLive.value) {
    params.t = known.is_gamelog
      ? `tick:${Math.max(0, target.value - 1)}`
      : (shown.value?.time ?? timeText(target.value));
  }
  if (known) {
    if (known.seen.length > 0 && known.seen.join() !== String(known.views[0]?.view))
      params.view = known.seen.join("+");
  }
  if (main.camera.wished.value) params.c = cameraText(main.camera.wished.value);
  if (main.selected.value) params.s = main.selected.value.join(",");
  return withoutPass(address({ ...params, ...secondParams() }));
}

/** A link that follows a caster. */
export function castLink(name: string): string {
  return withoutPass(address({ live: liveName.value ?? "", cast: name }));
}

/** A pass is for who has it: no link has it. */
export function withoutPass(link: string): string {
  const url = new URL(link);
  if (!url.searchParams.has("pass")) return link;
  return link.replace(/([?&])pass=[^&#]*&?/, "$1").replace(/[?&]$/, "");
}

/** What a link says of the right side. */
function secondParams(): Record<string, string> {
  const right = second.about.value;
  if (!isSplit.value || !right) return {};
  const params: Record<string, string> = {};
  if (isOther.value) {
    // A file on this computer has no address.
    if (second.origin?.kind !== "url") return {};
    params.src2 = second.origin.url;
  }
  params.split = right.seen.join("+");
  if (offset.value !== 0) params.later = String(offset.value);
  if (linked.value === "no" && second.camera.wished.value) params.c2 = cameraText(second.camera.wished.value);
  return params;
}

export async function copyLink(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(link());
    say("Link copied");
    return true;
  } catch {
    return false;
  }
}

/** Gives a file to the browser to save. */
export function save(blob: Blob, name: string) {
  const at = document.createElement("a");
  at.href = URL.createObjectURL(blob);
  at.download = name;
  at.click();
  setTimeout(() => URL.revokeObjectURL(at.href), 10_000);
  say(`Saved ${name}`);
}

/** `match 4.36.9` of match.tape at 4:36.9. */
export function fileStem(time = nowText.value): string {
  const stem = (about.value?.name ?? "recording").replace(/\.[a-z0-9]+$/i, "");
  return `${stem} ${time.replace(/:/g, ".")}`;
}

export async function savePicture() {
  if (!main.client || !about.value?.has_board) return;
  try {
    const blob = await main.client.picture();
    if (blob) save(blob, `${fileStem()}.png`);
  } catch (error) {
    explain(error, null);
  }
}

/** The picture goes to the clipboard; false where the browser does not let it. */
export async function copyPicture(): Promise<boolean> {
  if (!main.client || !about.value?.has_board) return false;
  try {
    const blob = await main.client.picture();
    if (!blob) return false;
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    say("Picture copied");
    return true;
  } catch {
    say("The browser does not allow copying pictures here");
    return false;
  }
}
