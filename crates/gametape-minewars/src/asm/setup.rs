//! Assembly text of the setup: directives that begin with a dot.

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Place, Result};

use super::payload::{parse_bytes, push_bytes};
use crate::file::{ReplayFile, WriteOptions};
use crate::map::{Coord, Grid, MAX_RADIUS, Map, NO_REGION};
use crate::message::text::{push_quoted, unquote};
use crate::message::tokens::{Token, Tokens};
use crate::setup::CityName;
use crate::setup::{City, Setup, SetupView};

/// Appends the directives for everything before the frames.
///
/// A part that is damaged is left out; a comment says why, and so does the result.
pub fn print_setup(file: &ReplayFile<'_>, out: &mut Vec<u8>) -> Vec<Error> {
    let setup = file.setup();
    let header = setup.header();
    let generation = header.dialect.generation();
    let [a, b, c, d] = header.version;
    push_line(out, format_args!(".generation {generation}"));
    push_line(out, format_args!(".version {a}.{b}.{c}.{d}"));
    push_line(out, format_args!(".grid {}", header.grid()));
    push_line(out, format_args!(".radius {}", header.radius));
    if header.reserved_flags() != 0 {
        push_line(out, format_args!(".reserved-flags {}", header.reserved_flags()));
    }
    push_line(out, format_args!(".players {}", header.max_player));
    if generation == Generation::Current {
        push_line(out, format_args!(".sub-players {}", header.max_sub_player));
    }
    push_line(out, format_args!(".compress {}", storage_word(file)));
    let parts: [PrintPart; 4] = [print_players, print_cities, print_rules, print_map];
    parts
        .iter()
        .filter_map(|print| print(setup, out).err().inspect(|e| push_comment(out, e)))
        .collect()
}

type PrintPart = fn(&SetupView<'_>, &mut Vec<u8>) -> Result<()>;

fn print_players(setup: &SetupView<'_>, out: &mut Vec<u8>) -> Result<()> {
    for name in setup.player_names()?.into_iter().flatten() {
        out.extend_from_slice(b".player ");
        push_quoted(out, name.as_bytes());
        out.push(b'\n');
    }
    Ok(())
}

fn print_cities(setup: &SetupView<'_>, out: &mut Vec<u8>) -> Result<()> {
    let names = setup.city_names();
    let mut spelled = names.as_deref().unwrap_or_default().iter();
    for at in setup.city_positions()? {
        out.extend_from_slice(format!(".city {at}").as_bytes());
        if let Some(name) = spelled.next() {
            push_city_name(out, name);
        }
        out.push(b'\n');
    }
    names.map(drop)
}

/// The spelling where it means exactly these phonemes, the codes otherwise.
fn push_city_name(out: &mut Vec<u8>, name: &CityName<'_>) {
    let text = name.to_string();
    if CityName::from_text(&text).is_ok_and(|spelled| spelled == *name) {
        out.push(b' ');
        push_quoted(out, text.as_bytes());
    } else {
        push_bytes(" codes", name.codes(), out);
        out.extend_from_slice(format!(" ; {text}").as_bytes());
    }
}

fn print_rules(setup: &SetupView<'_>, out: &mut Vec<u8>) -> Result<()> {
    let rules = setup.rules()?;
    if !rules.is_empty() {
        push_bytes(".rules", rules, out);
        out.push(b'\n');
    }
    Ok(())
}

/// One line a ring for tiles, and one for regions where there are any.
fn print_map(setup: &SetupView<'_>, out: &mut Vec<u8>) -> Result<()> {
    let map = setup.map()?;
    let rings = [(".tiles", Some(map.tile_bytes())), (".regions", map.regions())];
    for (word, bytes) in rings {
        let Some(bytes) = bytes else { continue };
        push_line(out, format_args!("; {}", ring_comment(word)));
        for ring in 0..=map.radius() {
            push_bytes(word, &bytes[ring_range(map.grid(), ring)], out);
            out.push(b'\n');
        }
    }
    Ok(())
}

fn ring_comment(word: &str) -> &'static str {
    match word {
        ".tiles" => "two digits a tile, item and kind, ring by ring from the centre",
        _ => "two digits a tile, the city of its region, ff for none",
    }
}

fn ring_range(grid: Grid, ring: u8) -> std::ops::Range<usize> {
    let start = if ring == 0 { 0 } else { grid.tile_count(ring - 1) };
    start..grid.tile_count(ring)
}

fn storage_word(file: &ReplayFile<'_>) -> &'static str {
    match file.write_options() {
        WriteOptions { dictionary: true, .. } => "dictionary",
        WriteOptions { compress: true, .. } => "yes",
        WriteOptions { .. } => "no",
    }
}

fn push_line(out: &mut Vec<u8>, line: std::fmt::Arguments<'_>) {
    out.extend_from_slice(line.to_string().as_bytes());
    out.push(b'\n');
}

fn push_comment(out: &mut Vec<u8>, error: &Error) {
    push_line(out, format_args!("; {error}"));
}

/// The setup as directives describe it so far.
#[derive(Debug)]
pub(crate) struct SetupText {
    generation: Option<Generation>,
    version: Option<[u8; 4]>,
    grid: Grid,
    radius: Option<u8>,
    reserved_flags: u8,
    players: u8,
    sub_players: u8,
    player_names: Vec<String>,
    cities: Vec<City>,
    rules: Vec<u8>,
    tiles: Vec<u8>,
    regions: Vec<u8>,
    pub(crate) options: WriteOptions,
}

impl Default for SetupText {
    fn default() -> Self {
        Self {
            generation: None,
            version: None,
            grid: Grid::Hex,
            radius: None,
            reserved_flags: 0,
            players: 0,
            sub_players: 0,
            player_names: Vec::new(),
            cities: Vec::new(),
            rules: Vec::new(),
            tiles: Vec::new(),
            regions: Vec::new(),
            options: WriteOptions::default(),
        }
    }
}

impl SetupText {
    /// Takes one directive line.
    pub(crate) fn take(&mut self, mut tokens: Tokens<'_>) -> Result<()> {
        let directive = tokens.take("directive")?;
        match directive.text {
            ".generation" => self.generation = Some(one_of(&mut tokens, &Generation::ALL)?),
            ".version" => self.version = Some(version(&mut tokens)?),
            ".grid" => self.grid = one_of(&mut tokens, &Grid::ALL)?,
            ".radius" => self.radius = Some(radius(&mut tokens)?),
            ".reserved-flags" => self.reserved_flags = number(&mut tokens)?,
            ".players" => self.players = number(&mut tokens)?,
            ".sub-players" => self.sub_players = number(&mut tokens)?,
            ".compress" => self.options = storage(&mut tokens)?,
            ".player" => self.player_names.push(player_name(&mut tokens)?),
            ".city" => self.cities.push(city(&mut tokens)?),
            ".rules" => self.rules.extend(parse_bytes(&mut tokens, ".rules")?),
            ".tiles" => self.tiles.extend(parse_bytes(&mut tokens, ".tiles")?),
            ".regions" => self.regions.extend(parse_bytes(&mut tokens, ".regions")?),
            other => {
                let problem = format!("'{other}' is not a known directive");
                return Err(tokens.error(directive, "directive", problem));
            }
        }
        tokens.finish()
    }

    /// The setup, once all directives were taken.
    pub(crate) fn finish(&self) -> Result<Setup> {
        let generation = self.generation.ok_or_else(|| missing(".generation"))?;
        let mut setup = Setup::new(generation, self.map(generation)?);
        setup.version = self.version.unwrap_or(setup.version);
        setup.reserved_flags = self.reserved_flags;
        setup.max_player = self.players;
        setup.max_sub_player = self.sub_players;
        setup.player_names = Some(self.player_names.clone()).filter(|names| !names.is_empty());
        setup.cities = self.cities.clone();
        setup.rules = self.rules.clone();
        Ok(setup)
    }

    fn map(&self, generation: Generation) -> Result<Map> {
        let radius = self.radius.ok_or_else(|| missing(".radius"))?;
        let count = self.grid.tile_count(radius);
        check_count(self.tiles.len(), count, ".tiles")?;
        let regions = if self.regions.is_empty() && !self.cities.is_empty() {
            vec![NO_REGION; count]
        } else {
            self.regions.clone()
        };
        if !regions.is_empty() {
            check_count(regions.len(), count, ".regions")?;
        }
        let raw = [&self.tiles[..], &regions].concat();
        Map::from_bytes(generation.into(), self.grid, radius, &raw, 0)
    }
}

fn check_count(found: usize, needed: usize, directive: &'static str) -> Result<()> {
    if found == needed {
        return Ok(());
    }
    let problem = format!("{found} tiles are given, the map has {needed}").into();
    Err(Error::new(Place::Nowhere, directive, ErrorKind::BadSyntax { problem }))
}

fn missing(directive: &'static str) -> Error {
    let problem = "the text does not begin with this directive".into();
    Error::new(Place::Nowhere, directive, ErrorKind::BadSyntax { problem })
}

/// A word that is the name of one of several things.
fn one_of<T: Copy + std::fmt::Display>(tokens: &mut Tokens<'_>, all: &[T]) -> Result<T> {
    let word = tokens.take("name")?;
    all.iter().copied().find(|one| one.to_string() == word.text).ok_or_else(|| {
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        let problem = format!("'{}' is not one of {}", word.text, names.join(", "));
        tokens.error(word, "directive", problem)
    })
}

fn number(tokens: &mut Tokens<'_>) -> Result<u8> {
    let word = tokens.take("number")?;
    parse_number(tokens, word, word.text)
}

fn parse_number(tokens: &Tokens<'_>, word: Token<'_>, text: &str) -> Result<u8> {
    text.parse().map_err(|_| {
        tokens.error(word, "directive", format!("'{text}' is not a number from 0 to 255"))
    })
}

fn radius(tokens: &mut Tokens<'_>) -> Result<u8> {
    let word = tokens.take("radius")?;
    let radius = parse_number(tokens, word, word.text)?;
    if u64::from(radius) > MAX_RADIUS.max {
        return Err(tokens.error(word, ".radius", format!("at most {}", MAX_RADIUS.max)));
    }
    Ok(radius)
}

fn version(tokens: &mut Tokens<'_>) -> Result<[u8; 4]> {
    let word = tokens.take("version")?;
    let numbers: Result<Vec<u8>> =
        word.text.split('.').map(|number| parse_number(tokens, word, number)).collect();
    numbers?.try_into().map_err(|_| tokens.error(word, ".version", "a version has four numbers"))
}

fn storage(tokens: &mut Tokens<'_>) -> Result<WriteOptions> {
    let (compress, dictionary) = match one_of(tokens, &["yes", "no", "dictionary"])? {
        "yes" => (true, false),
        "no" => (false, false),
        _ => (true, true),
    };
    Ok(WriteOptions { compress, dictionary })
}

fn player_name(tokens: &mut Tokens<'_>) -> Result<String> {
    let word = tokens.take("player name")?;
    quoted(tokens, word, "player name")
}

fn city(tokens: &mut Tokens<'_>) -> Result<City> {
    let word = tokens.take("position of the city")?;
    let at =
        Coord::parse(word.text).ok_or_else(|| tokens.error(word, ".city", "a city is at y,x"))?;
    let name = match tokens.take_optional() {
        None => CityName::default(),
        Some(codes) if codes.text == "codes" => parse_bytes(tokens, "city name")?.into(),
        Some(name) => CityName::from_text(&quoted(tokens, name, "city name")?)
            .map_err(|error| tokens.locate(error, name))?,
    };
    Ok(City { at, name })
}

fn quoted(tokens: &Tokens<'_>, word: Token<'_>, item: &'static str) -> Result<String> {
    let Some(text) = word.text.strip_prefix('"') else {
        return Err(tokens.error(word, item, "a name is in quotes"));
    };
    let bytes = unquote(tokens, word, text, item)?;
    String::from_utf8(bytes).map_err(|_| tokens.error(word, item, "a name is UTF-8"))
}
