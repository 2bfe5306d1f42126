// A made-up session of the same shape as the wasm one: a small hex board, four players, fifteen minutes.
// The file decides what it is: one that begins with "gamelog" has a tree and no clock, "damaged" has losses, "broken" is
// refused, "secret" says in each view a word that no other may show.
import type { About, Line, Player, Shown, Story, Value } from "../src/generated/shapes.ts";
import type { Found, TreeRow } from "../src/requests.ts";

/** The last picture, in place of the memory of a module. */
let picture = new Uint8Array(0);

export default async function init(_options: unknown): Promise<{ memory: { buffer: ArrayBuffer } }> {
  return {
    memory: {
      get buffer() {
        return picture.buffer;
      },
    },
  };
}

const NAMES = ["Ana", "Ben", "Chloé", "Dario"];
const COLOURS = ["#ff6b4a", "#8b7cff", "#ffc83d", "#ff7ac6"];
const CENTRES: [number, number][] = [
  [-6, -2],
  [1, 7],
  [-7, 6],
  [6, -4],
];
const RADIUS = 14;
const TICK = 100_000;
const END = 9001;

function random(seed: number): number {
  let x = (seed * 2654435761) >>> 0;
  x ^= x >>> 16;
  x = Math.imul(x, 2246822519) >>> 0;
  x ^= x >>> 13;
  return (x >>> 0) / 2 ** 32;
}

function hex(colour: string): [number, number, number] {
  const n = Number.parseInt(colour.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

function clock(moment: number): string {
  const tenths = Math.max(0, moment - 1);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${Math.floor(tenths / 600)}:${seconds.replace(".0", "")}`;
}

const GROUND = ["#3a444f", "#3a444f", "#4b5a45", "#2e4436", "#2c2e3a"];
const KINDS = ["capture", "build", "loss", "fight"];

export class Session {
  private readonly bytes: Uint8Array;
  private readonly have: boolean[] = [];
  private missingRanges: number[] = [];
  private kind = "";
  private moment = 0;
  private seen = [0];
  private filmed = 0;
  private differing = new Uint8Array(0);
  private made = new Uint8Array(0);

  constructor(
    private readonly name: string,
    private readonly length: number,
  ) {
    this.bytes = new Uint8Array(Math.min(length, 1 << 20));
  }

  font(_bytes: Uint8Array) {
    return false;
  }
  free() {}

  missing(): Float64Array {
    return Float64Array.from(this.missingRanges);
  }

  supply(start: number, bytes: Uint8Array) {
    if (start < this.bytes.length) this.bytes.set(bytes.subarray(0, this.bytes.length - start), start);
    this.have[Math.floor(start / 100_000)] = true;
  }

  pixels(): number {
    return picture.byteOffset;
  }

  pixels_length(): number {
    return picture.length;
  }

  /** The owner of each tile, as the view knows it. */
  looks(): Uint8Array<ArrayBuffer> {
    const owners: number[] = [];
    for (let r = -RADIUS; r <= RADIUS; r++) {
      for (let q = -RADIUS; q <= RADIUS; q++) owners.push(this.seenOwner(q, r));
    }
    return Uint8Array.from(owners);
  }

  compare(looks: Uint8Array): number {
    this.differing = this.looks().map((look, at) => Number(look !== looks[at]));
    return this.differing.reduce((sum, one) => sum + one, 0);
  }

  file(): Uint8Array<ArrayBuffer> {
    const made = this.made;
    this.made = new Uint8Array(0);
    return made;
  }

  /** Bytes in parts of 100,000, as chunks of a tape are. */
  private need(part: number): boolean {
    const start = part * 100_000;
    if (start >= this.length || this.have[part]) return true;
    this.missingRanges = [start, Math.min(start + 100_000, this.length)];
    return false;
  }

  call(text: string): string | undefined {
    const request = JSON.parse(text);
    if (!this.need(0)) return undefined;
    this.kind ||= new TextDecoder().decode(this.bytes.subarray(0, 16)).split(/\W/)[0] ?? "";
    if (this.kind === "broken") throw new Error("not a recording: byte 0 is 0x62, expected 0x47");
    if (request.do === "seek" || request.do === "step") {
      const to = request.do === "seek" ? request.to : request.from;
      const part = Math.floor((to / (END + 1)) * (this.length / 100_000));
      if (!this.need(part)) return undefined;
    }
    return JSON.stringify(this.answer(request));
  }

  // biome-ignore lint/suspicious/noExplicitAny: requests are JSON
  private answer(request: any): unknown {
    switch (request.do) {
      case "open":
        return this.about();
      case "view":
        this.seen = [request.view].flat();
        return this.about();
      case "seek":
        this.moment = Math.max(0, Math.min(END, request.to));
        return this.shown(request.since ?? this.moment - 1, request.follow);
      case "step": {
        const by = request.by === "tick" ? 1 : request.by === "turn" ? 50 : 7;
        const next = request.forward
          ? Math.floor(request.from / by) * by + by
          : Math.ceil(request.from / by) * by - by;
        this.moment = Math.max(0, Math.min(END, next));
        return this.shown(this.moment - 1, request.follow);
      }
      case "find":
        return { moment: this.find(request.text) };
      case "draw":
        this.draw(request);
        return { drawn: true, heat: request.heat ? this.legend(request.heat) : null };
      case "pick":
        return { tile: this.pick(request) };
      case "inspect":
        return this.inspect(request.tile);
      case "history":
        return {
          changes: [120, 1410, 2711, 4100].map((at, n) => ({
            moment: at + Math.abs(request.tile[0] * 7 + request.tile[1]),
            time: clock(at + Math.abs(request.tile[0] * 7 + request.tile[1])),
            text: `${NAMES[n % 4]} takes it`,
          })),
          exact: true,
          earlier: 0,
        };
      case "story":
        return this.story();
      case "messages":
        return {
          rows: Array.from(
            { length: 40 },
            (_, n) => `PLID ${this.seen[0]}  DIGIT ${n},${-n} ${n % 6} capture`,
          ),
        };
      case "tree":
        return this.tree(request);
      case "search":
        return { found: this.search(request.text) };
      case "clip": {
        if (request.to - request.from > 6000)
          throw new Error("clip: it is larger than 64 MiB: choose less time");
        this.made = new TextEncoder().encode(`tape ${this.seen.join("+")} ${request.from} ${request.to}`);
        return { bytes: this.made.length };
      }
      case "gif": {
        const frames = 40;
        this.filmed = Math.min(frames, this.filmed + 10);
        if (this.filmed < frames) return { done: this.filmed, frames, bytes: 0 };
        this.filmed = 0;
        this.made = new TextEncoder().encode(`GIF89a ${request.from} ${request.to} ${request.width}`);
        return { done: frames, frames, bytes: this.made.length };
      }
      case "hash":
        return { hash: String(this.moment).padStart(64, "0") };
      default:
        throw new Error(`unknown request ${request.do}`);
    }
  }

  private legend({ kind, from, to }: { kind: string; from: number; to: number }) {
    return {
      title: `${kind}, ${clock(from)} to ${clock(to)}`,
      colours: ["#000080", "#ff0000"],
      low: "1",
      high: "12",
    };
  }

  private isGamelog() {
    return this.kind === "gamelog";
  }

  /** The names that this view knows. */
  private knows(player: number): boolean {
    return this.kind !== "secret" || this.seen[0] === 0 || this.seen.includes(player);
  }

  private about(): About {
    return {
      name: this.name,
      format: this.isGamelog() ? "gamelog" : "tape",
      game: this.isGamelog() ? "Saloon" : "Skirmish",
      heading: this.isGamelog() ? "Ana · Ben" : NAMES.join(" · "),
      subtitle: this.isGamelog() ? "Saloon · 9,001 deltas" : "Skirmish · hex 14 · 15:00",
      players: NAMES.map((name, at) => ({ name, colour: COLOURS[at]! })),
      views: this.isGamelog()
        ? [{ view: 0, name: "All", colour: null }]
        : [
            { view: 0, name: "All", colour: null },
            ...NAMES.map((name, at) => ({ view: at + 1, name, colour: COLOURS[at]! })),
          ],
      view: this.isGamelog() ? null : this.seen[0],
      seen: this.isGamelog() ? [] : this.seen,
      begin: 0,
      end: END,
      position: this.moment,
      tick_micros: this.isGamelog() ? 0 : TICK,
      is_gamelog: this.isGamelog(),
      has_board: this.kind !== "boardless",
      has_tree: this.isGamelog(),
      has_messages: !this.isGamelog(),
      board: this.kind === "boardless" ? null : { width: 2 * RADIUS + 1, height: (2 * RADIUS + 1) * 0.87 },
      losses: this.kind === "damaged" ? [{ text: "3 s lost at 7:10", start: 4301, end: 4331 }] : [],
      heats: this.isGamelog() ? ["deaths"] : ["deaths", "fights", "ownership", "attention"],
      cameras: this.isGamelog() ? [] : [1, 2, 3, 4].filter((player) => this.knows(player)),
      length_text: this.isGamelog() ? "9,001 deltas" : "15:00",
    } as unknown as About;
  }

  private land(player: number, moment: number): number {
    const t = moment / END;
    const base = [60 * (1 - t) * (1 - t), 40 + 20 * Math.sin(t * 9), 45 - 10 * t, 30 + 150 * t][player]!;
    return Math.max(0, Math.round(base * Math.min(1, t * 12 + 0.1)));
  }

  private out(player: number) {
    return player === 0 && this.moment > 2771;
  }

  private players(): Player[] {
    return NAMES.map((name, at) => {
      const land = this.land(at, this.moment);
      const values: Value[] = this.knows(at + 1)
        ? [
            { name: "land", value: land },
            { name: "income", value: land * 63 },
            { name: "army", value: 225 + ((land * 7) % 140) },
            { name: "lost", value: Math.floor((this.moment / 900) * (at + 1)) % 12 },
          ]
        : [{ name: "land", value: land }];
      if (this.kind === "secret" && this.knows(at + 1))
        values.push({ name: "plan", value: `secret-of-${name}` });
      return {
        id: String(at + 1),
        name,
        glyph: String(at + 1),
        colour: COLOURS[at]!,
        ...(this.out(at) ? { eliminated: true } : {}),
        values,
      };
    });
  }

  private lineAt(moment: number): Line | null {
    if (moment % 37 !== 0 || moment === 0) return null;
    const who = Math.floor(random(moment) * 4);
    if (!this.knows(who + 1)) return null;
    const tail = this.kind === "secret" ? ` (secret-of-${NAMES[who]})` : "";
    const kind = KINDS[Math.floor(random(moment + 7) * 4)]!;
    const at: [number, number] = [
      Math.floor(random(moment + 1) * 12) - 6,
      Math.floor(random(moment + 2) * 12) - 6,
    ];
    const other = NAMES[(who + 1) % 4];
    const text = {
      capture: `${NAMES[who]} captures pattyosshi from ${other}${tail}.`,
      build: `${NAMES[who]} builds a road at ${at}${tail}.`,
      loss: `${NAMES[who]} loses a tower at ${at}${tail}.`,
      fight: `${NAMES[who]} takes 3 tiles from ${other}${tail}.`,
    }[kind]!;
    return { kind, text, players: [who + 1], at };
  }

  private shown(since: number, follow?: { piece?: string; camera?: number } | null): Shown {
    const lines: Line[] = [];
    for (let at = Math.max(since + 1, this.moment - 3000); at <= this.moment; at++) {
      const line = this.lineAt(at);
      if (line) lines.push(line);
    }
    return {
      moment: this.moment,
      time: this.isGamelog() ? `delta ${Math.max(0, this.moment - 1)}` : clock(this.moment),
      label: "",
      players: this.players(),
      facts: [{ name: "time limit", value: "20:00" }],
      lines,
      damage: [],
      heading: "",
      changed: 3,
      at_begin: this.moment === 0,
      at_end: this.moment === END,
      // A rider goes in circles; players look at their own land.
      follow: follow?.piece
        ? [RADIUS + 6 * Math.cos(this.moment / 40), RADIUS + 5 * Math.sin(this.moment / 40)]
        : follow?.camera && this.knows(follow.camera)
          ? [RADIUS + follow.camera * 2, RADIUS - 3]
          : null,
    };
  }

  private story(): Story {
    if (this.isGamelog()) return { markers: [], highlights: [], curves: [], reported: 1 };
    const markers: Story["markers"] = [];
    for (let at = 0; at < END; at++) {
      const line = at % 3 === 0 ? this.lineAt(at) : null;
      if (line)
        markers.push({
          moment: at,
          kind: line.kind,
          player: line.players![0]!,
          text: line.text,
          time: clock(at),
        });
    }
    const highlights: Story["highlights"] = (
      [
        [2771, 2550, 3000, "Ana's base falls to Dario", 4],
        [2351, 2130, 2460, "Ben comes back from 412 behind", 2],
        [4001, 3930, 4250, "Chloé holds fyudacchya", 3],
        [5801, 5670, 5930, "Dario takes the middle", 4],
      ] as const
    )
      .filter(([, , , , player]) => this.knows(player))
      .map(([moment, start, end, text, player], rank) => ({
        rank: rank + 1,
        moment,
        start,
        end,
        time: clock(moment),
        text,
        why: [
          { name: "base destroyed", percent: 55 - rank * 5 },
          { name: "army wiped out", percent: 30 },
        ],
        player,
      }));
    const curves = ["land", "income"].map((name, n) => ({
      name,
      players: NAMES.map((who, player) => ({
        player: player + 1,
        name: who,
        colour: COLOURS[player]!,
        points: Array.from(
          { length: 301 },
          (_, at) =>
            [at * 30, this.land(player, at * 30) * (n ? 63 + 4 * Math.sin(at / 9) : 1)] as [number, number],
        ),
      })).filter(({ player }) => this.knows(player)),
    }));
    return { markers, highlights, curves, reported: 1 };
  }

  private find(text: string): number {
    if (text === "end") return END;
    if (text === "start") return 0;
    let match = /^(\d+)%$/.exec(text);
    if (match) return Math.round((Number(match[1]) / 100) * END);
    match = /^tick:(\d+)$/.exec(text);
    if (match) return Number(match[1]) + 1;
    match = /^([+-]\d+)s$/.exec(text);
    if (match) return Math.max(0, this.moment + Number(match[1]) * 10);
    match = /^(\d+):(\d+(?:\.\d+)?)$/.exec(text);
    if (match) return Math.round(Number(match[1]) * 600 + Number(match[2]) * 10) + 1;
    throw new Error(`“${text}” is no time: 3:37.6, tick:40, turn:12, 50%, -10s, end`);
  }

  private search(text: string): Found[] {
    const found: Found[] = [];
    for (let at = 0; at < END && found.length < 50; at++) {
      const line = this.lineAt(at);
      if (line?.text.toLowerCase().includes(text.toLowerCase()))
        found.push({ text: line.text, moment: at, time: clock(at), path: null });
    }
    return found;
  }

  private tree(request: { open: string[]; first: number; count: number }): {
    rows: TreeRow[];
    total: number;
  } {
    const rows: TreeRow[] = [];
    const add = (
      path: string,
      key: string,
      text: string,
      depth: number,
      is_branch: boolean,
      tone = "",
      reference?: string,
    ) => {
      const is_open = is_branch && request.open.includes(path);
      rows.push({ path, key, text, tone, depth, is_branch, is_open, reference: reference ?? null });
      return is_open;
    };
    add("currentTurn", "currentTurn", String(this.moment), 0, false, "replaced");
    if (add("gameObjects", "gameObjects", "{400}", 0, true)) {
      for (let id = 0; id < 400; id++) {
        const path = `gameObjects.${id}`;
        if (!add(path, String(id), id % 3 ? "Tile" : "Cowboy", 1, true)) continue;
        add(`${path}.x`, "x", String(id % 20), 2, false, id % 5 ? "" : "replaced");
        add(`${path}.owner`, "owner", "→ players 1", 2, false, "", "players.1");
      }
    }
    if (add("players", "players", "[2]", 0, true)) {
      for (const n of [0, 1]) add(`players.${n}`, String(n), NAMES[n]!, 1, false);
    }
    return { rows: rows.slice(request.first, request.first + request.count), total: rows.length };
  }

  private tileAt(x: number, y: number): [number, number] | null {
    // x, y in tiles from the upper left corner.
    const row = Math.floor(y / 0.87);
    const r = row - RADIUS;
    const q = Math.round(x - 0.5 - RADIUS - r / 2);
    return Math.max(Math.abs(q), Math.abs(r), Math.abs(q + r)) <= RADIUS ? [q, r] : null;
  }

  private ownerOf(q: number, r: number): number {
    let best = 0;
    let least = 1e9;
    CENTRES.forEach(([cq, cr], player) => {
      const [dq, dr] = [q - cq, r - cr];
      const distance = (Math.abs(dq) + Math.abs(dr) + Math.abs(dq + dr)) / 2;
      const reach = Math.sqrt(this.land(player, this.moment) / 2.6);
      if (distance < reach && distance / reach < least) {
        least = distance / reach;
        best = player + 1;
      }
    });
    return best;
  }

  private seenOwner(q: number, r: number): number {
    const owner = this.ownerOf(q, r);
    // Each seat knows its own land only.
    return this.seen[0] === 0 || this.seen.includes(owner) ? owner : 0;
  }

  private pick({
    px,
    py,
    scale,
    x,
    y,
  }: Record<"px" | "py" | "scale" | "x" | "y", number>): [number, number] | null {
    return this.tileAt((px - x) / scale, (py - y) / scale);
  }

  private inspect([q, r]: [number, number]) {
    const owner = this.ownerOf(q, r);
    return {
      title: `Tile ${q},${r}`,
      values: [
        { name: "position", value: { tile: [q, r] } },
        { name: "owner", value: this.knows(owner) ? { player: owner } : "unknown" },
        { name: "ground", value: "fertile" },
        { name: "structure", value: "tower, 3 hp" },
        { name: "income", value: 49 },
      ],
      pieces: [{ id: "rider 1", name: "rider" }],
    };
  }

  private draw({
    width,
    height,
    scale,
    x,
    y,
    select,
    differences,
    heat,
    trails,
  }: Record<"width" | "height" | "scale" | "x" | "y", number> & {
    select?: [number, number];
    differences?: boolean;
    heat?: { kind: string };
    trails?: number;
  }) {
    const image = new Uint8Array(width * height * 4);
    const cache = new Map<string, [number, number, number]>();
    const [fr, fg, fb] = hex("#0e1218");
    for (let py = 0; py < height; py++) {
      for (let px = 0; px < width; px++) {
        const at = (py * width + px) * 4;
        const tile = this.tileAt((px - x) / scale, (py - y) / scale);
        let colour: [number, number, number] = [fr, fg, fb];
        if (tile) {
          const key = tile.join();
          let known = cache.get(key);
          if (!known) {
            const [q, r] = tile;
            const ground = hex(GROUND[Math.floor(random(q * 91 + r * 7) * 5)]!);
            const owner = this.seenOwner(q, r);
            known = ground;
            if (owner) {
              const own = hex(COLOURS[owner - 1]!);
              known = [(ground[0] + own[0]) >> 1, (ground[1] + own[1]) >> 1, (ground[2] + own[2]) >> 1];
            }
            if (heat) known = [Math.round(random(q * 31 + r + heat.kind.length) * 255), 20, 60];
            if (trails && q === r) known = [200, 200, 200];
            const index = (r + RADIUS) * (2 * RADIUS + 1) + q + RADIUS;
            if (differences && this.differing[index]) known = [92, 200, 255];
            if (select && q === select[0] && r === select[1]) known = [232, 237, 244];
            cache.set(key, known);
          }
          const fx = ((px - x) / scale - 0.5 - RADIUS - tile[1] / 2) % 1;
          colour = Math.abs(Math.abs(fx) - 0.5) < 0.04 ? [fr, fg, fb] : known;
        }
        image[at] = colour[0];
        image[at + 1] = colour[1];
        image[at + 2] = colour[2];
        image[at + 3] = 255;
      }
    }
    picture = image;
  }
}
