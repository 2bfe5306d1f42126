// Finds and starts a Chromium for tests.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  process.env.GAMETAPE_BROWSER,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export const browserPath = PLACES.find((path) => path && existsSync(path));

export const missingBrowser =
  "no Chromium was found: install the package chromium-headless-shell or chromium, or set GAMETAPE_BROWSER to its path";

/** Without QUIC unless a test is about it. */
export function startBrowser({ quic = false } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath!,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      ...(quic ? [] : ["--disable-quic"]),
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-font-subpixel-positioning",
      "--disable-lcd-text",
      "--font-render-hinting=none",
      "--hide-scrollbars",
      "--disable-accelerated-2d-canvas",
    ],
  });
}
