// Messages on streams: a varint of the length, and the bytes (spec/live.md, section 14).

/** The longest message that there is. */
const MOST = (16 << 20) + (64 << 10);

export class Malformed extends Error {}

/** A message as an entry of a stream. */
export function entry(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const head: number[] = [];
  for (let rest = message.length; ; rest >>>= 7) {
    head.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  const bytes = new Uint8Array(head.length + message.length);
  bytes.set(head);
  bytes.set(message, head.length);
  return bytes;
}

/** A Join as text, as a request has it. */
export function joinText(join: Uint8Array): string {
  const text = btoa(String.fromCharCode(...join));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Cuts a stream into messages; holds what came of one message at most. */
export class Entries {
  private held = new Uint8Array(0);

  /** A stream of data begins with its lane. */
  constructor(private wantsLane: boolean) {}

  /** The messages that are whole with these bytes. */
  push(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const all = new Uint8Array(this.held.length + bytes.length);
    all.set(this.held);
    all.set(bytes, this.held.length);
    let at = 0;
    if (this.wantsLane && all.length > 0) {
      if (all[0]! > 6) throw new Malformed("a stream of no lane");
      this.wantsLane = false;
      at = 1;
    }
    const messages: Uint8Array<ArrayBuffer>[] = [];
    for (;;) {
      const head = varint(all, at);
      if (!head || head.end + head.value > all.length) break;
      messages.push(all.slice(head.end, head.end + head.value));
      at = head.end + head.value;
    }
    this.held = all.slice(at);
    return messages;
  }
}

function varint(bytes: Uint8Array, at: number): { value: number; end: number } | null {
  let value = 0;
  for (let count = 0; at + count < bytes.length; count++) {
    const byte = bytes[at + count]!;
    value += (byte & 127) * 2 ** (7 * count);
    if (value > MOST || count > 4) throw new Malformed("a message that is too long");
    if (byte < 128) return { value, end: at + count + 1 };
  }
  return null;
}
