// How long things are remembered. What belongs to a recording goes when another is opened; what a view knew goes when the view
// changes. Whoever adds a signal that holds something of a recording makes it with one of these.
import { batch, type Signal, signal } from "@preact/signals";

const views: (() => void)[] = [];
const recordings: (() => void)[] = [];

/** Something that a view knows. */
export function ofView<T>(initial: T): Signal<T> {
  const it = signal(initial);
  views.push(() => {
    it.value = initial;
  });
  return it;
}

/** Something of a recording that no view hides. */
export function ofRecording<T>(initial: T): Signal<T> {
  const it = signal(initial);
  recordings.push(() => {
    it.value = initial;
  });
  return it;
}

export function whenForgotten(work: () => void) {
  views.push(work);
}

export function whenClosed(work: () => void) {
  recordings.push(work);
}

/** Nothing that another view knew may stay on the page. */
export function forget() {
  batch(() => {
    for (const one of views) one();
  });
}

/** Nothing of a recording stays on the page. */
export function forgetRecording() {
  batch(() => {
    for (const one of recordings) one();
    forget();
  });
}
