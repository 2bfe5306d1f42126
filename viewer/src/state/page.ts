// The page around a recording: where it is, what lies over it, what it says.
import { signal } from "@preact/signals";
import { Failure, Stale } from "../client.ts";
import { kept } from "./kept.ts";
import { ofView, whenForgotten } from "./lifetime.ts";

export interface Problem {
  text: string;
  retry: (() => void) | null;
}

export type Overlay = "keys" | "goto" | "search" | "share";

export const place = signal<"waiting" | "start" | "matches" | "match">("waiting");
/** Is a recording being opened? */
export const opening = signal(false);
export const problem = signal<Problem | null>(null);
export const progress = signal<{ done: number; total: number | null } | null>(null);
export const theme = kept("theme", ["system", "dark", "light"], "system");
export const overlay = signal<Overlay | null>(null);
export const dragging = signal(false);
export const toast = ofView<string | null>(null);
/** What a screen reader says. */
export const announced = ofView("");

whenForgotten(() => {
  if (overlay.value === "search") overlay.value = null;
});

export function say(text: string) {
  toast.value = text;
}

/** Somebody does something by hand: whoever is followed is not followed any more. */
export const byHand = { run() {} };

/** What a failure asks of other parts of the page; they say so themselves. */
export const onFailure = { pause() {}, reopen() {} };

export function explain(error: unknown, retry: (() => void) | null) {
  if (error instanceof Stale) return;
  const text = error instanceof Error ? error.message : String(error);
  onFailure.pause();
  if (error instanceof Failure && error.cure === "none") problem.value = { text, retry: null };
  else
    problem.value = {
      text,
      retry: error instanceof Failure && error.cure === "reopen" ? onFailure.reopen : retry,
    };
}
