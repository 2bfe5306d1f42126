//! MineWars messages, assembly text, setups, files and states.

use crate::Seed;
use gametape_minewars::sample::Sample;
use gametape_minewars::{
    Check, Dialect, Grid, ItemKind, Line, Lines, Map, Message, Messages, Packer, RepairOptions,
    ReplayFile, Setup, SetupView, Tile, TileKind, ViewState, WriteOptions, assemble_file,
    assemble_payload, print_frame, print_raw, print_setup, repair, verify, write_file,
};
use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_wire::{ErrorClass, Result, View, ViewSet};

/// Where payloads are in the imagined whole input.
const BASE: u64 = 1 << 40;

/// A payload read in any dialect: messages cover it up to what cannot be read, encode back one by
/// one and together, print and assemble back, and pack to the same changes.
///
/// The input is a byte that gives the dialect, then the payload.
pub fn message(data: &[u8]) {
    let Some((&selector, payload)) = data.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(selector) % Dialect::ALL.len()];
    let read = messages_cover_the_payload(payload, dialect);
    visiting_is_the_same(payload, dialect);
    if dialect != Dialect::MwDatatool {
        text_gives_the_payload_back(payload, dialect);
        packing_keeps_the_changes(&payload[..read], dialect.generation());
        encoding_together_is_the_same(&payload[..read], dialect.generation());
    }
}

/// Returns how many bytes could be read.
fn messages_cover_the_payload(payload: &[u8], dialect: Dialect) -> usize {
    let mut messages = Messages::new(payload, BASE, dialect);
    loop {
        let before = messages.rest();
        let start = messages.offset();
        match messages.next() {
            None => break,
            Some(Ok(message)) => {
                let wire = &before[..before.len() - messages.rest().len()];
                assert!(!wire.is_empty());
                message_comes_back(&message, wire, dialect);
            }
            Some(Err(error)) => {
                assert!(matches!(error.class(), ErrorClass::Truncated | ErrorClass::Unsupported));
                assert!(error.offset().is_some_and(|at| at >= start));
                assert_eq!(messages.rest(), before);
                assert!(messages.next().is_none());
                return payload.len() - before.len();
            }
        }
    }
    payload.len()
}

/// What a message is encoded to decodes to the same message, and is the same bytes unless two
/// bytes mean the same duration.
fn message_comes_back(message: &Message<'_>, wire: &[u8], dialect: Dialect) {
    let generation = dialect.generation();
    let mut encoded = Vec::new();
    let Ok(fit) = message.encode(generation, &mut encoded) else {
        assert_eq!(dialect, Dialect::MwDatatool, "what was read can be written: {message:?}");
        assert!(encoded.is_empty(), "a refused message writes nothing");
        return;
    };
    assert_eq!(fit, gametape_minewars::Fit::Exact);
    assert_eq!(encoded.len(), wire.len());
    let again = Messages::new(&encoded, 0, generation.into()).next();
    assert_eq!(again, Some(Ok(*message)));
}

fn visiting_is_the_same(payload: &[u8], dialect: Dialect) {
    let walked: Vec<Message<'_>> = Messages::new(payload, BASE, dialect).flatten().collect();
    let mut visited = Vec::new();
    let mut bytes = Vec::new();
    let mut messages = Messages::new(payload, BASE, dialect);
    let result = messages.visit(|message, wire| {
        visited.push(message);
        bytes.extend_from_slice(wire);
    });
    assert_eq!(visited, walked);
    assert_eq!([&bytes, messages.rest()].concat(), payload);
    assert_eq!(result.is_ok(), messages.rest().is_empty());
}

/// Messages written straight into a frame are those written one by one, where there is room for them.
fn encoding_together_is_the_same(payload: &[u8], generation: Generation) {
    let messages: Vec<Message<'_>> =
        Messages::new(payload, BASE, generation.into()).flatten().collect();
    let mut alone = Vec::new();
    assert!(messages.iter().all(|message| message.encode(generation, &mut alone).is_ok()));
    let Ok(layout) = FrameLayout::new(generation, View::SPECTATOR) else { return };
    let (mut together, mut copied) = (FrameWriter::new(layout), FrameWriter::new(layout));
    let views = ViewSet::EMPTY.with(View::SPECTATOR);
    let written = together.homogenous_messages(1, views, &messages).is_ok();
    assert_eq!(written, copied.homogenous(1, views, &alone).is_ok(), "{} bytes", alone.len());
    assert_eq!(together.as_bytes(), copied.as_bytes());
}

fn text_gives_the_payload_back(payload: &[u8], dialect: Dialect) {
    let mut text = Vec::new();
    for line in Lines::new(payload, BASE, dialect) {
        line.print(dialect, &mut text);
        line.print_comment(&mut text);
        text.push(b'\n');
        if let Line::Unreadable(_, rest) = line {
            assert!(!rest.is_empty());
        }
    }
    let text = as_text(text);
    let assembled = assemble_payload(&text, dialect);
    assert_eq!(assembled.map(|(bytes, _)| bytes), Ok(payload.to_vec()), "{text}");
}

/// Text that this stack printed is UTF-8.
fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| panic!("printed text is not UTF-8: {error}"))
}

fn packing_keeps_the_changes(payload: &[u8], generation: Generation) {
    let mut packer = Packer::new(generation);
    for message in Messages::new(payload, 0, generation.into()).flatten() {
        assert!(packer.push(&message).is_ok());
    }
    let packed = packer.finish();
    let Ok(packed) = packed else { panic!("what was read can be packed") };
    assert!(packed.len() <= payload.len());
    assert_eq!(changes(&packed, generation), changes(payload, generation));
}

/// The messages one tile at a time, as text.
fn changes(payload: &[u8], generation: Generation) -> Vec<String> {
    let mut changes = Vec::new();
    for message in Messages::new(payload, 0, generation.into()).flatten() {
        match message {
            Message::Explosions { tiles } => {
                changes.extend(tiles.iter().map(|tile| format!("explosion {tile}")));
            }
            Message::Owner { player, tiles } => {
                changes.extend(tiles.iter().map(|tile| format!("owner {player} {tile}")));
            }
            Message::DigitSingle { digit } => changes.push(format!("{digit:?}")),
            Message::DigitRun { digits } => {
                changes.extend(digits.iter().map(|digit| format!("{digit:?}")));
            }
            other => changes.push(format!("{other:?}")),
        }
    }
    changes
}

/// Any text: the assembler never fails but with errors that point into it, and what it accepts
/// prints and assembles to the same bytes.
///
/// The input is a byte that gives the dialect, then the text.
pub fn assembly(data: &[u8]) {
    let Some((&selector, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let generation = Generation::ALL[usize::from(selector) % Generation::ALL.len()];
    match assemble_payload(&text, generation.into()) {
        Ok((payload, _)) => text_gives_the_payload_back(&payload, generation.into()),
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(error.to_string().contains("line "), "{error:?}");
            }
        }
    }
    if let Ok(assembled) = assemble_file(&text)
        && let Ok(file) = assembled.to_file()
    {
        let Ok(file) = ReplayFile::open(&file) else { panic!("what was written opens") };
        assert_eq!(file.setup().to_setup(), Ok(assembled.setup));
        assert_eq!(file.frames().map(|frames| frames.bytes.into_owned()), Ok(assembled.frames));
    }
}

/// Any bytes as a setup in any dialect: no part stops another, and a setup that can be read and
/// written reads the same again.
pub fn setup(data: &[u8]) {
    let Some((&selector, bytes)) = data.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(selector) % Dialect::ALL.len()];
    let Ok(view) = SetupView::parse(bytes, dialect, BASE) else { return };
    for fault in view.faults() {
        assert!(fault.offset().is_none_or(|at| at >= BASE), "{fault}");
    }
    let Ok(setup) = view.to_setup() else { return };
    if dialect == Dialect::MwDatatool {
        return;
    }
    for compress in [false, true] {
        // v0.1 reads reserved bits of a tile that it never writes.
        let Ok(encoded) = setup.encode(compress) else { continue };
        let bytes = encoded.into_bytes();
        let again = SetupView::parse(&bytes, dialect, 0).and_then(|view| view.to_setup());
        assert_eq!(again.as_ref(), Ok(&setup));
    }
}

/// Any bytes as a file: every part is read or reported, the text of whole files assembles to the
/// same frames, and a repaired file is sound.
pub fn file(data: &[u8]) {
    let Ok(file) = ReplayFile::open(data) else { return };
    let verification = verify(&file);
    let faults = file.faults();
    assert!(faults.is_empty() || !verification.report().findings().is_empty());
    if let Ok(repaired) = repair(data, None, RepairOptions::default()) {
        let Ok(again) = ReplayFile::open(&repaired.bytes) else { panic!("a repaired file opens") };
        assert!(again.checks().iter().all(Check::is_ok));
        let found = verify(&again);
        assert!(found.is_ok(), "a repaired file is sound: {:?}", found.report().findings().first());
    }
    let Some((text, frames)) = text_of(&file) else { return };
    let Ok(assembled) = assemble_file(&text) else {
        panic!("the text of a whole file assembles:\n{text}")
    };
    assert_eq!(Ok(&assembled.setup), file.setup().to_setup().as_ref());
    assert_eq!(assembled.frames, frames);
}

/// The text and the frames of a file of which all parts can be read.
fn text_of(file: &ReplayFile<'_>) -> Option<(String, Vec<u8>)> {
    let setup = file.setup().to_setup().ok()?;
    // What is read but never written has no text that assembles.
    setup.encode(false).ok()?;
    let frames = file.frames().ok()?.bytes;
    let mut text = Vec::new();
    if !print_setup(file, &mut text).is_empty() {
        return None;
    }
    let mut stream = Frames::new(file.frame_layout().ok()?, &frames);
    for frame in stream.by_ref().flatten() {
        print_frame(&frame, file.dialect(), &mut text);
    }
    if !stream.rest().is_empty() {
        print_raw(stream.rest(), "cut", &mut text);
    }
    Some((as_text(text), frames.into_owned()))
}

/// Any bytes as a state: refused, or exactly the canonical form of what they restore.
pub fn state(data: &[u8]) {
    let Ok(start) = small_state() else { return };
    if let Ok(state) = start.restore(data) {
        assert_eq!(state.to_bytes(), data);
    }
}

fn small_state() -> Result<ViewState> {
    let mountain = Tile { kind: TileKind::Mountain, item: ItemKind::None };
    let map = Map::new(Grid::Hex, 1, mountain)?;
    Ok(ViewState::new(&map, View::SPECTATOR, Generation::Current))
}

/// A session with every kind of message, as small as that allows.
fn rich_session(generation: Generation) -> Result<(Setup, Vec<u8>)> {
    Sample { radius: 3, players: 2, cities: 2, moments: 130, ..Sample::default() }.build(generation)
}

/// A session of a few moments: small inputs are what the fuzzer gets furthest with.
fn small_session(generation: Generation) -> Result<(Setup, Vec<u8>)> {
    Sample { radius: 2, players: 2, cities: 1, moments: 9, ..Sample::default() }.build(generation)
}

/// Payloads of [`message`]: everything that one view of a session receives.
pub fn message_seeds() -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for (name, dialect) in
        [("v01", Dialect::V01), ("current", Dialect::Current), ("tool", Dialect::MwDatatool)]
    {
        let (setup, frames) = rich_session(dialect.generation())?;
        let layout = gametape_minewars::FrameLayout::new(dialect.generation(), setup.max_view())?;
        let mut input = vec![dialect as u8];
        for frame in Frames::new(layout, &frames).flatten() {
            input.extend_from_slice(frame.view(View::SPECTATOR).unwrap_or_default());
        }
        seeds.push(Seed::new(name, input));
    }
    Ok(seeds)
}

/// Texts of [`assembly`]: whole files and bare messages.
pub fn assembly_seeds() -> Result<Vec<Seed>> {
    let (setup, frames) = small_session(Generation::Current)?;
    let file = write_file(&setup, &frames, &WriteOptions::default())?;
    let whole = text_of(&ReplayFile::open(&file)?).map(|(text, _)| text).unwrap_or_default();
    let bare = "PLAYER 1/0 JOIN \"Ana \\x41\"\nPLAYER 2 TIMEOUT 123\nOWNER 1 1,1 1,2 1,3 1,4 1,5 \
                1,6 1,7 1,8 1,9\nDIGITS 0/1,1 1*/1,2 ; comment\nBYTES 80 0101 3f\nNOP\n";
    let input = |selector: u8, text: &str| [&[selector], text.as_bytes()].concat();
    Ok(vec![
        Seed::new("whole-file", input(1, &whole)),
        Seed::new("bare-v01", input(0, bare)),
        Seed::new("bare-current", input(1, bare)),
        Seed::new("wrong", input(1, "OWNER 0 1,1\nTILE 1 2\nPLAYER\n.radius 300\n\"\n")),
    ])
}

/// Setups of [`setup`] in every dialect, stored raw and packed.
pub fn setup_seeds() -> Result<Vec<Seed>> {
    let mut seeds = Vec::new();
    for (name, dialect, compress) in [
        ("v01-raw", Dialect::V01, false),
        ("v01-packed", Dialect::V01, true),
        ("current-raw", Dialect::Current, false),
        ("current-packed", Dialect::Current, true),
    ] {
        let (setup, _) = small_session(dialect.generation())?;
        let encoded = setup.encode(compress)?;
        seeds
            .push(Seed::new(name, [&[dialect as u8], &encoded.header[..], &encoded.data].concat()));
    }
    Ok(seeds)
}

/// Files of [`file()`] in both generations, stored in every way.
pub fn file_seeds() -> Result<Vec<Seed>> {
    let raw = WriteOptions::new().with_compress(false);
    let packed = WriteOptions::new();
    let dictionary = WriteOptions::new().with_dictionary(true);
    [
        ("v01-raw", Generation::V01, &raw),
        ("v01-packed", Generation::V01, &packed),
        ("v01-dictionary", Generation::V01, &dictionary),
        ("current-raw", Generation::Current, &raw),
        ("current-packed", Generation::Current, &packed),
    ]
    .into_iter()
    .map(|(name, generation, options)| {
        let (setup, frames) = small_session(generation)?;
        Ok(Seed::new(name, write_file(&setup, &frames, options)?))
    })
    .collect()
}

/// States of [`state`]: as it begins, and after a good deal happened.
pub fn state_seeds() -> Result<Vec<Seed>> {
    let start = small_state()?;
    let mut later = start.clone();
    let (_, frames) = rich_session(Generation::Current)?;
    let layout = gametape_minewars::FrameLayout::new(Generation::Current, View::SPECTATOR)?;
    for frame in Frames::new(layout, &frames).flatten() {
        let payload = frame.view(View::SPECTATOR).unwrap_or_default();
        for message in Messages::new(payload, 0, Dialect::Current).flatten() {
            // The session's map is larger; what is off this one is left out.
            let _ = later.apply(&message);
        }
    }
    Ok(vec![Seed::new("start", start.to_bytes()), Seed::new("later", later.to_bytes())])
}
