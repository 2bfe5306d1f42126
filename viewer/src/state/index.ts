// All state of the page, in signals, and everything that can be done. Components only show and call.
export * from "./bookmarks.ts";
export * from "./camera.ts";
export * from "./clock.ts";
export * from "./events.ts";
export * from "./follow.ts";
export * from "./heat.ts";
export * from "./make.ts";
export * from "./open.ts";
export * from "./page.ts";
export * from "./panels.ts";
export * from "./pointing.ts";
export * from "./position.ts";
export * from "./preview.ts";
export * from "./share.ts";
export { about, active, main, recording, type Side, shown } from "./side.ts";
export * from "./split.ts";
export * from "./time.ts";
