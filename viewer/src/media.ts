// What the screen is like.
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { fineBar, span, theme } from "./state/index.ts";

function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const it = signal(list.matches);
  list.addEventListener("change", () => {
    it.value = list.matches;
  });
  return it;
}

export const narrow = media("(max-width: 799px)");
export const compact = media("(max-width: 1279px)");
export const low = media("(max-height: 619px)");
export const still = media("(prefers-reduced-motion: reduce)");
const prefersLight = media("(prefers-color-scheme: light)");

export const look = signal<"dark" | "light">("dark");
effect(() => {
  const now = theme.value === "system" ? (prefersLight.value ? "light" : "dark") : theme.value;
  document.documentElement.dataset.theme = now;
  look.value = now;
});

/** Whether there is a fine bar. Where a pixel of the bar is less than a moment, it would say nothing more. */
export const fineShown = computed(() => {
  if (fineBar.value !== "auto") return fineBar.value === "yes";
  return span.value.end - span.value.start > 1200 && !narrow.value && !low.value;
});
