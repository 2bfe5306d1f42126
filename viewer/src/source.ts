// The bytes of a recording, read in parts: from a file by slices, from the web by ranges through kept blocks.
import type { SentOrigin } from "./requests.ts";

export interface ByteSource {
  readonly length: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** The network failed: trying again may help. */
export class NetworkError extends Error {}

/** What was read is not what is there now: reading it from the start helps. */
export class ChangedError extends Error {}

type Progress = (done: number, total: number | null) => void;

export const BLOCK = 64 * 1024;
/** Blocks that are kept: 64 MiB. */
const KEPT = 1024;
/** The largest recording that is read as a whole because asking for a part failed. */
const MOST_WHOLE = 64 << 20;
/** Blocks between two wanted ones that are read with them rather than by a request of their own. */
const GAP = 1;

export async function openSource(origin: SentOrigin, progress: Progress): Promise<ByteSource> {
  switch (origin.kind) {
    case "growing":
      // Whoever opens it has it already.
      return new GrowingSource(origin.pieces);
    case "file":
      return blobSource(origin.file);
    case "bytes":
      return bytesSource(origin.bytes);
    case "url":
      return openUrl(origin.url, progress);
  }
}

/** What came of a tape that grows. */
export class GrowingSource implements ByteSource {
  private bytes = new Uint8Array(1 << 20);
  length = 0;

  constructor(pieces: readonly Uint8Array[]) {
    for (const piece of pieces) this.add(piece);
  }

  add(piece: Uint8Array) {
    const length = this.length + piece.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.bytes.length * 2));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(piece, this.length);
    this.length = length;
  }

  all(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    return this.bytes.slice(start, Math.min(end, this.length));
  }
}

function bytesSource(bytes: Uint8Array): ByteSource {
  return { length: bytes.length, read: async (start, end) => bytes.slice(start, end) };
}

function blobSource(blob: Blob): ByteSource {
  return {
    length: blob.size,
    async read(start, end) {
      try {
        return new Uint8Array(await blob.slice(start, end).arrayBuffer());
      } catch {
        throw new NetworkError("The file cannot be read any more: it was changed, moved or removed.");
      }
    },
  };
}

function unreachable(url: string): NetworkError {
  return new NetworkError(
    `${url} cannot be reached. The network failed, or that server does not let other pages read it.`,
  );
}

/** An answer, whatever it says. */
async function answer(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw unreachable(url);
  }
}

/** An answer that has what was asked for. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  return checked(await answer(url, init), url);
}

function checked(response: Response, url: string): Response {
  if (response.ok) return response;
  const text = `${url}: the server answered ${response.status} ${response.statusText}`.trim();
  // A missing recording will be missing again; but a server may also be mended meanwhile.
  throw new NetworkError(`${text}.`);
}

/** The first block, or the whole where the server has no ranges, cannot be asked for them by this page, or has nothing. */
async function begin(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await answer(url, part(0, BLOCK));
  } catch {
    return small(await request(url), url);
  }
  return response.status === 416 ? request(url) : checked(response, url);
}

/** A connection may also fail once: a large recording is not read as a whole for that. */
function small(response: Response, url: string): Response {
  if (Number(response.headers.get("content-length")) <= MOST_WHOLE) return response;
  void response.body?.cancel();
  throw unreachable(url);
}

/** Asks for a part. Browsers that keep parts themselves may give those of an older version its tag, so they must not. */
function part(start: number, end: number): RequestInit {
  return { headers: { Range: `bytes=${start}-${end - 1}` }, cache: "no-store" };
}

/** Where the bytes of an answer are and of how many; null where the server does not say. */
function placeOf(response: Response): { start: number; total: number } | null {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
  return start === undefined ? null : { start: Number(start), total: Number(total) };
}

async function openUrl(url: string, progress: Progress): Promise<ByteSource> {
  const response = await begin(url);
  if (response.status !== 206) return bytesSource(await whole(response, url, progress));
  const first = await body(response, url);
  let total = placeOf(response)?.total ?? Number.NaN;
  if (Number.isNaN(total) && first.length < BLOCK) total = first.length;
  if (Number.isNaN(total)) {
    // Another origin that does not show Content-Range.
    const head = await request(url, { method: "HEAD" });
    total = Number(head.headers.get("content-length") ?? Number.NaN);
    if (Number.isNaN(total) || total === 0) {
      return bytesSource(await whole(await request(url), url, progress));
    }
  }
  check(url, response, 0, Math.min(BLOCK, total), first, total);
  progress(first.length, total);
  return new Blocks(url, total, first, stamp(response), progress);
}

/** A part is the one that was asked for, of a file of the same length. */
function check(
  url: string,
  response: Response,
  start: number,
  end: number,
  bytes: Uint8Array,
  total: number,
) {
  const place = placeOf(response);
  if (place && place.start !== start) {
    throw new NetworkError(
      `${url}: other bytes than those from ${start} came, which were asked for: those from ${place.start}.`,
    );
  }
  if (place && place.total !== total) throw changed(url);
  if (bytes.length !== end - start) {
    throw new NetworkError(
      `${url}: ${end - start} bytes from ${start} were asked for, ${bytes.length} came.`,
    );
  }
}

function changed(url: string): ChangedError {
  return new ChangedError(`${url} changed while it was read: open it again.`);
}

async function body(response: Response, url: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch {
    throw new NetworkError(`${url}: the connection broke off.`);
  }
}

async function whole(response: Response, url: string, progress: Progress): Promise<Uint8Array> {
  const encoded = response.headers.get("content-encoding");
  const told = Number(response.headers.get("content-length") ?? Number.NaN);
  const total = Number.isNaN(told) || encoded ? null : told;
  if (!response.body) return body(response, url);
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let done = 0;
  for (;;) {
    let piece: ReadableStreamReadResult<Uint8Array>;
    try {
      piece = await reader.read();
    } catch {
      throw new NetworkError(`${url}: the connection broke off after ${done} bytes.`);
    }
    if (piece.done) break;
    parts.push(piece.value);
    done += piece.value.length;
    progress(done, total);
  }
  const bytes = new Uint8Array(done);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** What distinguishes one version of a file from another. */
function stamp(response: Response): string | null {
  return response.headers.get("etag") ?? response.headers.get("last-modified");
}

class Blocks implements ByteSource {
  private readonly blocks = new Map<number, Uint8Array>();
  private read_bytes: number;

  constructor(
    private readonly url: string,
    readonly length: number,
    first: Uint8Array,
    private readonly version: string | null,
    private readonly progress: Progress,
  ) {
    this.read_bytes = first.length;
    this.keep(0, first);
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const from = Math.floor(start / BLOCK);
    const to = Math.ceil(end / BLOCK);
    const wanted = new Map<number, Uint8Array>();
    const missing: [number, number][] = [];
    for (let block = from; block < to; block++) {
      const kept = this.blocks.get(block);
      if (kept) {
        // To the end: the least recently used goes first.
        this.blocks.delete(block);
        this.blocks.set(block, kept);
        wanted.set(block, kept);
        continue;
      }
      const last = missing.at(-1);
      if (last && block - last[1] <= GAP) last[1] = block + 1;
      else missing.push([block, block + 1]);
    }
    await Promise.all(
      missing.map(async ([first, behind]) => {
        const bytes = await this.fetch(first * BLOCK, Math.min(behind * BLOCK, this.length));
        for (let block = first; block < behind; block++) {
          const part = bytes.slice((block - first) * BLOCK, (block - first + 1) * BLOCK);
          this.keep(block, part);
          wanted.set(block, part);
        }
      }),
    );
    const answer = new Uint8Array(end - start);
    for (const [block, bytes] of wanted) {
      const at = block * BLOCK;
      const a = Math.max(start, at);
      const b = Math.min(end, at + bytes.length);
      if (a < b) answer.set(bytes.subarray(a - at, b - at), a - start);
    }
    return answer;
  }

  private keep(block: number, bytes: Uint8Array) {
    this.blocks.set(block, bytes);
    for (const oldest of this.blocks.keys()) {
      if (this.blocks.size <= KEPT) break;
      this.blocks.delete(oldest);
    }
  }

  private async fetch(start: number, end: number): Promise<Uint8Array> {
    const response = await request(this.url, part(start, end));
    if (response.status !== 206 || (this.version !== null && stamp(response) !== this.version)) {
      throw changed(this.url);
    }
    const bytes = await body(response, this.url);
    check(this.url, response, start, end, bytes, this.length);
    this.read_bytes += bytes.length;
    this.progress(this.read_bytes, this.length);
    return bytes;
  }
}
