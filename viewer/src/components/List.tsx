// A long list of rows of the same height: only those that can be seen are in the page.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props<T> {
  items: readonly T[];
  height: number;
  /** This row is kept in sight, unless the list is being scrolled by hand. */
  keep?: number;
  label: string;
  class?: string;
  row(item: T, index: number): ComponentChildren;
}

export function List<T>({ items, height, keep, label, class: className, row }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const held = useRef(false);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current!;
    if (keep === undefined || held.current) return;
    const at = keep * height;
    if (at < element.scrollTop + height || at > element.scrollTop + element.clientHeight - 2 * height) {
      element.scrollTop = Math.max(0, at - element.clientHeight / 2);
    }
  }, [keep, height, items.length, view.height]);

  const first = Math.max(0, Math.floor(view.top / height) - 5);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / height) + 5);
  return (
    <section
      class={`list ${className ?? ""}`}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      onScroll={(event) =>
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
      }
      onPointerEnter={() => {
        held.current = true;
      }}
      onPointerLeave={() => {
        held.current = false;
      }}
    >
      <ol class="list-all" style={{ height: `${items.length * height}px` }}>
        {items.slice(first, last).map((item, at) => (
          <li
            key={first + at}
            class="list-row"
            style={{ transform: `translateY(${(first + at) * height}px)`, height: `${height}px` }}
            aria-setsize={items.length}
            aria-posinset={first + at + 1}
          >
            {row(item, first + at)}
          </li>
        ))}
      </ol>
    </section>
  );
}
