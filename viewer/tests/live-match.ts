// A live match for tests: a tape that grows as fast as it was played, a server that broadcasts it, and a network that fails
// on demand.
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as ask, createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dist, prepared, run, tool } from "./real.ts";

/** Milliseconds of a tick. */
export const TICK = 50;
/** The name of the match: that of its file. */
export const NAME = "finals";

/** A tape that is being recorded. */
export class Recorder {
  readonly folder = mkdtempSync(join(tmpdir(), "gametape-live-"));
  readonly path = join(this.folder, `${NAME}.tape`);
  private readonly bytes: Buffer;
  /** Where seconds end: ticks and bytes. */
  private readonly ends: [number, number][];
  private written = 0;
  private timer: ReturnType<typeof setInterval> | null = null;
  /** The last tick that is in the file. */
  tick = -1;

  constructor(name = "live") {
    this.bytes = readFileSync(prepared(`${name}.tape`));
    this.ends = JSON.parse(readFileSync(prepared(`${name}.json`), "utf8")) as [number, number][];
    writeFileSync(this.path, "");
  }

  /** Everything up to a tick is in the file. */
  to(tick: number) {
    const end = this.ends.findLast(([at]) => at <= tick);
    if (!end || end[1] <= this.written) return;
    appendFileSync(this.path, this.bytes.subarray(this.written, end[1]));
    [this.tick, this.written] = end;
  }

  /** Goes on as fast as it was played. */
  play() {
    const [began, from] = [performance.now(), this.tick];
    this.timer ??= setInterval(() => this.to(from + (performance.now() - began) / TICK), 100);
    return this;
  }

  pause() {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** The match ends here and now. */
  end() {
    this.pause();
    appendFileSync(this.path, this.bytes.subarray(this.written));
    this.written = this.bytes.length;
  }

  close() {
    this.pause();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `gametape serve`. */
export class LiveServer {
  address = "";
  private child: ChildProcess | null = null;

  constructor(private readonly words: string[]) {}

  /** Starts it, on the port that it had before. */
  async start(): Promise<this> {
    const port = this.address ? new URL(this.address).port : "0";
    const words = ["serve", "--json", "--viewer", dist, "--rate", "0", "--listen", `127.0.0.1:${port}`];
    const child = spawn(tool, ["-q", ...words, ...this.words], { stdio: ["ignore", "pipe", "ignore"] });
    this.child = child;
    this.address = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (line: Buffer) =>
        resolve((JSON.parse(String(line)) as { address: string }).address),
      );
      child.once("exit", (code) => reject(new Error(`gametape serve ended with ${code}`)));
    });
    return this;
  }

  /** As if the machine lost its power. */
  async kill(signal: NodeJS.Signals = "SIGKILL") {
    const { child } = this;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
    this.child = null;
  }
}

/** What is between the page and the server. UDP does not pass. */
export class Network {
  address = "";
  /** Connections by WebSocket are refused. */
  refusesSockets = false;
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;

  constructor(private readonly to: LiveServer) {}

  async open(): Promise<this> {
    this.server = createServer((request, response) => {
      const { hostname, port } = new URL(this.to.address);
      const { method, url, headers } = request;
      const onward = ask({ hostname, port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      request.pipe(onward);
    });
    this.server.on("upgrade", (request, socket, head) => {
      if (this.refusesSockets) return socket.destroy();
      const { hostname, port } = new URL(this.to.address);
      const onward = connect(Number(port), hostname, () => {
        const lines = request.rawHeaders.map((text, at) => text + (at % 2 === 0 ? ": " : "\r\n")).join("");
        onward.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines}\r\n`);
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket as Socket]) {
        this.sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          this.sockets.delete(one);
          onward.destroy();
          socket.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => this.server!.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    return this;
  }

  /** All connections by WebSocket break off. */
  cut() {
    for (const one of this.sockets) one.destroy();
  }

  async close() {
    this.cut();
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve) ?? resolve(null));
  }
}

/** The state of the match at a tick, natively. */
export async function nativeHash(tick: number, view = 0): Promise<string> {
  const words = ["-q", "state", "--hash", "--at", `tick:${tick}`, "--view", String(view)];
  return (await run(tool, ...words, prepared("live.tape"))).trim();
}
