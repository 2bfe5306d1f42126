//! Making a damaged setup one that passes verification: what can be read of it stays, and the rest is
//! marked as unknown.

use gametape_wire::{Result, Writer};

use super::block::{Unpacked, unpack_prefix};
use super::report::{Change, Lost, SetupItem};
use crate::Generation;
use crate::dialect::Dialect;
use crate::file::compress::{Packed, pack};
use crate::map::{Coord, MAX_MAP_BYTES, MAX_RADIUS, NO_REGION};
use crate::setup::{SetupHeader, SetupPart, SetupView};

/// A setup in place of a damaged one: header and data.
pub(super) struct SoundSetup {
    pub(super) bytes: Vec<u8>,
    pub(super) changes: Vec<Change>,
    pub(super) lost: Vec<Lost>,
}

/// The sound setup to write instead of `damaged`, whose data are all there; `None` where nothing but the
/// version is wrong with it. `has_checksum` says that the data have the checksum that is stored for them.
/// Refuses a setup whose header leaves open what the frames are.
pub(super) fn sound_setup(
    damaged: &SetupView<'_>,
    has_checksum: bool,
) -> Result<Option<SoundSetup>> {
    let header = damaged.header();
    header.max_view()?;
    let version = header.check_version().err();
    if damaged.faults().into_iter().all(|fault| Some(fault) == version) {
        return Ok(None);
    }
    let header = *header;
    let mut repair =
        SetupRepair { damaged, has_checksum, header, changes: Vec::new(), lost: Vec::new() };
    let map = repair.map()?;
    let positions = repair.city_positions()?;
    let player_names = repair.player_names()?;
    let city_names = repair.city_names()?;
    let SetupRepair { mut header, changes, lost, .. } = repair;
    header.map_stored = map.len() as u32;
    header.player_names_length = player_names.len() as u16;
    header.city_names_length = city_names.len() as u16;
    if header.dialect == Dialect::MwDatatool {
        header.city_names_length = header.city_names_length.swap_bytes();
    }
    let mut w = Writer::new();
    header.write(&mut w);
    for part in SetupPart::order(header.dialect.generation()) {
        w.bytes(match part {
            SetupPart::PlayerNames => &player_names,
            SetupPart::CityPositions => &positions,
            SetupPart::Map => &map,
            SetupPart::CityNames => &city_names,
            SetupPart::Rules => damaged.rules()?,
        });
    }
    Ok(Some(SoundSetup { bytes: w.into_bytes(), changes, lost }))
}

struct SetupRepair<'s, 'a> {
    damaged: &'s SetupView<'a>,
    has_checksum: bool,
    header: SetupHeader,
    changes: Vec<Change>,
    lost: Vec<Lost>,
}

impl SetupRepair<'_, '_> {
    fn note_lost(&mut self, item: SetupItem, count: usize) {
        if count > 0 {
            self.lost.push(Lost::Setup { item, count: count as u64 });
        }
    }

    fn tiles(&self, radius: u8) -> usize {
        self.header.grid().tile_count(radius)
    }

    /// The map as it is stored.
    fn map(&mut self) -> Result<Vec<u8>> {
        let stored = self.damaged.part_bytes(SetupPart::Map)?;
        let mut raw = self.unpacked_map(stored);
        self.header.check_radius()?;
        let tiles = self.tiles(self.header.radius);
        let length = self.map_length(tiles, raw.len());
        let missing = tiles.saturating_sub(raw.len());
        // A reserved kind: nothing is said about what is there.
        let unknown = if self.header.dialect == Dialect::MwDatatool { 8 } else { 1 };
        raw.truncate(length);
        raw.resize(tiles.max(raw.len()), unknown);
        let no_regions = length - raw.len();
        raw.resize(length, NO_REGION);
        self.note_lost(SetupItem::Tile, missing + self.clear_reserved(&mut raw[..tiles]));
        let regions = no_regions + self.clear_regions(&mut raw[tiles..]);
        self.note_lost(SetupItem::Region, regions);
        self.header.map_raw = length as u32;
        let same = Packed { item: "map", stored, offset: 0, raw: length as u64 };
        let same = same.unpack(MAX_MAP_BYTES).is_ok_and(|same| *same == raw);
        Ok(if same { stored.to_vec() } else { pack(&raw, &[]).into_owned() })
    }

    /// The bytes of the map as far as they can be had. Where they are whole and cannot be those of a map
    /// of the radius that is announced, the radius becomes the one that they have.
    fn unpacked_map(&mut self, stored: &[u8]) -> Vec<u8> {
        if let Ok(raw) = self.damaged.map_bytes() {
            self.find_radius(raw.len());
            return raw.into_owned();
        }
        let Unpacked { bytes, damaged_at } = unpack_prefix(stored, &[], MAX_MAP_BYTES.max as usize);
        if damaged_at.is_none() && self.find_radius(bytes.len()) {
            return bytes;
        }
        // Bytes with the right checksum that are no block are the map itself.
        let is_plain = damaged_at.is_some() && self.has_checksum && self.find_radius(stored.len());
        if is_plain || (stored.len() > self.header.map_raw as usize && damaged_at.is_some()) {
            return stored.to_vec();
        }
        bytes
    }

    /// Makes sure that a map of this length can be of the radius, which changes if just one other fits.
    fn find_radius(&mut self, length: usize) -> bool {
        let old = self.header.radius;
        let fits = |radius: u8| {
            let tiles = self.tiles(radius);
            match self.header.dialect {
                Dialect::V01 => length == tiles || length == 2 * tiles,
                Dialect::Current if self.header.city_count == 0 => length == tiles,
                _ => length == 2 * tiles,
            }
        };
        if u64::from(old) <= MAX_RADIUS.max && fits(old) {
            return true;
        }
        let mut fitting = (0..=MAX_RADIUS.max as u8).filter(|radius| fits(*radius));
        let (Some(new), None) = (fitting.next(), fitting.next()) else { return false };
        self.changes.push(Change::Radius { old, new });
        self.header.radius = new;
        true
    }

    /// How long the raw map is, of which there are `found` bytes.
    fn map_length(&self, tiles: usize, found: usize) -> usize {
        let has_regions = match self.header.dialect {
            Dialect::V01 => found > tiles && 2 * tiles <= usize::from(u16::MAX),
            Dialect::Current => self.header.city_count > 0,
            Dialect::MwDatatool => true,
        };
        if has_regions { 2 * tiles } else { tiles }
    }

    /// Bits of v0.1 tiles that must be clear become a reserved kind or item; returns how many tiles.
    fn clear_reserved(&self, tiles: &mut [u8]) -> usize {
        if self.header.dialect != Dialect::V01 {
            return 0;
        }
        let mut cleared = 0;
        for tile in tiles.iter_mut().filter(|tile| **tile & 0x88 != 0) {
            let kind = if *tile & 0x08 == 0 { *tile & 0x07 } else { 1 };
            let item = if *tile & 0x80 == 0 { *tile & 0x70 } else { 0x40 };
            *tile = item | kind;
            cleared += 1;
        }
        cleared
    }

    /// Regions of cities that are not there become none; returns how many tiles.
    fn clear_regions(&self, regions: &mut [u8]) -> usize {
        let cities = self.header.city_count;
        let mut cleared = 0;
        for region in regions.iter_mut().filter(|region| **region != NO_REGION) {
            if *region >= cities {
                *region = NO_REGION;
                cleared += 1;
            }
        }
        cleared
    }

    /// The positions of the cities; one outside of the map becomes its centre.
    fn city_positions(&mut self) -> Result<Vec<u8>> {
        let mut positions = self.damaged.part_bytes(SetupPart::CityPositions)?.to_vec();
        let mut moved = 0;
        for position in positions.chunks_exact_mut(2) {
            let at = Coord { y: position[0] as i8, x: position[1] as i8 };
            if !self.header.grid().contains(self.header.radius, at) {
                position.fill(0);
                moved += 1;
            }
        }
        self.note_lost(SetupItem::CityPosition, moved);
        Ok(positions)
    }

    /// The names of the players; one that is not text becomes empty.
    fn player_names(&mut self) -> Result<Vec<u8>> {
        let part = self.damaged.part_bytes(SetupPart::PlayerNames)?;
        if part.is_empty() || self.damaged.player_names().is_ok() {
            return Ok(part.to_vec());
        }
        let players = self.header.max_view()?.number();
        let Some(names) = counted(part, players) else {
            self.note_lost(SetupItem::PlayerName, players.into());
            return Ok(Vec::new());
        };
        let mut kept = Vec::new();
        let mut empty = 0;
        for name in names {
            let is_text = std::str::from_utf8(name).is_ok();
            empty += usize::from(!is_text);
            let name = if is_text { name } else { &[] };
            kept.push(name.len() as u8);
            kept.extend_from_slice(name);
        }
        self.note_lost(SetupItem::PlayerName, empty);
        Ok(kept)
    }

    /// The names of the cities; all become empty where their lengths do not fit.
    fn city_names(&mut self) -> Result<Vec<u8>> {
        let part = self.damaged.part_bytes(SetupPart::CityNames)?;
        let is_v01 = self.header.dialect.generation() == Generation::V01;
        if is_v01 || self.damaged.city_names().is_ok() {
            return Ok(part.to_vec());
        }
        let cities = usize::from(self.header.city_count);
        // Without cities there are bytes that nothing names.
        self.note_lost(SetupItem::CityName, cities.max(1));
        Ok(vec![0; cities])
    }
}

/// `count` strings of u8 length and bytes, if they fill the part.
fn counted(part: &[u8], count: u8) -> Option<Vec<&[u8]>> {
    let mut rest = part;
    let mut strings = Vec::new();
    for _ in 0..count {
        let (length, after) = rest.split_first()?;
        let (string, after) = after.split_at_checked(usize::from(*length))?;
        strings.push(string);
        rest = after;
    }
    rest.is_empty().then_some(strings)
}
