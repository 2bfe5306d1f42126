// Connections that carry messages: WebTransport and WebSocket.
import { Entries, entry, joinText } from "./framing.ts";

export interface Connection {
  /** Did the server take the Join of the request? Else it is the first message. */
  readonly hasJoined: boolean;
  send(message: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface Handlers {
  message(bytes: Uint8Array): void;
  /** It ended, by whomever; once. */
  ended(): void;
}

/** A connection that is not open after this time is none, in milliseconds. */
const PATIENCE = 2500;

/** Datagrams that may wait to be read. */
const DATAGRAMS = 1024;

/** The subprotocol of WebSockets, and the one with which a server says that it took the Join of the request. */
const PROTOCOL = "gametape-live-1";
const JOINED = "gametape-live-1-join";

function within<T>(work: Promise<T>, late: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      late();
      reject(new Error("it takes too long"));
    }, PATIENCE);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export async function webSocket(
  base: string,
  join: Uint8Array<ArrayBuffer>,
  handlers: Handlers,
): Promise<Connection> {
  const url = new URL("live", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(url, [PROTOCOL, JOINED, `join-${joinText(join)}`]);
  socket.binaryType = "arraybuffer";
  const opened = new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onclose = () => reject(new Error("it was closed"));
  });
  await within(opened, () => socket.close());
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) handlers.message(new Uint8Array(data));
    else socket.close();
  };
  socket.onclose = () => handlers.ended();
  return {
    hasJoined: socket.protocol === JOINED,
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    close: () => socket.close(),
  };
}

/** A session; `join` is for servers that take it in the request. */
export async function webTransport(
  address: URL,
  hashes: readonly Uint8Array<ArrayBuffer>[],
  join: Uint8Array<ArrayBuffer> | null,
  handlers: Handlers,
): Promise<Connection> {
  if (typeof WebTransport === "undefined") throw new Error("this browser has no WebTransport");
  const url = new URL(address);
  if (join) url.search = `join=${joinText(join)}`;
  const certificates = hashes.map((value) => ({ algorithm: "sha-256", value }));
  const transport = new WebTransport(
    url.href,
    certificates.length > 0 ? { serverCertificateHashes: certificates } : {},
  );
  const close = () => {
    try {
      transport.close();
    } catch {
      // It never opened.
    }
  };
  // Whoever waits for it knows it already.
  transport.closed.catch(() => {});
  await within(transport.ready, close);
  // Who got the Join with the request opens the session stream.
  const stream = await within(
    join ? first(transport.incomingBidirectionalStreams) : transport.createBidirectionalStream(),
    close,
  );
  const writer = stream.writable.getWriter();
  let isOpen = true;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    close();
    handlers.ended();
  };
  transport.closed.then(end, end);
  // What cannot be understood ends the connection; the end of one stream of data does not.
  void messages(stream.readable, false, handlers).then(end, end);
  void each(transport.incomingUnidirectionalStreams, (incoming) => {
    void messages(incoming as ReadableStream<Uint8Array>, true, handlers).catch(end);
  }).then(end, end);
  // A browser keeps one unless more are asked for, and a tick may have many.
  transport.datagrams.incomingHighWaterMark = DATAGRAMS;
  void each(transport.datagrams.readable, (datagram) => handlers.message(datagram as Uint8Array)).catch(end);
  return {
    hasJoined: join !== null,
    send: (message) => void writer.write(entry(message)).catch(end),
    close,
  };
}

/** What comes first of a stream. */
async function first(streams: ReadableStream<WebTransportBidirectionalStream>) {
  const { value } = await streams.getReader().read();
  if (!value) throw new Error("it ended");
  return value;
}

async function each<T>(stream: ReadableStream<T>, work: (item: T) => void) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    work(value);
  }
}

function messages(stream: ReadableStream<Uint8Array>, isData: boolean, handlers: Handlers): Promise<void> {
  const entries = new Entries(isData);
  return each(stream, (bytes) => {
    for (const message of entries.push(bytes)) handlers.message(message);
  });
}
