// Own bookmarks, kept on this computer.
import { computed } from "@preact/signals";
import { target } from "./clock.ts";
import { keep, read } from "./kept.ts";
import { ofRecording } from "./lifetime.ts";
import { say } from "./page.ts";
import { timeText } from "./position.ts";
import { about, shown } from "./side.ts";

export interface Bookmark {
  moment: number;
  time: string;
  note: string;
}

export const bookmarks = ofRecording<Bookmark[]>([]);
export const isBookmarked = computed(() => bookmarks.value.some(({ moment }) => moment === target.value));

function key(): string | null {
  const known = about.value;
  return known ? `bookmarks:${known.name}:${known.growing ? "live" : known.end}` : null;
}

/** Those that were kept of the present recording. */
export function readBookmarks() {
  const own = key();
  try {
    const value = JSON.parse((own && read(own)) || "[]") as Bookmark[];
    bookmarks.value = Array.isArray(value)
      ? value
          .filter((one) => typeof one.moment === "number")
          .map((one) => ({ moment: one.moment, time: String(one.time ?? ""), note: String(one.note ?? "") }))
      : [];
  } catch {
    bookmarks.value = [];
  }
}

function write(list: Bookmark[]) {
  bookmarks.value = list;
  const own = key();
  if (own) keep(own, JSON.stringify(list));
}

export function toggleBookmark(moment = target.value) {
  if (!about.value) return;
  if (bookmarks.value.some((one) => one.moment === moment)) {
    write(bookmarks.value.filter((one) => one.moment !== moment));
    say("Bookmark removed");
  } else {
    const time = moment === shown.value?.moment ? shown.value.time : timeText(moment);
    write([...bookmarks.value, { moment, time, note: "" }].sort((a, b) => a.moment - b.moment));
    say(`Bookmark at ${time}`);
  }
}

export function noteBookmark(moment: number, note: string) {
  write(bookmarks.value.map((one) => (one.moment === moment ? { ...one, note } : one)));
}
