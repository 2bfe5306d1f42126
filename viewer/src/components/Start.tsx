// Where there is nothing open: a place to drop, choose or paste.
import { useRef } from "preact/hooks";
import * as state from "../state/index.ts";
import { Icon } from "./icons.tsx";

export function FilePicker({ label, class: name }: { label: string; class?: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={name ?? "primary"} onClick={() => input.current?.click()}>
        <Icon name="file" /> {label}
      </button>
      <input
        ref={input}
        type="file"
        class="only-heard"
        tabIndex={-1}
        aria-label="File of a recording"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) state.openFile(file);
        }}
      />
    </>
  );
}

export function UrlField() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <form
      class="field url"
      onSubmit={(event) => {
        event.preventDefault();
        const text = input.current?.value.trim();
        if (text) state.visit(text);
      }}
    >
      <input
        ref={input}
        type="text"
        inputMode="url"
        aria-label="Address of a recording"
        placeholder="https://…"
        spellcheck={false}
        autocomplete="off"
      />
      <button type="submit">Open</button>
    </form>
  );
}

export function Start() {
  return (
    <main class="start">
      <div class="drop">
        <Icon name="upload" />
        <h2>Drop a recording here</h2>
        <p class="hint">Tapes, MineWars files and gamelogs. Nothing leaves this computer.</p>
        <FilePicker label="Choose a file" />
        <p class="or">or paste its address</p>
        <UrlField />
      </div>
    </main>
  );
}
