import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./components/App.tsx";
import { onKey } from "./keys.ts";
import "./media.ts";
import * as state from "./state/index.ts";

function start() {
  render(<App />, document.getElementById("app")!);
  window.addEventListener("keydown", onKey);

  // A button that was clicked by mouse gives the keys back: space plays, arrows step.
  window.addEventListener("click", (event) => {
    const button = (event.target as HTMLElement).closest?.("button");
    if (event.detail > 0 && button && !button.closest("dialog")) button.blur();
  });

  // A file may be dropped anywhere.
  let depth = 0;
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    depth++;
    state.dragging.value = true;
  });
  window.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) state.dragging.value = false;
  });
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    state.dragging.value = false;
    const file = event.dataTransfer?.files[0];
    if (file) state.openFile(file);
  });
  // An address may be pasted anywhere, too.
  window.addEventListener("paste", (event) => {
    if ((event.target as HTMLElement).closest?.("input, textarea")) return;
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData("text/plain").trim() ?? "";
    if (file) state.openFile(file);
    else if (/^https?:\/\/\S+$/.test(text)) state.visit(text);
  });

  // For tests: true when nothing is left to draw and the page shows it.
  const root = document.documentElement;
  effect(() => {
    if (!state.idle.value) root.dataset.idle = "false";
    else {
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (state.idle.value) root.dataset.idle = "true";
        }),
      );
    }
  });
  // For tests in a browser: the hash of the state at the position.
  Object.assign(window, { gametape: { hash: state.stateHash, seek: state.seek } });
  void state.begin();
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
