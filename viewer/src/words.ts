// How things are said.
import type { About, Player, Value } from "./generated/shapes.ts";

/** Seconds as the tool writes them: 4:36.9, 0:22.65, 1:02:03; `exact`: with what is less than a second. */
export function clock(seconds: number, exact = true): string {
  const sign = seconds < 0 ? "-" : "";
  const all = Math.round(Math.abs(seconds) * (exact ? 1000 : 1)) / (exact ? 1000 : 1);
  const hours = Math.floor(all / 3600);
  const minutes = Math.floor((all % 3600) / 60);
  const [whole, part] = (all % 60).toFixed(exact ? 3 : 0).split(".");
  const fraction = part?.replace(/0+$/, "");
  const last = whole!.padStart(2, "0") + (fraction ? `.${fraction}` : "");
  return hours > 0
    ? `${sign}${hours}:${String(minutes).padStart(2, "0")}:${last}`
    : `${sign}${minutes}:${last}`;
}

/** How many moments pass in a second at 1×. */
export function rate(about: About): number {
  return about.is_gamelog || about.tick_micros <= 0 ? 10 : 1e6 / about.tick_micros;
}

export function momentText(about: About, moment: number, exact = true): string {
  if (about.is_gamelog || about.tick_micros <= 0)
    return `delta ${count(Math.max(0, Math.round(moment) - 1))}`;
  return clock(Math.max(0, ((moment - 1) * about.tick_micros) / 1e6), exact);
}

const whole = new Intl.NumberFormat("en");

export function count(number: number): string {
  return whole.format(number);
}

/** 10,234 as 10.2k, so that columns stay narrow. */
export function short(number: number): string {
  const size = Math.abs(number);
  if (size >= 999_950) return `${(number / 1e6).toFixed(1)}M`;
  if (size >= 10_000) return `${(number / 1e3).toFixed(1)}k`;
  if (Number.isInteger(number)) return count(number);
  return size >= 100 ? count(Math.round(number)) : number.toFixed(size >= 10 ? 1 : 2);
}

export function bytes(number: number): string {
  if (number < 1000) return `${number} B`;
  if (number < 1e6) return `${(number / 1e3).toFixed(0)} kB`;
  return number < 1e9 ? `${(number / 1e6).toFixed(1)} MB` : `${(number / 1e9).toFixed(2)} GB`;
}

export function valueText(value: Value["value"], players: Player[]): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? count(value) : String(Number(value.toFixed(3)));
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if ("player" in value)
    return players[value.player - 1]?.name ?? (value.player === 0 ? "nobody" : `player ${value.player}`);
  return `${value.tile[0]},${value.tile[1]}`;
}

/** `city_capture` as `city capture`. */
export function plain(kind: string): string {
  return kind.replace(/[_-]+/g, " ");
}

/** With a capital letter, as sentences begin. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
