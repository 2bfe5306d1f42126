// A picture of the viewer, for documents: node tests/picture.mjs RECORDING OUT.png [QUERY] [WIDTHxHEIGHT] [dark|light]
// QUERY is what a link has after the recording: "t=50%&view=2". Needs dist/, made by cargo xtask viewer.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { load, root } from "./load.mjs";

const [file, out, query = "t=50%", size = "1440x900", theme = "dark"] = process.argv.slice(2);
if (!file || !out) {
  console.error("usage: node tests/picture.mjs RECORDING OUT.png [QUERY] [WIDTHxHEIGHT] [dark|light]");
  process.exit(2);
}

const { browserPath, missingBrowser, startBrowser } = await load("browser");
const { serve } = await load("server");
if (!browserPath) {
  console.error(missingBrowser);
  process.exit(1);
}
const site = await serve(join(root, "dist"));
site.files.set(basename(file), await readFile(file));
const browser = await startBrowser();
try {
  const [width, height] = size.split("x").map(Number);
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  const link = new URLSearchParams(query);
  link.set("src", basename(file));
  await page.goto(`${site.url}?${link}`);
  await page.waitForSelector("html[data-idle=true]", { state: "attached" });
  await page.screenshot({ path: out });
  console.log(`${out}: ${width} × ${height}`);
} finally {
  await browser.close();
  await site.close();
}
