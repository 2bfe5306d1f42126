export interface About {
  name: string;
  format: "tape" | "minewars" | "gamelog";
  game: string;
  heading: string;
  subtitle: string;
  players: PlayerInfo[];
  views: ViewInfo[];
  view: number | null;
  begin: number;
  end: number;
  position: number;
  tick_micros: number;
  is_gamelog: boolean;
  has_board: boolean;
  has_tree: boolean;
  has_messages: boolean;
  board: { width: number; height: number } | null;
  losses: Loss[];
  length_text: string;
}
export interface PlayerInfo {
  name: string;
  colour: string;
}
export interface ViewInfo {
  view: number;
  name: string;
  colour: string | null;
}
export interface Loss {
  text: string;
  start: number | null;
  end: number | null;
}
export interface Shown {
  moment: number;
  time: string;
  label: string;
  players: Player[];
  facts: Value[];
  lines: Line[];
  problems: number;
  heading: string;
  changed: number;
  at_begin: boolean;
  at_end: boolean;
}
export interface Player {
  id: string;
  name: string;
  glyph: string;
  colour: string;
  eliminated?: boolean;
  values?: Value[];
}
export interface Value {
  name: string;
  value: number | string | boolean | { player: number } | { tile: [number, number] };
}
export interface Line {
  kind: string;
  text: string;
  players?: number[];
  at?: [number, number];
}
export interface Story {
  markers: { moment: number; kind: string; player: number | null; text: string; time: string }[];
  highlights: {
    rank: number;
    moment: number;
    start: number;
    end: number;
    time: string;
    text: string;
    why: { name: string; percent: number }[];
    player: number | null;
  }[];
  curves: {
    name: string;
    players: { player: number; name: string; colour: string; points: [number, number][] }[];
  }[];
}
