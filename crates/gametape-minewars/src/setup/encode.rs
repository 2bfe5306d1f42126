//! Writing a setup: refuses whatever the generation cannot hold, never wraps a number.

use std::borrow::Cow;

use crate::Generation;
use gametape_wire::{Error, Result, Writer};

use super::header::{MAX_PLAYERS_V01, SQUARE_FLAG, SetupHeader, is_version_of};
use super::{City, Setup};
use crate::file::compress::pack;

/// A setup as it is stored: the two parts that a file sums up separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedSetup {
    /// The fixed part.
    pub header: Vec<u8>,
    /// The parts whose lengths the header announces.
    pub data: Vec<u8>,
}

impl EncodedSetup {
    /// Both parts, one after the other.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        [self.header, self.data].concat()
    }
}

impl Setup {
    /// The setup in the layout of its generation, its map compressed where that is asked for and
    /// makes it smaller; or why the generation cannot hold it.
    pub fn encode(&self, compress: bool) -> Result<EncodedSetup> {
        self.check_common()?;
        match self.generation {
            Generation::V01 => self.check_v01()?,
            Generation::Current => self.check_current()?,
        }
        let names = self.encode_player_names()?;
        let positions: Vec<u8> = self.cities.iter().flat_map(|city| city.at.to_wire()).collect();
        let raw_map = self.map.to_bytes(self.generation, !self.cities.is_empty())?;
        let map = if compress { pack(&raw_map, &[]) } else { Cow::Borrowed(&raw_map[..]) };
        let city_names = self.encode_city_names()?;

        let header = SetupHeader {
            offset: 0,
            dialect: self.dialect(),
            version: self.version,
            flags: self.flags(),
            radius: self.map.radius(),
            max_player: self.max_player,
            max_sub_player: self.max_sub_player,
            city_count: self.cities.len() as u8,
            player_names_length: fit_u16(names.len(), "player names")?,
            city_names_length: fit_u16(city_names.len(), "city names")?,
            rules_length: fit_u16(self.rules.len(), "rules")?,
            map_stored: map.len() as u32,
            map_raw: raw_map.len() as u32,
        };
        if self.generation == Generation::V01 {
            fit_u16(raw_map.len(), "map")?;
        }
        let mut written = Writer::new();
        header.write(&mut written);
        let data = match self.generation {
            Generation::V01 => [&names, &positions, &map[..]].concat(),
            Generation::Current => [&map[..], &positions, &city_names, &self.rules].concat(),
        };
        Ok(EncodedSetup { header: written.into_bytes(), data })
    }

    fn check_common(&self) -> Result<()> {
        let own = is_version_of(self.version, self.generation);
        expect(own, "version", "the version bytes belong to another generation")?;
        expect(self.reserved_flags & SQUARE_FLAG == 0, "flags", "bit 3 is the grid of the map")?;
        expect(self.cities.len() <= 255, "cities", "a setup counts at most 255")
    }

    fn check_v01(&self) -> Result<()> {
        let players = u64::from(self.max_player) <= MAX_PLAYERS_V01.max;
        expect(players, "players", "v0.1 knows at most 6")?;
        expect(self.max_sub_player == 0, "player sub ids", "v0.1 does not store them")?;
        expect(self.rules.is_empty(), "rules", "v0.1 does not store them")?;
        let unnamed = self.cities.iter().all(|city| city.name.is_empty());
        expect(unnamed, "city names", "v0.1 does not store them")?;
        let count = self.player_names.as_ref().map(Vec::len);
        let named = count.is_none_or(|count| count > 0 && count == usize::from(self.max_player));
        expect(named, "player names", "every player has one, or there are none")
    }

    fn check_current(&self) -> Result<()> {
        expect(self.max_player <= 15, "players", "ids go up to 15")?;
        expect(self.max_sub_player <= 15, "player sub ids", "they have four bits")?;
        let unnamed = self.player_names.is_none();
        expect(unnamed, "player names", "the current generation does not store them")
    }

    fn encode_player_names(&self) -> Result<Vec<u8>> {
        let names = self.player_names.iter().flatten();
        counted(names.map(String::as_bytes), "player name")
    }

    fn encode_city_names(&self) -> Result<Vec<u8>> {
        match self.generation {
            Generation::V01 => Ok(Vec::new()),
            Generation::Current => {
                counted(self.cities.iter().map(|city: &City| city.name.codes()), "city name")
            }
        }
    }
}

/// Strings of u8 length and bytes, one after the other.
fn counted<'a>(strings: impl Iterator<Item = &'a [u8]>, item: &'static str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for string in strings {
        let length = u8::try_from(string.len())
            .map_err(|_| Error::misuse(item, format!("{} bytes, over 255", string.len())))?;
        bytes.push(length);
        bytes.extend_from_slice(string);
    }
    Ok(bytes)
}

/// A length as the u16 that announces it.
pub(crate) fn fit_u16(length: usize, item: &'static str) -> Result<u16> {
    u16::try_from(length).map_err(|_| {
        Error::misuse(item, format!("{length} bytes do not fit: the format allows at most 65535"))
    })
}

fn expect(condition: bool, item: &'static str, problem: &'static str) -> Result<()> {
    if condition { Ok(()) } else { Err(Error::misuse(item, problem)) }
}
