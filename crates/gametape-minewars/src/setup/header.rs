//! The fixed part of a setup: version, flags, counts and lengths.

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, View, Writer};

use crate::dialect::Dialect;
use crate::map::{Grid, MAX_RADIUS};

/// The most players that v0.1 knows.
pub const MAX_PLAYERS_V01: Limit = Limit::new("number of players", 6);

/// The flag that distinguishes the square grid from the hexagonal one; the other seven are reserved.
pub(crate) const SQUARE_FLAG: u8 = 1 << 3;

/// The header of a setup as it is in the input. Nothing in it is trusted: each part that is read
/// with its help checks what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetupHeader {
    /// Where the header is in the input.
    pub offset: u64,
    /// The dialect it was read as.
    pub dialect: Dialect,
    /// The four version bytes.
    pub version: [u8; 4],
    /// All flags, reserved ones included.
    pub flags: u8,
    /// The radius of the map; over 127 makes the map unreadable.
    pub radius: u8,
    /// The highest player id; in v0.1 the number of players, which is the same.
    pub max_player: u8,
    /// The highest player sub id; 0 in v0.1.
    pub max_sub_player: u8,
    /// How many cities there are.
    pub city_count: u8,
    /// Bytes of player names; 0 = anonymous; always 0 in the current generation.
    pub player_names_length: u16,
    /// Bytes of city names; always 0 in v0.1.
    pub city_names_length: u16,
    /// Bytes of rules; always 0 in v0.1.
    pub rules_length: u16,
    /// Bytes of the map as stored.
    pub map_stored: u32,
    /// Bytes of the map when unpacked.
    pub map_raw: u32,
}

/// The parts of the setup data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetupPart {
    /// Names of the players (v0.1).
    PlayerNames,
    /// Where the cities are.
    CityPositions,
    /// Tiles and regions.
    Map,
    /// Names of the cities (current).
    CityNames,
    /// Opaque rules (current).
    Rules,
}

impl SetupPart {
    /// The part's name, as errors print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlayerNames => "player names",
            Self::CityPositions => "city positions",
            Self::Map => "map",
            Self::CityNames => "city names",
            Self::Rules => "rules",
        }
    }

    /// The parts in the order in which `generation` stores them.
    #[must_use]
    pub const fn order(generation: Generation) -> &'static [Self] {
        match generation {
            Generation::V01 => &[Self::PlayerNames, Self::CityPositions, Self::Map],
            Generation::Current => &[Self::Map, Self::CityPositions, Self::CityNames, Self::Rules],
        }
    }
}

impl SetupHeader {
    /// Bytes of the header in `generation`.
    #[must_use]
    pub const fn length(generation: Generation) -> usize {
        match generation {
            Generation::V01 => 14,
            Generation::Current => 16,
        }
    }

    /// Reads the fields; the only thing that can be wrong here is that there are too few bytes.
    pub(crate) fn read(r: &mut Reader<'_>, dialect: Dialect) -> Result<Self> {
        let offset = r.offset();
        let [v0, v1, v2, v3, flags, radius, players, city_count] = r.array("setup header")?;
        let mut header = Self {
            offset,
            dialect,
            version: [v0, v1, v2, v3],
            flags,
            radius,
            max_player: players,
            max_sub_player: 0,
            city_count,
            player_names_length: 0,
            city_names_length: 0,
            rules_length: 0,
            map_stored: 0,
            map_raw: 0,
        };
        match dialect.generation() {
            Generation::V01 => header.read_v01_lengths(r)?,
            Generation::Current => header.read_current_lengths(r)?,
        }
        Ok(header)
    }

    fn read_v01_lengths(&mut self, r: &mut Reader<'_>) -> Result<()> {
        self.player_names_length = r.u16_be("length of player names")?;
        self.map_stored = r.u16_be("stored length of the map")?.into();
        self.map_raw = r.u16_be("raw length of the map")?.into();
        Ok(())
    }

    fn read_current_lengths(&mut self, r: &mut Reader<'_>) -> Result<()> {
        (self.max_player, self.max_sub_player) = (self.max_player & 15, self.max_player >> 4);
        self.map_stored = r.u32_be("stored length of the map")?;
        self.rules_length = r.u16_be("length of the rules")?;
        let names = r.array("length of city names")?;
        let is_tool = self.dialect == Dialect::MwDatatool;
        self.city_names_length =
            if is_tool { u16::from_le_bytes(names) } else { u16::from_be_bytes(names) };
        let bytes_per_tile = if is_tool || self.city_count > 0 { 2 } else { 1 };
        self.map_raw = (self.grid().tile_count(self.radius) * bytes_per_tile) as u32;
        Ok(())
    }

    /// Writes the fields in the layout of the header's generation.
    pub(crate) fn write(&self, w: &mut Writer) {
        w.bytes(&self.version).u8(self.flags).u8(self.radius);
        match self.dialect.generation() {
            Generation::V01 => {
                w.u8(self.max_player).u8(self.city_count).u16_be(self.player_names_length);
                w.u16_be(self.map_stored as u16).u16_be(self.map_raw as u16);
            }
            Generation::Current => {
                w.u8(self.max_sub_player << 4 | self.max_player).u8(self.city_count);
                w.u32_be(self.map_stored).u16_be(self.rules_length).u16_be(self.city_names_length);
            }
        }
    }

    /// How tiles touch.
    #[must_use]
    pub const fn grid(&self) -> Grid {
        if self.flags & SQUARE_FLAG == 0 { Grid::Hex } else { Grid::Square }
    }

    /// Are the version bytes those of the header's generation?
    #[must_use]
    pub fn has_own_version(&self) -> bool {
        is_version_of(self.version, self.dialect.generation())
    }

    /// The flags without the one that is the grid.
    #[must_use]
    pub const fn reserved_flags(&self) -> u8 {
        self.flags & !SQUARE_FLAG
    }

    /// The highest view that frames can speak of.
    pub fn max_view(&self) -> Result<View> {
        if self.dialect.generation() == Generation::V01 {
            MAX_PLAYERS_V01.check(self.max_player.into(), self.offset + 6)?;
        }
        // Four bits in the current generation, so it is always a view.
        Ok(View::new(self.max_player).unwrap_or(View::SPECTATOR))
    }

    /// Bytes of one part of the setup data; 0 where the generation does not have the part.
    #[must_use]
    pub fn part_length(&self, part: SetupPart) -> u64 {
        match part {
            SetupPart::PlayerNames => self.player_names_length.into(),
            SetupPart::CityPositions => 2 * u64::from(self.city_count),
            SetupPart::Map => self.map_stored.into(),
            SetupPart::CityNames => self.city_names_length.into(),
            SetupPart::Rules => self.rules_length.into(),
        }
    }

    /// Bytes of all setup data after the header.
    #[must_use]
    pub fn data_length(&self) -> u64 {
        SetupPart::order(self.dialect.generation()).iter().map(|&part| self.part_length(part)).sum()
    }

    /// An error unless the version bytes are those of the header's generation.
    pub fn check_version(&self) -> Result<()> {
        if self.has_own_version() {
            return Ok(());
        }
        let expected = match self.dialect.generation() {
            Generation::V01 => "version bytes 00 01 00 00",
            Generation::Current => "version bytes 00 00 01 and any fourth",
        };
        let found = u32::from_be_bytes(self.version).into();
        Err(Error::at(self.offset, "version", ErrorKind::BadValue { found, expected }))
    }

    /// An error unless the map can be as large as the header says.
    pub fn check_radius(&self) -> Result<()> {
        MAX_RADIUS.check(self.radius.into(), self.offset + 5).map(drop)
    }
}

/// Are these the version bytes of `generation`?
pub(crate) fn is_version_of(version: [u8; 4], generation: Generation) -> bool {
    match generation {
        Generation::V01 => version == [0, 1, 0, 0],
        Generation::Current => version[..3] == [0, 0, 1],
    }
}
