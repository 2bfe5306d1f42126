import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { overlay } from "../state/index.ts";
import { Icon } from "./icons.tsx";

export function Dialog({
  title,
  children,
  class: name,
}: {
  title: string;
  children: ComponentChildren;
  class?: string;
}) {
  const element = useRef<HTMLDialogElement>(null);
  // The browser reports a dialog as closed some time later: the next one may be open by then.
  const isOpen = useRef(true);
  const shut = () => {
    if (!isOpen.current) return;
    isOpen.current = false;
    overlay.value = null;
  };
  useLayoutEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    dialog.showModal();
    return () => {
      isOpen.current = false;
      dialog.close();
      before?.focus?.();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name ?? ""}`}
      aria-label={title}
      // Also where the browser would clear a field first.
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        shut();
      }}
      onClose={shut}
      onClick={(event) => {
        if (event.target === element.current) shut();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="quiet square" aria-label="Close" onClick={shut}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
