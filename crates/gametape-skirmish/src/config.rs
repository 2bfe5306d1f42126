//! What a match starts from.

use gametape_minewars::Grid;
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, Writer};

/// First byte of a configuration.
const FORM: u8 = 1;
const NAME_LENGTH: Limit = Limit::new("player name", 32);

/// What a match starts from: with its orders, everything there is to know about it.
///
/// ```
/// use gametape_skirmish::Config;
///
/// let config = Config::new(2, 12, 7);
/// assert_eq!(Config::from_bytes(&config.to_bytes())?, config);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// How tiles touch.
    pub grid: Grid,
    /// The outermost ring of the map: 4 to 100.
    pub radius: u8,
    /// The match ends after this many seconds: 10 to 65535.
    pub time_limit: u16,
    /// Another number gives another match.
    pub seed: u64,
    /// The players' names, of 1 to 32 bytes; there are as many players as names, 2 to 15.
    pub names: Vec<String>,
}

const NAMES: [&str; 15] = [
    "Ana", "Ben", "Chloé", "Dario", "Elif", "Femi", "Goran", "Hana", "Ivo", "Jun", "Kaya", "Lena",
    "Marek", "Noor", "Otto",
];

impl Config {
    /// A match of players with made-up names on a hexagonal map, of at most an hour.
    #[must_use]
    pub fn new(players: u8, radius: u8, seed: u64) -> Self {
        let names = NAMES.iter().take(players.into()).map(|&name| name.to_owned()).collect();
        Self { grid: Grid::Hex, radius, time_limit: 3600, seed, names }
    }

    /// The same match on another grid.
    #[must_use]
    pub fn with_grid(mut self, grid: Grid) -> Self {
        self.grid = grid;
        self
    }

    /// The same match with another time limit in seconds.
    #[must_use]
    pub fn with_time_limit(mut self, seconds: u16) -> Self {
        self.time_limit = seconds;
        self
    }

    /// How many players.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.names.len() as u8
    }

    /// Is every field what the rules allow?
    pub fn check(&self) -> Result<()> {
        let fields = [
            ("grid radius", u64::from(self.radius), 4, 100),
            ("players", self.names.len() as u64, 2, 15),
            ("time limit", self.time_limit.into(), 10, u64::from(u16::MAX)),
        ];
        for (name, value, least, most) in fields {
            if !(least..=most).contains(&value) {
                let problem = format!("{value} is not from {least} to {most}");
                return Err(Error::misuse(name, problem));
            }
        }
        match self.names.iter().find(|name| !(1..=NAME_LENGTH.max).contains(&(name.len() as u64))) {
            Some(name) => Err(Error::misuse("player name", format!("{} bytes", name.len()))),
            None => Ok(()),
        }
    }

    /// The bytes of the configuration, as a tape keeps them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u8(FORM).u8((self.grid == Grid::Square).into()).u8(self.radius).u8(self.players());
        w.u16_be(self.time_limit).u64_be(self.seed);
        for name in &self.names {
            w.u8(name.len() as u8).bytes(name.as_bytes());
        }
        w.into_bytes()
    }

    /// The configuration in these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        match r.u8("form")? {
            FORM => {}
            other => return Err(Error::at(0, "form", ErrorKind::Unknown { code: other.into() })),
        }
        let grid = match r.u8("grid")? {
            0 => Grid::Hex,
            1 => Grid::Square,
            other => {
                let kind = ErrorKind::BadValue { found: other.into(), expected: "0 or 1" };
                return Err(Error::at(1, "grid", kind));
            }
        };
        let (radius, players) = (r.u8("radius")?, r.u8("players")?);
        let (time_limit, seed) = (r.u16_be("time limit")?, r.u64_be("seed")?);
        let names = (0..players).map(|_| read_name(&mut r)).collect::<Result<_>>()?;
        r.finish("configuration")?;
        let config = Self { grid, radius, time_limit, seed, names };
        config.check()?;
        Ok(config)
    }
}

fn read_name(r: &mut Reader<'_>) -> Result<String> {
    let offset = r.offset();
    let length = NAME_LENGTH.check(r.u8("player name")?.into(), offset)?;
    let bytes = r.take(length as usize, "player name")?;
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        Error::at(offset, "player name", ErrorKind::BadSyntax { problem: "not UTF-8".into() })
    })
}
