// Recordings for tests of the page with the wasm session, made by the tool and by its library, natively.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Every seat has these to itself; the spectator has all. */
export function secretsOf(seat) {
  return {
    client: `secret${seat}client`,
    chat: `secret${seat}chat`,
    vote: `secret${seat}vote`,
    money: 770000 + seat * 1111,
    resources: 8800 + seat * 11,
  };
}

/** A session in which every seat learns something that nobody else does, as the text that `gametape asm` reads. */
function sessionWithSecrets() {
  const rings = ["06", "060606060606", "060606060606060606060606"];
  for (let ring = 3; ring <= 5; ring++) rings.push("06".repeat(6 * ring));
  const lines = [
    ".generation current",
    ".version 0.0.1.0",
    ".grid hex",
    ".radius 5",
    ".players 3",
    ".sub-players 1",
    ".compress no",
    '.city 0,0 "middle"',
    '.city -3,3 "left"',
    '.city 3,-3 "right"',
    ...rings.map((ring) => `.tiles ${ring}`),
    "HOMOGENOUS +0 0,1,2,3",
    '  PLAYER 1/0 JOIN "Ana"',
    '  PLAYER 2/0 JOIN "Ben"',
    '  PLAYER 3/0 JOIN "Cleo"',
    "  OWNER 1 0,1 0,2 1,1",
    "  OWNER 2 -3,2 -3,1 -2,2",
    "  OWNER 3 3,-2 3,-1 2,-2",
  ];
  const own = { 1: [0, 2], 2: [-3, 1], 3: [3, -1] };
  for (const seat of [1, 2, 3]) {
    const { client, chat, vote, money, resources } = secretsOf(seat);
    const [y, x] = own[seat];
    lines.push(
      `HOMOGENOUS +${1000 * seat} 0,${seat}`,
      `  PLAYER ${seat}/1 JOIN "${client}"`,
      `  PLAYER ${seat}/0 CHAT "${chat}"`,
      `  PLAYER ${seat}/0 VOTENEW ${seat} "${vote}"`,
      `  CITMONEY ${seat - 1} ${money}`,
      `  CITRES ${seat - 1} ${resources}`,
      `  STRUCT ${y},${x} tower`,
      `  DIGITS ${seat}*/${y},${x}`,
      `HOMOGENOUS +2000 0,1,2,3`,
      `  OWNER ${seat} ${y},${x} 0,0`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Makes them; a sentence says why not. */
export async function prepare(root) {
  const tools = process.env.GAMETAPE_TOOLS ?? join(root, "..", "target", "debug");
  const [tool, native] = [join(tools, "gametape"), join(tools, "examples", "native")];
  const missing = [tool, native].find((path) => !existsSync(path));
  if (missing) {
    return `${missing} is not built: cargo build -p gametape-cli; cargo build -p gametape-web --example native`;
  }
  const folder = join(root, "dist-fake", "recordings");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const at = (name) => join(folder, name);
  const run = (program, ...words) => execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  run(native, "samples", folder);
  await copyFile(join(root, "..", "crates/gametape-scene/tests/checkers.json"), at("checkers.json"));
  run(tool, "-q", "convert", at("skirmish.tape"), at("skirmish.json"));
  const match = ["--players", "3", "--radius", "8", "--seed", "4", "--ticks", "24000"];
  run(tool, "-q", "record", ...match, at("match.tape"));
  // Of many blocks, and packed, so that a seek reads something that nothing else did.
  const long = ["--players", "6", "--radius", "24", "--seed", "4", "--ticks", "18000"];
  run(tool, "-q", "record", ...long, at("unpacked.tape"));
  run(tool, "-q", "pack", at("unpacked.tape"), at("long.tape"));
  // As somebody has it who watches it live, and where its seconds end.
  const pieces = (from, name) =>
    writeFile(at(`${name}.json`), execFileSync(native, ["pieces", at(from), at(`${name}.tape`)]));
  await pieces("match.tape", "live");
  await writeFile(at("secrets.asm"), sessionWithSecrets());
  run(tool, "-q", "asm", at("secrets.asm"), "-o", at("secrets.minewars"));
  for (const seat of ["1", "2", "3"]) {
    run(tool, "-q", "cut", "--views", seat, at("secrets.minewars"), "-o", at(`seat${seat}.minewars`));
  }
  run(tool, "-q", "convert", at("secrets.minewars"), at("secrets.tape"));
  await pieces("secrets.tape", "live-secrets");
  process.env.GAMETAPE_TOOLS = tools;
  return null;
}
