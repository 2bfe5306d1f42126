// Each file of dist/ also as brotli and gzip, as small as can be: it is done once and read often.
// `--quick` takes a little more room and much less time.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

const dist = join(dirname(fileURLToPath(import.meta.url)), "..", "dist");
const quick = process.argv.includes("--quick");
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

const entries = await readdir(dist, { withFileTypes: true });
const files = entries.filter((entry) => entry.isFile() && !/\.(br|gz|map)$/.test(entry.name));
await Promise.all(files.map((entry) => compress(join(dist, entry.name))));

/** Writes both forms of a file beside it. */
async function compress(path) {
  const bytes = await readFile(path);
  const params = {
    [zlib.constants.BROTLI_PARAM_QUALITY]: quick ? 5 : 11,
    [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const [small, widespread] = await Promise.all([
    brotli(bytes, { params }),
    gzip(bytes, { level: quick ? 6 : 9 }),
  ]);
  await writeFile(`${path}.br`, small);
  await writeFile(`${path}.gz`, widespread);
}
