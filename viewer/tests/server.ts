// A small server for tests: the page with the CSP of the tool, recordings made up by name, and faults on demand.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' https: http:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  wasm: "application/wasm",
  json: "application/json",
  ttf: "font/ttf",
};

/** Answers a request for a recording instead of the server. */
export type Fault = (request: IncomingMessage, response: ServerResponse, bytes: Uint8Array) => void;

export interface Site {
  url: string;
  /** Answers of recordings fail from now on while this is set. */
  failing: boolean;
  ranges: boolean;
  /** Ranges asked for, of recordings. */
  asked: string[];
  /** Extra files: recordings and matches.json. */
  files: Map<string, Uint8Array>;
  /** Files of `files` or of the page that are answered in another way. */
  faults: Map<string, Fault>;
  close(): Promise<void>;
}

export async function serve(dist: string): Promise<Site> {
  const site: Site = {
    url: "",
    failing: false,
    ranges: true,
    asked: [],
    files: new Map(),
    faults: new Map(),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => void answer(site, dist, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return site;
}

async function answer(site: Site, dist: string, request: IncomingMessage, response: ServerResponse) {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname).slice(1) || "index.html";
  const own = site.files.get(path);
  const fault = site.faults.get(path);
  if (fault) {
    site.asked.push(request.headers.range ?? "all");
    return fault(request, response, own ?? new Uint8Array());
  }
  if (own) {
    const isRecording = path !== "matches.json";
    if (isRecording && site.failing) {
      request.socket.destroy();
      return;
    }
    const wanted = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (isRecording) site.asked.push(request.headers.range ?? "all");
    if (wanted && site.ranges) {
      const start = Number(wanted[1]);
      const end = Math.min(Number(wanted[2]) + 1, own.length);
      response.writeHead(206, {
        "content-range": `bytes ${start}-${end - 1}/${own.length}`,
        "content-length": end - start,
        etag: '"1"',
      });
      response.end(own.subarray(start, end));
      return;
    }
    response.writeHead(200, { "content-length": own.length });
    response.end(own);
    return;
  }
  try {
    if (path.includes("..")) throw new Error("no such file");
    const bytes = await readFile(join(dist, path));
    response.writeHead(200, {
      "content-type": TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      "content-security-policy": CSP,
      "cache-control": "no-store",
    });
    response.end(bytes);
  } catch {
    response.writeHead(404, { "content-security-policy": CSP });
    response.end("not found");
  }
}
