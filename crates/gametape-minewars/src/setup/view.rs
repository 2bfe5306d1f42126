//! Reading a setup part by part, each with its own result.

use std::borrow::Cow;
use std::ops::Range;

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Reader, Result};

use super::header::{SetupHeader, SetupPart};
use super::{City, Setup};
use crate::dialect::Dialect;
use crate::file::compress::Packed;
use crate::map::{Coord, MAX_MAP_BYTES, Map};
use crate::setup::CityName;

/// A setup in borrowed bytes. Nothing is unpacked or copied before it is asked for, and a damaged
/// part does not keep the others from being read.
#[derive(Debug, Clone)]
pub struct SetupView<'a> {
    header: SetupHeader,
    /// What there is of the data, which may be less than the header announces.
    data: &'a [u8],
}

impl<'a> SetupView<'a> {
    /// The setup at the start of `bytes`, as a stream without file header begins; `offset` is where
    /// they are in the input.
    pub fn parse(bytes: &'a [u8], dialect: Dialect, offset: u64) -> Result<Self> {
        let view = Self::read(bytes, dialect, offset)?;
        view.header.check_version()?;
        Ok(view)
    }

    /// The same, whatever the version bytes say.
    pub(crate) fn read(bytes: &'a [u8], dialect: Dialect, offset: u64) -> Result<Self> {
        let mut r = Reader::with_base(bytes, offset);
        let header = SetupHeader::read(&mut r, dialect)?;
        let available = (r.remaining() as u64).min(header.data_length()) as usize;
        Ok(Self { header, data: &r.rest()[..available] })
    }

    /// The fixed part.
    #[must_use]
    pub fn header(&self) -> &SetupHeader {
        &self.header
    }

    /// The setup data as stored; shorter than announced where the input ends early.
    #[must_use]
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Absolute offset of the first byte of the setup data.
    #[must_use]
    pub fn data_offset(&self) -> u64 {
        self.header.offset + SetupHeader::length(self.generation()) as u64
    }

    /// Absolute offset right after the setup, as announced.
    #[must_use]
    pub fn end_offset(&self) -> u64 {
        self.data_offset() + self.header.data_length()
    }

    /// Where one part is in the input, as announced; empty where the generation lacks it.
    #[must_use]
    pub fn part_range(&self, part: SetupPart) -> Range<u64> {
        let order = SetupPart::order(self.generation());
        let before = order.iter().take_while(|&&earlier| earlier != part);
        let before: u64 = before.map(|&earlier| self.header.part_length(earlier)).sum();
        let start = self.data_offset() + before;
        start..start + self.header.part_length(part)
    }

    /// The bytes of one part as stored.
    pub fn part_bytes(&self, part: SetupPart) -> Result<&'a [u8]> {
        let (start, length) = (self.part_range(part).start, self.header.part_length(part));
        let skip = (start - self.data_offset()).min(self.data.len() as u64) as usize;
        Reader::with_base(&self.data[skip..], start).take(length as usize, part.name())
    }

    /// The names of the players, in order of their ids; none in an anonymous or current setup.
    pub fn player_names(&self) -> Result<Option<Vec<&'a str>>> {
        let part = SetupPart::PlayerNames;
        if self.header.part_length(part) == 0 {
            return Ok(None);
        }
        let count = self.header.max_view()?.number();
        let names = self.counted(part, count, "player name", |raw, offset| {
            std::str::from_utf8(raw).map_err(|error| not_utf8(offset, error))
        })?;
        Ok(Some(names))
    }

    /// Where the cities are, in order of their ids.
    pub fn city_positions(&self) -> Result<impl ExactSizeIterator<Item = Coord> + use<'a>> {
        let bytes = self.part_bytes(SetupPart::CityPositions)?;
        Ok(bytes.as_chunks::<2>().0.iter().map(|&pair| Coord::from_wire(pair)))
    }

    /// The names of the cities, in order of their ids; none at all in v0.1.
    pub fn city_names(&self) -> Result<Vec<CityName<'a>>> {
        if self.generation() == Generation::V01 {
            return Ok(Vec::new());
        }
        self.counted(SetupPart::CityNames, self.header.city_count, "city name", |codes, _| {
            Ok(CityName::from_codes(codes))
        })
    }

    /// Is the map stored as an LZ4 block?
    #[must_use]
    pub fn is_map_compressed(&self) -> bool {
        self.header.map_stored < self.header.map_raw
    }

    /// The raw bytes of the map, unpacked where they are compressed.
    pub fn map_bytes(&self) -> Result<Cow<'a, [u8]>> {
        let packed = Packed {
            item: SetupPart::Map.name(),
            stored: self.part_bytes(SetupPart::Map)?,
            offset: self.part_range(SetupPart::Map).start,
            raw: self.header.map_raw.into(),
        };
        packed.unpack(MAX_MAP_BYTES)
    }

    /// The map.
    pub fn map(&self) -> Result<Map> {
        self.header.check_radius()?;
        let offset = self.part_range(SetupPart::Map).start;
        let (grid, radius) = (self.header.grid(), self.header.radius);
        Map::from_bytes(self.header.dialect, grid, radius, &self.map_bytes()?, offset)
    }

    /// The rules, opaque.
    pub fn rules(&self) -> Result<&'a [u8]> {
        self.part_bytes(SetupPart::Rules)
    }

    /// Everything, owned; the first damaged part is the error.
    pub fn to_setup(&self) -> Result<Setup> {
        self.header.check_version()?;
        let names = self.player_names()?;
        Ok(Setup {
            generation: self.generation(),
            version: self.header.version,
            reserved_flags: self.header.reserved_flags(),
            max_player: self.header.max_view()?.number(),
            max_sub_player: self.header.max_sub_player,
            player_names: names.map(|names| names.into_iter().map(String::from).collect()),
            cities: self.cities()?,
            map: self.map()?,
            rules: self.rules()?.to_vec(),
        })
    }

    /// Everything that is wrong with the setup: damage, and what can be read but breaks the rules.
    #[must_use]
    pub fn faults(&self) -> Vec<Error> {
        let header = [self.header.check_version().err(), self.header.max_view().err()];
        let names = [self.player_names().err(), self.city_names().err()];
        let (map, rules) = (self.map_faults(), self.rules().err());
        let positions = self.city_position_faults();
        let all =
            header.into_iter().chain(names).flatten().chain(positions).chain(map).chain(rules);
        let mut faults = Vec::new();
        for fault in all {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        faults
    }

    fn city_position_faults(&self) -> Vec<Error> {
        match self.city_positions() {
            Ok(positions) => positions.enumerate().filter_map(|city| self.off_map(city)).collect(),
            Err(error) => vec![error],
        }
    }

    fn map_faults(&self) -> Vec<Error> {
        match self.map() {
            Ok(map) => map.faults(self.header.dialect, self.header.city_count),
            Err(error) => vec![error],
        }
    }

    fn generation(&self) -> Generation {
        self.header.dialect.generation()
    }

    fn cities(&self) -> Result<Vec<City>> {
        let mut names = self.city_names()?.into_iter();
        let city = |at| City { at, name: names.next().unwrap_or_default().into_owned() };
        Ok(self.city_positions()?.map(city).collect())
    }

    /// `count` strings of u8 length and bytes, which must fill the part.
    fn counted<T>(
        &self,
        part: SetupPart,
        count: u8,
        item: &'static str,
        make: impl Fn(&'a [u8], u64) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut r = Reader::with_base(self.part_bytes(part)?, self.part_range(part).start);
        let mut items = Vec::with_capacity(count.into());
        for _ in 0..count {
            let length = r.u8(item)?;
            let offset = r.offset();
            items.push(make(r.take(length.into(), item)?, offset)?);
        }
        r.finish(part.name())?;
        Ok(items)
    }

    fn off_map(&self, (id, at): (usize, Coord)) -> Option<Error> {
        if self.header.grid().contains(self.header.radius, at) {
            return None;
        }
        let offset = self.part_range(SetupPart::CityPositions).start + 2 * id as u64;
        let problem = format!("{at} is outside the map of radius {}", self.header.radius).into();
        Some(Error::at(offset, format!("city {id}"), ErrorKind::BadSyntax { problem }))
    }
}

fn not_utf8(offset: u64, error: std::str::Utf8Error) -> Error {
    let problem = "not UTF-8".into();
    let offset = offset + error.valid_up_to() as u64;
    Error::at(offset, "player name", ErrorKind::BadSyntax { problem })
}
