//! Known sessions, where the environment says where they are: every figure of their notes.

use std::fs;
use std::path::{Path, PathBuf};

use gametape_minewars::{
    Check, Coord, Detection, Dialect, FrameStorage, Grid, ReplayFile, Setup, SetupView,
    WriteOptions, write_file,
};

/// The folder of one dialect's sessions.
fn folder(dialect: Dialect) -> Option<PathBuf> {
    match std::env::var_os("GAMETAPE_CORPUS") {
        Some(root) => Some(Path::new(&root).join("minewars").join(dialect.name())),
        None => {
            println!("skipped: GAMETAPE_CORPUS is not set");
            None
        }
    }
}

/// Name, bytes and notes of every session of a dialect that has notes.
fn sessions(dialect: Dialect) -> Vec<(String, Vec<u8>, String)> {
    let Some(folder) = folder(dialect) else { return Vec::new() };
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".info.txt").map(str::to_owned))
        .map(|name| {
            let bytes = fs::read(folder.join(format!("{name}.minewars"))).unwrap();
            let notes = fs::read_to_string(folder.join(format!("{name}.info.txt"))).unwrap();
            (name, bytes, notes)
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// What is after `'key': ` in the notes.
fn after<'a>(notes: &'a str, key: &str) -> &'a str {
    let key = format!("'{key}': ");
    let start = notes.find(&key).unwrap_or_else(|| panic!("no {key}")) + key.len();
    &notes[start..]
}

fn figure(notes: &str, key: &str) -> u64 {
    let rest = after(notes, key);
    rest[..rest.find([',', '}']).unwrap()].parse().unwrap()
}

/// The elements of a flat list of quoted texts.
fn texts<'a>(notes: &'a str, key: &str) -> Vec<&'a str> {
    let list = after(notes, key);
    let list = &list[1..list.find(']').unwrap()];
    list.split('\'').skip(1).step_by(2).collect()
}

/// The elements of a list of lists of numbers.
fn code_lists(notes: &str, key: &str) -> Vec<Vec<u8>> {
    let list = after(notes, key);
    let end = list.find("]]").map_or(0, |end| end + 1);
    list[..end]
        .split(']')
        .filter_map(|inner| inner.rsplit_once('['))
        .map(|(_, codes)| codes.split(", ").map(|code| code.parse().unwrap()).collect())
        .collect()
}

fn positions(setup: &SetupView<'_>) -> Vec<String> {
    setup.city_positions().unwrap().map(|at| at.to_string()).collect()
}

/// The figures that both generations note.
fn assert_figures(file: &ReplayFile<'_>, notes: &str) {
    let (header, setup) = (file.header(), file.setup());
    let is = setup.header();
    assert_eq!(u64::from(header.frames_stored), figure(notes, "clen"));
    assert_eq!(u64::from(header.frames_raw), figure(notes, "rlen"));
    assert_eq!(u64::from(is.flags), figure(notes, "flags"));
    assert_eq!(u64::from(is.radius), figure(notes, "size"));
    assert_eq!(u64::from(is.city_count), figure(notes, "nc"));
    assert_eq!(u64::from(is.max_player), figure(notes, "maxp"));
    assert_eq!(u64::from(is.map_stored), figure(notes, "mc"));
    assert_eq!(u64::from(is.map_raw), figure(notes, "mr"));
    assert_eq!(is.grid() == Grid::Square, after(notes, "sq").starts_with("True"));
    assert_eq!(positions(setup), texts(notes, "cits"));
    assert_eq!(setup.map_bytes().unwrap().len() as u64, figure(notes, "mr_calc"));
    assert_eq!(file.frames().unwrap().bytes.len() as u64, figure(notes, "rlen"));
}

/// What was read and is written again is the same: byte by byte where nothing is compressed.
fn assert_rewrite(file: &ReplayFile<'_>, bytes: &[u8]) {
    let setup = file.setup().to_setup().unwrap();
    let data = file.setup().data();
    let header_end = file.setup().data_offset() as usize;
    if !file.setup().is_map_compressed() {
        let encoded = setup.encode(false).unwrap();
        assert_eq!(encoded.data, data);
        assert_eq!(encoded.header, bytes[header_end - encoded.header.len()..header_end]);
    }
    let frames = file.frames().unwrap();
    if frames.storage == FrameStorage::Raw && !file.setup().is_map_compressed() {
        let raw = WriteOptions::new().with_compress(false);
        assert_eq!(write_file(&setup, &frames.bytes, &raw).unwrap(), bytes);
    }
    let again = write_file(&setup, &frames.bytes, &WriteOptions::default()).unwrap();
    let again = ReplayFile::open(&again).unwrap();
    assert_eq!(again.setup().to_setup().unwrap(), setup);
    assert_eq!(again.frames().unwrap().bytes, frames.bytes);
}

fn open_intact(dialect: Dialect, bytes: &[u8]) -> ReplayFile<'_> {
    let file = ReplayFile::open(bytes).unwrap();
    assert_eq!((file.dialect(), file.detection()), (dialect, Detection::Checksum));
    assert_eq!(file.faults(), []);
    file
}

#[test]
fn current_sessions_are_as_noted() {
    for (name, bytes, notes) in sessions(Dialect::Current) {
        println!("{name}");
        let file = open_intact(Dialect::Current, &bytes);
        assert_figures(&file, &notes);
        let is = file.setup().header();
        assert_eq!(u64::from(is.max_sub_player), figure(&notes, "maxs"));
        assert_eq!(u64::from(is.rules_length), figure(&notes, "rules"));
        assert_eq!(u64::from(is.city_names_length), figure(&notes, "cn"));
        let names = file.setup().city_names().unwrap();
        let codes: Vec<Vec<u8>> = names.iter().map(|name| name.codes().to_vec()).collect();
        assert_eq!(codes, code_lists(&notes, "citnames"));
        assert_ne!(file.frames().unwrap().storage, FrameStorage::Lz4Dictionary);
        assert_rewrite(&file, &bytes);
    }
}

#[test]
fn v01_sessions_are_as_noted_and_unpack_with_the_dictionary() {
    for (name, bytes, notes) in sessions(Dialect::V01) {
        println!("{name}");
        let file = open_intact(Dialect::V01, &bytes);
        assert_figures(&file, &notes);
        assert_eq!(u64::from(file.setup().header().player_names_length), figure(&notes, "nl"));
        let names = file.setup().player_names().unwrap().unwrap();
        assert_eq!(names.len() as u64, figure(&notes, "np"));
        assert_eq!(names, texts(&notes, "names"));
        let is_raw = figure(&notes, "clen") == figure(&notes, "rlen");
        let expected = if is_raw { FrameStorage::Raw } else { FrameStorage::Lz4Dictionary };
        assert_eq!(file.frames().unwrap().storage, expected);
        assert_rewrite(&file, &bytes);
        assert_dictionary_round_trip(&file);
    }
}

fn assert_dictionary_round_trip(file: &ReplayFile<'_>) {
    let (setup, frames) = (file.setup().to_setup().unwrap(), file.frames().unwrap().bytes);
    let options = WriteOptions::new().with_dictionary(true);
    let again = write_file(&setup, &frames, &options).unwrap();
    assert_eq!(ReplayFile::open(&again).unwrap().frames().unwrap().bytes, frames);
}

/// The session of the same name, read in another dialect.
fn twin(dialect: Dialect, name: &str) -> Option<Setup> {
    let bytes = fs::read(folder(dialect)?.join(format!("{name}.minewars"))).ok()?;
    Some(ReplayFile::open_as(&bytes, dialect).unwrap().setup().to_setup().unwrap())
}

#[test]
fn the_same_session_has_the_same_map_in_every_dialect() {
    let mut compared = Vec::new();
    for (name, bytes, _) in sessions(Dialect::Current) {
        let setup = ReplayFile::open(&bytes).unwrap().setup().to_setup().unwrap();
        for dialect in [Dialect::V01, Dialect::MwDatatool] {
            let Some(other) = twin(dialect, &name) else { continue };
            assert_eq!(other.map, setup.map, "{name} in {dialect}");
            let at = |setup: &Setup| setup.cities.iter().map(|city| city.at).collect::<Vec<_>>();
            assert_eq!(at(&other), at(&setup), "{name} in {dialect}");
            compared.push((dialect, setup.grid()));
        }
    }
    if folder(Dialect::Current).is_some() {
        assert!(compared.contains(&(Dialect::MwDatatool, Grid::Hex)));
        assert!(compared.contains(&(Dialect::V01, Grid::Square)));
    }
}

#[test]
fn files_of_the_public_tool_are_as_it_describes_them() {
    for (name, bytes, notes) in sessions(Dialect::MwDatatool) {
        println!("{name}");
        let file = ReplayFile::open_as(&bytes, Dialect::MwDatatool).unwrap();
        assert_eq!(file.faults(), []);
        let line = |start: &str| {
            notes.lines().find_map(|line| line.strip_prefix(start)).unwrap().trim().to_owned()
        };
        let checksums =
            ["Header", "ISData", "Frames"].map(|part| line(&format!("{part} checksum:")));
        let computed = file.checks().into_iter().map(|check| format!("{:016x}", check.computed));
        assert!(computed.eq(checksums));
        let is = file.setup().header();
        assert_eq!(is.radius.to_string(), line("Map Size:"));
        assert_eq!(is.map_stored.to_string(), line("MapData length (compressed):"));
        assert_eq!(is.map_raw.to_string(), line("MapData length (raw):"));
        assert_eq!(is.max_player.to_string(), line("Maximum PlayerId:"));
        assert_eq!(is.max_sub_player.to_string(), line("Maximum PlayerSubId:"));
        let cities = file.setup().to_setup().unwrap().cities;
        for (id, city) in cities.iter().enumerate() {
            let Coord { y, x } = city.at;
            assert_eq!(line(&format!("{id}:")), format!("Y:{y},X:{x} \"{}\"", city.name));
        }
    }
}

/// The tool put both cities where its own map does not reach, which a check says.
#[test]
fn a_map_that_the_public_tool_generated_opens() {
    let Some(folder) = folder(Dialect::MwDatatool) else { return };
    let bytes = fs::read(folder.join("genmap_r8.minewars")).unwrap();
    let file = ReplayFile::open_as(&bytes, Dialect::MwDatatool).unwrap();
    let faults = file.faults();
    let items: Vec<&str> = faults.iter().map(gametape_wire::Error::item).collect();
    assert_eq!(items, ["city 0", "city 1"]);
    assert!(file.checks().iter().all(Check::is_ok));
    let setup = file.setup().to_setup().unwrap();
    assert_eq!((setup.cities.len(), setup.map.tile_count()), (2, 217));
    assert_eq!(setup.max_player, 0);
}
