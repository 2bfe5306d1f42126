// Made of the Rust shapes by a test of gametape-web-live: `BLESS=1 cargo test -p gametape-web-live shapes`.

export type LiveNotice = { "welcome": Welcomed } | { "refused": Refused } | { "began": number } | { "shown": number } | { "lost": Lost } | { "over": boolean };

export type Welcomed = { 
/**
 * The views.
 */
views: Array<number>, 
/**
 * Ticks between what is played and what is released.
 */
delay: number, 
/**
 * How long a tick takes, in microseconds.
 */
tick_micros: number, };

export type Refused = { 
/**
 * Which reason.
 */
why: "version" | "match" | "pass" | "many" | "malformed" | "other", 
/**
 * In words.
 */
text: string, };

export type Lost = { 
/**
 * Of which view.
 */
view: number, 
/**
 * From which tick on.
 */
first: number, 
/**
 * Up to which tick.
 */
last: number, 
/**
 * How many unreliable parts; 0 where whole ticks are lost.
 */
parts: number, };
