// The wasm module for live matches (crates/gametape-web-live). The build puts src/generated/gametape_web_live.js in its place.
// A tick below zero means live; times are milliseconds since any fixed instant.
declare module "#live" {
  export default function init(options: {
    module_or_path: Promise<Response> | BufferSource;
  }): Promise<unknown>;

  /** Messages in, messages out, a tape. */
  export class Seat {
    /** Throws where the match or the pass cannot be asked for. */
    constructor(match: string, views: number, from: number, pass: string);
    /** The message that a connection begins with. */
    join(): Uint8Array<ArrayBuffer>;
    /** Throws: the connection must end. */
    receive(bytes: Uint8Array, now: number): void;
    poll(now: number): void;
    next(): Uint8Array<ArrayBuffer> | undefined;
    seek(tick: number): void;
    /** JSON: LiveNotice[]. */
    notices(): string;
    tape(): Uint8Array<ArrayBuffer>;
    free(): void;
  }

  /** Files in, a tape out. */
  export class Segments {
    constructor(view: number, from: number);
    poll(now: number): string[];
    /** undefined: it is not there. Throws: something else than segments. */
    answer(file: string, bytes: Uint8Array | undefined, now: number): void;
    notices(): string;
    tape(): Uint8Array<ArrayBuffer>;
    free(): void;
  }
}
