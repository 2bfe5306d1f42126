// Something that opens below or above a button, and closes by Escape or a click elsewhere.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  class: string;
  /** What the button is called, where it has no words. */
  label?: string;
  title?: string;
  isOn?: boolean;
  button: ComponentChildren;
  children: ComponentChildren;
}

export function Menu(props: Props) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const elsewhere = (event: PointerEvent) => {
      const own = box.current;
      if (own?.open && !own.contains(event.target as Node)) own.open = false;
    };
    window.addEventListener("pointerdown", elsewhere, true);
    return () => window.removeEventListener("pointerdown", elsewhere, true);
  }, []);
  return (
    <details
      ref={box}
      class={`menu ${props.class}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !box.current?.open) return;
        event.stopPropagation();
        event.preventDefault();
        box.current.open = false;
        box.current.querySelector("summary")?.focus();
      }}
    >
      <summary aria-label={props.label} title={props.title} data-on={props.isOn}>
        {props.button}
      </summary>
      <div class="menu-list">{props.children}</div>
    </details>
  );
}
