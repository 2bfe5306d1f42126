// One worker per recording: the session, its bytes and the drawing of the board.
import init, { Session } from "#session";
import type { HeatLegend, Shown } from "./generated/shapes.ts";
import type { Answer, Ask, Cure, FromWorker, Picture, SentOrigin, ToWorker, Wish } from "./requests.ts";
import { type ByteSource, ChangedError, GrowingSource, NetworkError, openSource, request } from "./source.ts";

interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}
const scope = self as unknown as Scope;

type Opening = Extract<ToWorker, { type: "open" }>;

let opening: Opening | null = null;
let session: Session | null = null;
let memory: WebAssembly.Memory | null = null;
let source: ByteSource | null = null;
let wish: Wish | null = null;
/** Counts recordings: what was begun with another one says nothing any more. */
let recording = 0;
let running = false;
const asks: Ask[] = [];
/** What is drawn on. A context is asked for once: Firefox refuses a second time. */
const surfaces: Record<"board" | "map", OffscreenCanvasRenderingContext2D | null> = {
  board: null,
  map: null,
};

/** Lets messages in that wait; timers would wait longer. */
const turn = new MessageChannel();
let resume: (() => void) | null = null;
turn.port1.onmessage = () => resume?.();
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve;
    turn.port2.postMessage(null);
  });
}

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case "open":
      opening = data;
      source = growingSource(data.origin);
      return;
    case "extend":
      extend(data.bytes);
      return;
    case "restart":
      restart(data);
      return;
    case "canvas":
      surfaces[data.role] = data.canvas?.getContext("2d") ?? null;
      return;
    case "wish":
      // Parts that the newer wish does not have stay wished.
      wish = wish ? { ...wish, ...data.wish } : data.wish;
      break;
    default:
      asks.push(data);
  }
  void run();
};

/** A tape that grows is added to from the beginning on, also while it is being opened. */
function growingSource(origin: SentOrigin): GrowingSource | null {
  return origin.kind === "growing" ? new GrowingSource(origin.pieces) : null;
}

/** More of a tape that grows. What is no tape ends it; what came before stays. */
function extend(bytes: Uint8Array) {
  if (source instanceof GrowingSource) source.add(bytes);
  try {
    session?.extend(bytes);
  } catch (error) {
    console.warn(error);
  }
}

/** Another recording of the same match, on the same canvases. */
function restart({ origin, seen }: Extract<ToWorker, { type: "restart" }>) {
  if (!opening) return;
  opening = { ...opening, origin };
  recording++;
  // A call may be waiting for bytes of it: then it is freed when nobody has it any more.
  if (!running) session?.free();
  session = null;
  source = growingSource(origin);
  reopened = { seen };
  wish = null;
}

/** The views of a recording that goes on with another one. */
let reopened: { seen: readonly number[] } | null = null;

/** In turns, and what is seen first: neither a long list of questions nor playing keeps the other waiting. */
async function run() {
  if (running) return;
  running = true;
  for (let isForAsks = false; ; isForAsks = !isForAsks) {
    await nextTurn();
    const ask = isForAsks || !wish ? asks.shift() : undefined;
    if (ask) await answer(ask);
    else if (wish) await fulfil();
    else if (asks.length === 0) break;
  }
  running = false;
}

function explain(error: unknown): { message: string; cure: Cure } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof WebAssembly.RuntimeError) {
    return { message: `The viewer failed inside: ${message}`, cure: "reopen" };
  }
  if (error instanceof ChangedError) return { message, cure: "reopen" };
  return { message, cure: error instanceof NetworkError ? "again" : "none" };
}

async function answer(ask: Ask) {
  try {
    const [value, transfer] = await answerTo(ask);
    scope.postMessage({ type: "answer", id: ask.id, value }, transfer);
  } catch (error) {
    scope.postMessage({ type: "failed", id: ask.id, ...explain(error) });
  }
}

/** The answer, and what of it is handed over rather than copied. */
async function answerTo(ask: Ask): Promise<[unknown, Transferable[]]> {
  switch (ask.type) {
    case "png":
      return [(await surfaces.board?.canvas.convertToBlob({ type: "image/png" })) ?? null, []];
    case "ask":
      return [await call(ask.request), []];
    case "looks": {
      const looks = (await open()).looks();
      return [looks, [looks.buffer]];
    }
    case "compare":
      return [(await open()).compare(ask.looks), []];
    case "file": {
      const file = (await open()).file();
      return [file, [file.buffer]];
    }
    case "snapshot": {
      await call(JSON.stringify({ do: "seek", to: ask.to }));
      const drawn = await imageOf(ask.picture);
      const bitmap = drawn && (await createImageBitmap(drawn.image));
      return [bitmap, bitmap ? [bitmap] : []];
    }
  }
}

async function bytesOf(place: string | Uint8Array): Promise<Uint8Array> {
  if (typeof place !== "string") return place;
  return new Uint8Array(await (await request(place)).arrayBuffer());
}

/** The module and the letters, which are loaded once. */
let module: ReturnType<typeof init> | null = null;
let letters: Promise<Uint8Array | null> | null = null;

function load({ wasm, font }: Opening): ReturnType<typeof init> {
  // The letters may be missing: the board is drawn without.
  letters ??= font === null ? Promise.resolve(null) : bytesOf(font).catch(() => null);
  module ??= init({ module_or_path: typeof wasm === "string" ? request(wasm) : wasm }).catch((error) => {
    module = null;
    throw error;
  });
  return module;
}

async function open(): Promise<Session> {
  if (session) return session;
  if (!opening) throw new Error("no recording is open");
  const mine = recording;
  const { origin } = opening;
  const progress = (done: number, total: number | null) =>
    scope.postMessage({ type: "progress", done, total });
  const [loaded, bytes] = await Promise.all([load(opening), source ?? openSource(origin, progress)]);
  memory = loaded.memory;
  const face = await letters;
  if (mine !== recording) return open();
  source = bytes;
  session =
    bytes instanceof GrowingSource ? growing(origin.name, bytes) : new Session(origin.name, bytes.length);
  if (face) {
    try {
      session.font(face);
    } catch {
      // Not a font: as if there were none.
    }
  }
  return session;
}

/** A session of what came of a tape that grows. */
function growing(name: string, source: GrowingSource): Session {
  const made = Session.growing(name);
  made.extend(source.all());
  if (reopened) {
    const { seen } = reopened;
    made.call(JSON.stringify({ do: "open" }));
    if (seen.length > 0) {
      try {
        made.call(JSON.stringify({ do: "view", view: seen }));
      } catch {
        // It has other views: the page asks which.
      }
    }
  }
  return made;
}

/** Calls until no bytes are missing; null: `given_up` said that nobody wants the answer any more. */
async function call(request: string, given_up?: () => boolean): Promise<unknown> {
  const opened = await open();
  for (;;) {
    const text = opened.call(request);
    if (text !== undefined) return JSON.parse(text);
    const ranges = opened.missing();
    const reads: Promise<[number, Uint8Array]>[] = [];
    for (let at = 0; at + 1 < ranges.length; at += 2) {
      const start = ranges[at]!;
      reads.push(source!.read(start, ranges[at + 1]!).then((bytes) => [start, bytes]));
    }
    if (reads.length === 0) throw new Error("The session wants bytes and does not say which.");
    for (const [start, bytes] of await Promise.all(reads)) opened.supply(start, bytes);
    if (given_up?.()) return null;
  }
}

async function fulfil() {
  const mine = wish!;
  wish = null;
  try {
    let shown: Shown | null = null;
    if (mine.seek) {
      const answer = await call(JSON.stringify({ do: "seek", ...mine.seek }), () => Boolean(wish?.seek));
      if (answer === null) {
        // A newer moment is wished; what else was wished stays so.
        wish = { ...mine, ...(wish as Wish | null) } as Wish;
        return;
      }
      shown = answer as Shown;
    }
    const heat = mine.picture ? await draw("board", mine.picture) : null;
    if (mine.map) await draw("map", mine.map);
    scope.postMessage({ type: "shown", serial: mine.serial, shown, heat });
  } catch (error) {
    scope.postMessage({ type: "wishfailed", serial: mine.serial, ...explain(error) });
  }
}

/** The board as pixels; null where there is nothing to see. */
async function imageOf(picture: Picture): Promise<{ image: ImageData; heat: HeatLegend | null } | null> {
  if (picture.width < 1 || picture.height < 1) return null;
  const { heat } = (await call(JSON.stringify({ do: "draw", ...picture }))) as Answer<"draw">;
  const length = session!.pixels_length();
  if (length !== picture.width * picture.height * 4) return null;
  // In the memory of the module: it is used before anything else is asked of the session.
  const pixels = new Uint8ClampedArray(memory!.buffer as ArrayBuffer, session!.pixels(), length);
  return { image: new ImageData(pixels, picture.width, picture.height), heat };
}

/** Draws, and says what the colours of a heat map mean. */
async function draw(role: "board" | "map", picture: Picture): Promise<HeatLegend | null> {
  const drawn = await imageOf(picture);
  if (!drawn) return null;
  const { image, heat } = drawn;
  const context = surfaces[role];
  if (!context) {
    const bitmap = await createImageBitmap(image);
    scope.postMessage({ type: "bitmap", role, bitmap }, [bitmap]);
    return heat;
  }
  const { canvas } = context;
  if (canvas.width !== picture.width || canvas.height !== picture.height) {
    canvas.width = picture.width;
    canvas.height = picture.height;
  }
  context.putImageData(image, 0, 0);
  return heat;
}
