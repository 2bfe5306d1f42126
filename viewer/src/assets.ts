// Where the worker, the wasm module and the letters are: beside the page, or inside it (one-file HTML).
import type { Assets } from "./client.ts";

type Part = "wasm" | "worker" | "font" | "recording";

function element(part: Part): HTMLScriptElement | null {
  return document.querySelector(`script[data-gametape="${part}"]`);
}

async function unpack(from: HTMLScriptElement): Promise<Uint8Array<ArrayBuffer>> {
  const text = (from.textContent ?? "").replace(/\s+/g, "");
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) packed[at] = binary.charCodeAt(at);
  if (!from.dataset.encoding?.startsWith("gzip")) return packed;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

let known: Promise<Assets> | null = null;

export function assets(): Promise<Assets> {
  known ??= find();
  return known;
}

async function find(): Promise<Assets> {
  const beside = (name: string) => new URL(name, document.baseURI).href;
  const [worker, wasm, font] = (["worker", "wasm", "font"] as const).map((part) => element(part));
  // One-file pages have the module that does everything.
  const inside = wasm ? await unpack(wasm) : null;
  return {
    worker: worker
      ? URL.createObjectURL(new Blob([await unpack(worker)], { type: "text/javascript" }))
      : beside("worker.js"),
    wasm: inside ?? beside("gametape_web_bg.wasm"),
    maker: inside ?? beside("maker.wasm"),
    font: font ? await unpack(font) : wasm ? null : beside("font.ttf"),
  };
}

export interface Inside {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Where to begin, and with whose view. */
  time: string | null;
  view: string | null;
}

/** The recording inside a one-file page. */
export async function embedded(): Promise<Inside | null> {
  const from = element("recording");
  if (!from) return null;
  const { name, t, view } = from.dataset;
  return { name: name ?? "recording", bytes: await unpack(from), time: t ?? null, view: view ?? null };
}
