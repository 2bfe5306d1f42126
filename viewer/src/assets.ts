// Where the worker, the wasm module and the letters are: beside the page, or inside it (one-file HTML).
import type { Assets } from "./client.ts";

type Part = "wasm" | "worker" | "font" | "recording";

function element(part: Part): HTMLScriptElement | null {
  return document.querySelector(`script[data-gametape="${part}"]`);
}

/** Five characters are four bytes (spec/viewer.md, section 5). */
function ofBase85(text: string): Uint8Array<ArrayBuffer> {
  const digits = new Uint8Array(128);
  let next = 0;
  for (let code = 33; code < 127; code++)
    if (!"\"&'<>\\`".includes(String.fromCharCode(code))) digits[code] = next++;
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  for (let from = 0, to = 0; from < text.length; from += 5, to += 4) {
    let value = 0;
    for (let at = from; at < from + 5; at++) {
      value = value * 85 + (at < text.length ? digits[text.charCodeAt(at) & 127]! : 84);
    }
    for (let byte = 0; byte < 4 && to + byte < bytes.length; byte++)
      bytes[to + byte] = value >>> (24 - 8 * byte);
  }
  return bytes;
}

async function unpack(from: HTMLScriptElement): Promise<Uint8Array<ArrayBuffer>> {
  const text = (from.textContent ?? "").replace(/\s+/g, "");
  const encoding = from.dataset.encoding ?? "";
  const packed = encoding.endsWith("base85")
    ? ofBase85(text)
    : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  if (!encoding.startsWith("gzip")) return packed;
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
