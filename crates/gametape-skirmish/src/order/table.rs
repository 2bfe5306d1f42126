//! The table of orders.

use gametape_minewars::{Coord, ItemKind, StructureKind};
use gametape_tape::UnitTag;
use gametape_wire::{Error, ErrorKind, Reader, Result, Writer};

use super::operand::{Action, Flag, Item, Operand, Percent, Say, Structure, Tile, Units, Vote};
use super::rows::{Row, orders};
use super::{Argument, Channel, GroupAction, VoteKind};

orders! {
    /// What a player can ask for, say, or report.
    Command, rows ROWS {
        /// Take a tile next to own land.
        0x01 Capture "capture" Game
            "land next to own land, not own, no city, no smoke, no own flag, no structure but a road, owner not protected; ready (section 6)" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Put a flag on a tile, or take it away.
        0x02 Flag "flag" Game
            "on: land in sight, not own, without own flag. off (0): own flag there" {
            /// Which tile.
            tile: Coord as Tile,
            /// Put it there?
            on: bool as Flag,
        }
        /// Lay an item on own land.
        0x03 Deploy "deploy" Game
            "own land but water, no city, no structure, no item, nothing pending; money" {
            /// Which tile.
            tile: Coord as Tile,
            /// Which item.
            item: ItemKind as Item,
        }
        /// Begin a structure.
        0x04 Build "build" Game
            "road, wall, tower: own land; bridge: water next to own land; no structure, item, city, own construction there; the city that builds is own and free (section 7)" {
            /// Which tile.
            tile: Coord as Tile,
            /// Which structure.
            kind: StructureKind as Structure,
        }
        /// Remove an own structure, finished or not.
        0x05 Bulldoze "bulldoze" Game "an own structure, finished or pending, is there" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Turn own land into resources, once.
        0x06 Harvest "harvest" Game
            "own regular or fertile tile without structure, the region's city is own" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Explode a tile in sight.
        0x07 Strike "strike" Game
            "in sight, not own, land or a bridge, no city, no smoke, owner not protected; pause over; money" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Look what lies on a tile.
        0x08 Reveal "reveal" Game "in sight, not own, land, no smoke; money" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Smoke a tile and its neighbours.
        0x09 Smoke "smoke" Game "in sight; money" {
            /// Which tile.
            tile: Coord as Tile,
        }
        /// Set what a city exports and imports.
        0x0A Trade "trade" Game "own city; not what they are already" {
            /// The city.
            city: u8 as u8,
            /// Percent of unused resources that become money.
            export: u8 as Percent,
            /// Most points per second that are bought for a construction.
            import: u8 as Percent,
        }
        /// Give up; and leave, or stay to watch.
        0x0B Surrender "surrender" Game "" {
            /// Leave at once?
            leave: bool as Flag,
        }
        /// Call a vote.
        0x0C CallVote "callVote" Game
            "no vote is being held; the player is 0, or for a kick another one still in the match, which has three or more" {
            /// About what.
            kind: VoteKind as Vote,
        }
        /// Vote.
        0x0D Ballot "ballot" Game "this vote is being held, no ballot of the player yet" {
            /// The vote.
            id: u8 as u8,
            /// For or against?
            yes: bool as Flag,
        }
        /// Pause the match, or go on.
        0x0E Pause "pause" Game "on: not paused, fewer than 3 pauses. off: paused" {
            /// Pause it?
            on: bool as Flag,
        }
        /// Say something.
        0x20 Chat "chat" Talk "never an input to the simulation" {
            /// To friends only, not to all?
            friends: bool as Flag,
            /// What is said, in at most 240 bytes.
            text: String as Say,
        }
        /// Where the player looks.
        0x30 Camera "camera" Report "never an input" {
            /// The middle of the screen.
            at: Coord as Tile,
            /// How near, as the player's machine counts it.
            zoom: u16 as u16,
        }
        /// What the player selected: at most 255 units each.
        0x31 Selection "selection" Report "never an input" {
            /// Selected now.
            added: Vec<UnitTag> as Units,
            /// Not selected any more.
            removed: Vec<UnitTag> as Units,
        }
        /// The player used a control group.
        0x32 ControlGroup "controlGroup" Report "never an input" {
            /// Its number.
            group: u8 as u8,
            /// How.
            action: GroupAction as Action,
        }
        /// How long messages take to the player's machine and back.
        0x33 RoundTrip "roundTrip" Report "never an input" {
            /// In milliseconds.
            ms: u16 as u16,
        }
        /// A number on a tile, for developers.
        0x34 Note "note" Report "never an input" {
            /// The number.
            value: u8 as u8,
            /// Which tile.
            tile: Coord as Tile,
        }
    }
}
