// The page's side of the worker of one recording.
import type {
  Answer,
  Cure,
  Fields,
  FromWorker,
  Name,
  Origin,
  Picture,
  SentOrigin,
  ToWorker,
  Wish,
} from "./requests.ts";

export class Failure extends Error {
  constructor(
    message: string,
    readonly cure: Cure,
  ) {
    super(message);
  }
}

/** The answer came for a view or a recording that is not shown any more. */
export class Stale extends Error {}

export interface Handlers {
  progress(done: number, total: number | null): void;
  shown(message: Extract<FromWorker, { type: "shown" }>): void;
  wishFailed(message: Extract<FromWorker, { type: "wishfailed" }>): void;
  busy(count: number): void;
}

export interface Assets {
  worker: string;
  wasm: string | Uint8Array<ArrayBuffer>;
  /** The larger module, which also makes clips and GIF files. */
  maker: string | Uint8Array<ArrayBuffer>;
  font: string | Uint8Array<ArrayBuffer> | null;
}

interface Waiting {
  epoch: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Client {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private readonly bitmaps: Partial<Record<"board" | "map", HTMLCanvasElement>> = {};
  private next = 1;
  private epoch = 0;
  private closed = false;
  private unhear = () => {};

  constructor(
    assets: Assets,
    origin: Origin,
    private readonly handlers: Handlers,
  ) {
    this.worker = new Worker(assets.worker);
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.hear(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      const text = event.message
        ? `The viewer failed inside: ${event.message}`
        : "The worker could not be loaded.";
      this.fail(new Failure(text, "reopen"));
    };
    this.send({ type: "open", origin: this.use(origin), wasm: assets.wasm, font: assets.font });
  }

  /** Goes on with another recording of the same match; what was asked of this one is not wanted any more. */
  restart(origin: Origin, seen: readonly number[]) {
    this.forget();
    this.send({ type: "restart", origin: this.use(origin), seen });
  }

  /** What a worker gets of a recording; of one that grows more follows. */
  private use(origin: Origin): SentOrigin {
    this.unhear();
    if (origin.kind !== "live") return origin;
    this.unhear = origin.tape.listen((bytes) => this.send({ type: "extend", bytes }));
    return { kind: "growing", pieces: origin.tape.pieces, name: origin.name };
  }

  ask<N extends Name>(name: N, fields: Fields<N>): Promise<Answer<N>> {
    return this.wait((id) => ({
      type: "ask",
      id,
      request: JSON.stringify({ do: name, ...fields }),
    })) as Promise<Answer<N>>;
  }

  wish(wish: Wish) {
    this.send({ type: "wish", wish });
  }

  /** Answers to what was asked before are not wanted any more. */
  forget() {
    this.epoch++;
  }

  /** Lets the worker draw on this canvas, where the browser can. */
  attach(role: "board" | "map", canvas: HTMLCanvasElement) {
    if (typeof canvas.transferControlToOffscreen === "function") {
      const offscreen = canvas.transferControlToOffscreen();
      this.send({ type: "canvas", role, canvas: offscreen }, [offscreen]);
    } else {
      this.bitmaps[role] = canvas;
      this.send({ type: "canvas", role, canvas: null });
    }
  }

  async picture(): Promise<Blob | null> {
    const own = this.bitmaps.board;
    if (own) return new Promise((resolve) => own.toBlob(resolve, "image/png"));
    return (await this.wait((id) => ({ type: "png", id }))) as Blob | null;
  }

  /** What is on the tiles now, for `compare` of another client. */
  looks(): Promise<Uint8Array<ArrayBuffer>> {
    return this.wait((id) => ({ type: "looks", id })) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** From now on drawings mark what differs; how many tiles that is. */
  compare(looks: Uint8Array<ArrayBuffer>): Promise<number> {
    return this.wait((id) => ({ type: "compare", id, looks })) as Promise<number>;
  }

  /** The file that the last request made. */
  file(): Promise<Uint8Array<ArrayBuffer>> {
    return this.wait((id) => ({ type: "file", id })) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** The board at a moment. */
  snapshot(to: number, picture: Picture): Promise<ImageBitmap | null> {
    return this.wait((id) => ({ type: "snapshot", id, to, picture })) as Promise<ImageBitmap | null>;
  }

  close() {
    this.closed = true;
    this.unhear();
    this.worker.terminate();
    this.fail(new Stale());
  }

  private wait(message: (id: number) => ToWorker): Promise<unknown> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { epoch: this.epoch, resolve, reject });
      this.handlers.busy(this.waiting.size);
      this.send(message(id));
    });
  }

  private send(message: ToWorker, transfer: Transferable[] = []) {
    this.worker.postMessage(message, transfer);
  }

  private settle(id: number, end: (waiting: Waiting) => void) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    this.waiting.delete(id);
    if (waiting.epoch === this.epoch) end(waiting);
    else waiting.reject(new Stale());
    // Who waits may ask again at once: that is not idle in between.
    queueMicrotask(() => this.handlers.busy(this.closed ? 0 : this.waiting.size));
  }

  private fail(error: Error) {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const waiting of all) waiting.reject(error);
    this.handlers.busy(0);
  }

  private hear(message: FromWorker) {
    switch (message.type) {
      case "progress":
        return this.handlers.progress(message.done, message.total);
      case "answer":
        return this.settle(message.id, (waiting) => waiting.resolve(message.value));
      case "failed":
        return this.settle(message.id, (waiting) =>
          waiting.reject(new Failure(message.message, message.cure)),
        );
      case "shown":
        return this.handlers.shown(message);
      case "wishfailed":
        return this.handlers.wishFailed(message);
      case "bitmap": {
        const canvas = this.bitmaps[message.role];
        if (canvas) {
          if (canvas.width !== message.bitmap.width) canvas.width = message.bitmap.width;
          if (canvas.height !== message.bitmap.height) canvas.height = message.bitmap.height;
          canvas.getContext("2d")?.drawImage(message.bitmap, 0, 0);
        }
        message.bitmap.close();
        return;
      }
    }
  }
}
