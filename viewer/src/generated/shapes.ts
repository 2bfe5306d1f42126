// Made of the Rust shapes by a test of gametape-web: `BLESS=1 cargo test -p gametape-web shapes`.

export type Colour = string;
export type TileAt = [number, number];

export type About = { 
/**
 * The name of its file.
 */
name: string, 
/**
 * `tape`, `minewars` or `gamelog`.
 */
format: "tape" | "minewars" | "gamelog", 
/**
 * The name of the game.
 */
game: string, 
/**
 * Who plays, or the title of the match.
 */
heading: string, 
/**
 * What else there is to say in a line.
 */
subtitle: string, 
/**
 * Who plays.
 */
players: Array<Player>, 
/**
 * The views that there are; none in a gamelog.
 */
views: Array<ViewInfo>, 
/**
 * Those whose view it is now: one, or several together; none in a gamelog.
 */
seen: Array<number>, 
/**
 * The first moment.
 */
begin: number, 
/**
 * The last moment.
 */
end: number, 
/**
 * The present moment.
 */
position: number, 
/**
 * May more of it come?
 */
growing: boolean, 
/**
 * The length of a tick in microseconds; 0 where there is no clock.
 */
tick_micros: number, 
/**
 * Is it a gamelog, which has neither clock nor views?
 */
is_gamelog: boolean, 
/**
 * Is there a board to be drawn?
 */
has_board: boolean, 
/**
 * Is there a tree of the state?
 */
has_tree: boolean, 
/**
 * Are there messages to be disassembled?
 */
has_messages: boolean, 
/**
 * How large the board is, in tiles.
 */
board: BoardSize | null, 
/**
 * What is missing.
 */
losses: Array<Loss>, 
/**
 * Players whose cameras can be followed.
 */
cameras: Array<number>, 
/**
 * The heat maps that there can be.
 */
heats: Array<HeatKind>, 
/**
 * How long the recording is: `15:00`, `1,203 deltas`.
 */
length_text: string, };

export type ViewInfo = { 
/**
 * Its number.
 */
view: number, 
/**
 * The name of the player, or `All`.
 */
name: string, 
/**
 * The colour of the player.
 */
colour: string | null, };

export type BoardSize = { 
/**
 * From left to right.
 */
width: number, 
/**
 * From top to bottom.
 */
height: number, };

export type Loss = { 
/**
 * What, in words.
 */
text: string, 
/**
 * From this moment on, where that is known,
 */
start: number | null, 
/**
 * up to this one.
 */
end: number | null, };

export type Shown = { 
/**
 * The moment.
 */
moment: number, 
/**
 * The same for people: `4:36.9`, `delta 57`.
 */
time: string, 
/**
 * The same with the end: `4:36.9 of 15:00`.
 */
label: string, 
/**
 * The heading of the scene.
 */
heading: string, 
/**
 * Who plays, with values.
 */
players: Array<Player>, 
/**
 * Time, turn and the like.
 */
facts: Array<Value>, 
/**
 * What happened, in words.
 */
lines: Array<Line>, 
/**
 * Damage that was found on the way, besides what was known when the recording was opened.
 */
damage: Array<Loss>, 
/**
 * How many tiles changed.
 */
changed: number, 
/**
 * Is it the first moment?
 */
at_begin: boolean, 
/**
 * Is it the last one?
 */
at_end: boolean, 
/**
 * Where that is which is followed, in tiles from the upper left corner of the board.
 */
follow: [number, number] | null, };

export type Player = { 
/**
 * The number of the seat, or the id of the game object.
 */
id: string, 
/**
 * Their name.
 */
name: string, 
/**
 * The sign of their tiles in text.
 */
glyph: string, 
/**
 * Their colour.
 */
colour: Colour, 
/**
 * Out of the match.
 */
eliminated?: boolean, 
/**
 * What is known of them.
 */
values?: Array<Value>, };

export type Value = { 
/**
 * What it is: `money`.
 */
name: string, 
/**
 * How much or what.
 */
value: Datum, };

export type Datum = boolean | number | number | string | { 
/**
 * The number.
 */
player: number, } | { 
/**
 * Where it is.
 */
tile: TileAt, };

export type Line = { 
/**
 * What kind of thing happened: `capture`, `build`.
 */
kind: string, 
/**
 * The sentence.
 */
text: string, 
/**
 * The numbers of the players in it.
 */
players?: Array<number>, 
/**
 * Where it happened.
 */
at?: TileAt, };

export type TileCard = { 
/**
 * What it is.
 */
title: string, 
/**
 * What is known of it.
 */
values: Array<Value>, 
/**
 * The pieces on it.
 */
pieces: Array<PieceOn>, };

export type PieceOn = { 
/**
 * The same at every moment.
 */
id: string, 
/**
 * What it is called.
 */
name: string, };

export type Story = { 
/**
 * What happened when, ascending.
 */
markers: Array<StoryMarker>, 
/**
 * What is worth watching, best first.
 */
highlights: Array<StoryHighlight>, 
/**
 * Values of players over time.
 */
curves: Array<Curve>, 
/**
 * Of which share of the recording there are markers, 0 to 1: more come while it is reported.
 */
reported: number, };

export type StoryMarker = { 
/**
 * The moment after it, as the number of its next tick.
 */
moment: number, 
/**
 * When, for people.
 */
time: string, 
/**
 * What it is about, for filters.
 */
kind: string, 
/**
 * The player that it is about most.
 */
player: number | null, 
/**
 * A sentence with names.
 */
text: string, };

export type StoryHighlight = { 
/**
 * From 1 on.
 */
rank: number, 
/**
 * The moment after it.
 */
moment: number, 
/**
 * What to play: from this moment
 */
start: number, 
/**
 * up to this one.
 */
end: number, 
/**
 * When, for people.
 */
time: string, 
/**
 * What it is, in words.
 */
text: string, 
/**
 * What its score is made of.
 */
why: Array<WhyPart>, 
/**
 * The player that it is about.
 */
player: number | null, };

export type WhyPart = { 
/**
 * Which.
 */
name: string, 
/**
 * 0 to 100.
 */
percent: number, };

export type Curve = { 
/**
 * What it is: `land`, `income`.
 */
name: string, 
/**
 * One for each player.
 */
players: Array<CurveOfPlayer>, };

export type CurveOfPlayer = { 
/**
 * Who, from 1 on.
 */
player: number, 
/**
 * Their name.
 */
name: string, 
/**
 * Their colour.
 */
colour: Colour, 
/**
 * Moments and values, ascending.
 */
points: [number, number][], };

export type HeatKind = "deaths" | "fights" | "ownership" | "attention";

export type HeatLegend = { 
/**
 * `deaths, 3:00 to 5:00`
 */
title: string, 
/**
 * The colours from cold to hot, evenly apart.
 */
colours: Array<Colour>, 
/**
 * What the coldest colour is: `1`; `none` where there is nothing.
 */
low: string, 
/**
 * What the hottest colour is: `12 died or destroyed`.
 */
high: string, };

export type ToldLine = { 
/**
 * The moment after it.
 */
moment: number, 
/**
 * The same for people.
 */
time: string, 
/**
 * What happened.
 */
line: Line, };

export type TileChange = { 
/**
 * The moment after it.
 */
moment: number, 
/**
 * The same for people.
 */
time: string, 
/**
 * What is known of the tile since then that was not before.
 */
text: string, };

export type TreeRow = { 
/**
 * Where its value is in the state.
 */
path: string, 
/**
 * Its key.
 */
key: string, 
/**
 * Its value in a few words.
 */
text: string, 
/**
 * What the last delta did to it: `added`, `replaced`, `removed`, `within` or nothing.
 */
tone: string, 
/**
 * How many branches it is in.
 */
depth: number, 
/**
 * Can it be opened and closed?
 */
is_branch: boolean, 
/**
 * Is it open?
 */
is_open: boolean, 
/**
 * The path that it leads to.
 */
reference: string | null, };

export type Found = { 
/**
 * What it is.
 */
text: string, 
/**
 * When it is.
 */
moment: number | null, 
/**
 * The same for people.
 */
time: string | null, 
/**
 * Where it is in the state.
 */
path: string | null, };
