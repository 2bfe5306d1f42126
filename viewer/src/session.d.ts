// The wasm session (crates/gametape-web). The build puts src/generated/gametape_web.js or the made-up session of the
// tests in its place.
declare module "#session" {
  export default function init(options: {
    module_or_path: Promise<Response> | BufferSource;
  }): Promise<{ memory: WebAssembly.Memory }>;

  export class Session {
    constructor(name: string, length: number);
    /** A tape that is being recorded, of which nothing is there. */
    static growing(name: string): Session;
    /** More of it; its last moment, 0 before it is open. Throws where it is no tape. */
    extend(bytes: Uint8Array): number;
    /** False: no font that can be read. */
    font(bytes: Uint8Array): boolean;
    /** JSON in, JSON out; undefined: bytes are missing. Throws when refused or broken. */
    call(request: string): string | undefined;
    /** Ranges of bytes to supply: start, end, start, end … */
    missing(): Float64Array;
    supply(start: number, bytes: Uint8Array): void;
    /** What is on the tiles, for `compare` of another session. */
    looks(): Uint8Array<ArrayBuffer>;
    /** Marks what differs from another session; how many tiles that is. */
    compare(looks: Uint8Array): number;
    /** What was made last; given once. */
    file(): Uint8Array<ArrayBuffer>;
    /** Where RGBA of the last draw is in the memory, until the next call. */
    pixels(): number;
    pixels_length(): number;
    free(): void;
  }
}
