// What is kept between visits, on this computer only.
import { effect, type Signal, signal } from "@preact/signals";

export function read(key: string): string | null {
  try {
    return localStorage.getItem(`gametape:${key}`);
  } catch {
    // No storage, as in some private windows: nothing is kept.
    return null;
  }
}

export function keep(key: string, value: string) {
  try {
    localStorage.setItem(`gametape:${key}`, value);
  } catch {
    // See above.
  }
}

/** A choice that is the same at the next visit. */
export function kept<T extends string>(key: string, among: readonly T[], otherwise: T): Signal<T> {
  const value = read(key) as T;
  const it = signal<T>(among.includes(value) ? value : otherwise);
  effect(() => keep(key, it.value));
  return it;
}
