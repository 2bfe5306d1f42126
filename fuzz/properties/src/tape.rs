//! Tapes: the container, what is in its chunks, snapshots and deltas.

use crate::Seed;
use gametape_tape::{
    Chunk, ChunkDraft, ChunkKind, Codec, DeltaSnapshot, Gap, GapCause, Keyframe, Level, NameTable,
    Recovered, Recovery, Resource, Signature, SigningKey, SimSnapshot, Summary, Tape, TapeFrames,
    TapeHeader, TapeWriter, UnitTag, cut_bytes, pack_bytes, recover_bytes, repair_bytes,
    verify_bytes,
};
use gametape_wire::{
    Error, Finding, Result, SansIo, Severity, Tick, TickLength, View, ViewSet, drive,
};

/// Any bytes: what is whole and what is damaged covers them, following them while they grow finds
/// the same, and what is repaired, packed or cut is a right tape.
pub fn tape(data: &[u8]) {
    let found = Recovered::from_bytes(data);
    everything_is_accounted_for(data, &found);
    growing_finds_the_same(data, &found);
    let verified = verify_bytes(data, Level::Chain, None).map(|report| report.passed());
    let opened = Tape::open(data);
    if verified == Ok(true) {
        assert!(found.is_undamaged() && found.is_finished);
        assert_eq!(opened.as_ref().map(|tape| &tape.chunks), Ok(&found.chunks));
        let packed = must(pack_bytes(data));
        assert!(passes(&packed));
        assert_eq!(must(pack_bytes(&packed)), packed);
        if must(Tape::open(data)).check_views(one_view()).is_ok() {
            assert!(passes(&must(cut_bytes(data, one_view(), 7)).bytes));
        }
    } else if opened.is_ok() {
        drop((pack_bytes(data), cut_bytes(data, one_view(), 7)));
    }
    if let Ok(repaired) = repair_bytes(data, None, 7) {
        let again = Recovered::from_bytes(&repaired.bytes);
        assert!(again.is_undamaged() && again.is_finished);
        assert!(passes(&repaired.bytes));
    }
    if let Ok((_, recovered)) = recover_bytes(data, None, 7) {
        assert!(passes(&recovered.bytes));
        assert_eq!(must(recover_bytes(&recovered.bytes, None, 8)).1.bytes, recovered.bytes);
    }
}

fn one_view() -> ViewSet {
    ViewSet::from_bits(0b10)
}

/// What was made by this stack from what it read can be read.
fn must<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn passes(bytes: &[u8]) -> bool {
    verify_bytes(bytes, Level::Chain, None).is_ok_and(|report| report.passed())
}

/// Chunks and damages do not overlap, and every whole chunk can be read where it is.
fn everything_is_accounted_for(data: &[u8], found: &Recovered) {
    let mut ranges: Vec<_> = found.damages.iter().map(|damage| damage.range.clone()).collect();
    for entry in &found.chunks {
        let range = entry.range();
        let bytes = &data[range.start as usize..range.end as usize];
        assert_eq!(must(entry.read(bytes)).header, entry.header);
        ranges.push(range);
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
    assert!(ranges.last().is_none_or(|range| range.end <= data.len() as u64));
}

/// The tape grows by a prime number of bytes whenever its reader waits.
fn growing_finds_the_same(data: &[u8], expected: &Recovered) {
    let mut recovery = Recovery::growing();
    let mut there = 0;
    while there < data.len() {
        there = data.len().min(there + 997);
        recovery.grow(there as u64);
        must(drive(&mut recovery, &mut &data[..there]));
    }
    recovery.close(data.len() as u64);
    must(drive(&mut recovery, &mut &*data));
    assert!(recovery.need().is_ready());
    let found = recovery.finish();
    let kept = |found: &Recovered| -> Vec<u64> { found.chunks.iter().map(|c| c.offset).collect() };
    if expected.is_undamaged() {
        assert_eq!(kept(&found), kept(expected));
        assert!(found.is_undamaged());
    }
}

/// Any content with right checksums: it is read or refused, and survives every rewrite.
///
/// The input is the kind, the views, the first tick, then the raw bytes.
pub fn chunk(data: &[u8]) {
    let Some((&[kind, views, tick, codec], raw)) = data.split_first_chunk() else { return };
    let Ok(bytes) = tape_with(kind, views, tick, raw) else { return };
    let tape = must(Tape::open(&bytes));
    assert!(tape.is_finished());
    let entry = &tape.chunks[1];
    let mut chunk = must(tape.read(entry, &bytes));
    assert_eq!(must(chunk.raw()), raw);
    content_is_read_or_refused(&chunk, raw);
    frames_are_cut_to_a_view(&chunk, raw, &bytes);
    let report = must(verify_bytes(&bytes, Level::Chain, None));
    assert!(report.findings().iter().all(is_about_content));
    let packed = must(pack_bytes(&bytes));
    assert_eq!(must(Tape::open(&packed)).chunks[1].header, entry.header);
    drop(Summary::read(raw, 0).map(|summary| {
        assert_eq!(Summary::read(&summary.to_bytes(), 0), Ok(summary));
    }));
    // The raw bytes taken for stored ones of another codec.
    chunk.stored = raw;
    chunk.header.codec = Codec(codec % 4);
    chunk.header.raw_length = u32::from(codec) * 1000;
    if let Ok(unpacked) = chunk.raw() {
        assert!(codec % 4 == 0 || unpacked.len() == usize::from(codec) * 1000);
    }
}

/// Is nothing wrong with the container around a chunk?
fn is_about_content(finding: &Finding) -> bool {
    finding.severity == Severity::Warning || finding.rule == Level::Structure.name()
}

fn tape_with(kind: u8, views: u8, tick: u8, raw: &[u8]) -> Result<Vec<u8>> {
    let mut writer = TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 1), b"{}")?;
    let views = if views == u8::MAX { ViewSet::ALL } else { ViewSet::from_bits(views.into()) };
    let draft = ChunkDraft::new(ChunkKind(kind)).with_views(views).with_ticks(Tick(tick.into()), 0);
    writer.chunk(&draft, raw)?;
    whole(writer)
}

fn whole(mut writer: TapeWriter) -> Result<Vec<u8>> {
    Ok([writer.take(), writer.finish()?].concat())
}

fn content_is_read_or_refused(chunk: &Chunk<'_>, raw: &[u8]) {
    let mut names = NameTable::default();
    drop(names.add(chunk));
    drop((Gap::read(chunk), Signature::read(chunk)));
    if let Ok(resource) = Resource::read(chunk) {
        assert!(raw.ends_with(resource.content()));
    }
}

/// Every frame's parts are its views', and a cut to one view has exactly that view's.
fn frames_are_cut_to_a_view(chunk: &Chunk<'_>, raw: &[u8], bytes: &[u8]) {
    let view = View::SPECTATOR;
    let frames: Result<Vec<_>> = TapeFrames::new(&chunk.header, raw).collect();
    for frame in frames.iter().flatten() {
        let views = frame.parts().fold(ViewSet::EMPTY, |views, part| {
            assert!(views.and(part.views).is_empty());
            views.or(part.views)
        });
        assert_eq!(views, frame.views);
    }
    let Ok(frames) = frames else { return };
    if chunk.header.kind != ChunkKind::FRAMES {
        return;
    }
    let expected: Vec<(Tick, &[u8])> =
        frames.iter().filter_map(|frame| Some((frame.tick, frame.view(view)?))).collect();
    let Ok(cut) = cut_bytes(bytes, ViewSet::EMPTY.with(view), 2) else {
        // Refused where the tape says that it does not have the view, whatever is in its frames.
        assert!(expected.is_empty() || !chunk.header.views.contains(view));
        return;
    };
    let cut = cut.bytes;
    let tape = must(Tape::open(&cut));
    let mut received = Vec::new();
    for entry in tape.stream(ChunkKind::FRAMES, 0) {
        let chunk = must(tape.read(entry, &cut));
        let raw = must(chunk.raw());
        for frame in TapeFrames::new(&chunk.header, &raw) {
            let frame = must(frame);
            assert_eq!(frame.views, ViewSet::EMPTY.with(view));
            received.push((frame.tick, frame.view(view).unwrap_or_default().to_vec()));
        }
    }
    assert!(received.iter().map(|(tick, bytes)| (*tick, &bytes[..])).eq(expected));
}

/// Snapshots and deltas have one form, and a delta either fits its state or leaves it alone.
///
/// The input is the length of the snapshot as two bytes, the snapshot, the delta.
pub fn snapshot(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk() else { return };
    let length = usize::from(u16::from_le_bytes(*length)).min(rest.len());
    let (state, delta) = rest.split_at(length);
    let state = SimSnapshot::read(state).inspect(|read| assert_eq!(read.to_bytes(), state));
    let delta = DeltaSnapshot::read(delta).inspect(|read| assert_eq!(read.to_bytes(), delta));
    if let (Ok(mut state), Ok(mut delta)) = (state, delta) {
        let before = state.clone();
        // Damage elsewhere than in the hash of the baseline is looked at too.
        delta.core.baseline_hash = state.state_hash();
        match state.apply(&delta) {
            Ok(()) => assert_eq!(state.state_hash(), delta.core.state_hash),
            Err(_) => assert_eq!(state, before),
        }
        if before.core.tick <= state.core.tick {
            two_states_have_a_delta(&before, &state);
        }
    }
}

fn two_states_have_a_delta(old: &SimSnapshot, new: &SimSnapshot) {
    if let Ok(delta) = DeltaSnapshot::between(old, new) {
        let mut state = old.clone();
        assert_eq!(state.apply(&delta), Ok(()));
        assert_eq!(&state, new);
    }
}

/// Tapes: finished, packed, unfinished, signed, damaged.
pub fn tape_seeds() -> Result<Vec<Seed>> {
    let finished = whole(filled()?)?;
    let mut signed = TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 1), b"{}")?;
    signed.sign(&SigningKey::from_seed(&[7; 32]))?;
    let mut damaged = finished.clone();
    damaged[300..310].fill(0);
    Ok(vec![
        Seed::new("packed", pack_bytes(&finished)?),
        Seed::new("unfinished", filled()?.take()),
        Seed::new("signed", whole(signed)?),
        Seed::new("finished", finished),
        Seed::new("damaged", damaged),
    ])
}

fn filled() -> Result<TapeWriter> {
    let [one, two] = [1, 2].map(|number| View::new(number).unwrap_or(View::SPECTATOR));
    let mut tape = TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 1), b"{}")?;
    tape.setup(0, ViewSet::ALL, b"setup")?;
    tape.names(&["tank"])?;
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0)?))?;
    tape.frame(0, Tick(3), &[(one, b"a"), (two, b"b")])?;
    tape.order(0, Tick(3), one, b"go")?;
    let delta = DeltaSnapshot::between(&state(0)?, &state(9)?)?;
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta))?;
    tape.gap(&Gap::new(GapCause::SHED, ChunkKind::EVENTS).with_size(2, 0).with_ticks(Tick(4), 2))?;
    tape.closing_metadata(b"{}")?;
    Ok(tape)
}

fn state(tick: u64) -> Result<SimSnapshot> {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(tick);
    state.core.intern_table.entries = (0..=tick / 9).map(|n| format!("s{n}")).collect();
    let tag = |index| UnitTag { index, generation: 1 };
    state.core.entities.push(tag(1), &[(0, &tick.to_le_bytes()), (7 + tick as u8, b"x")])?;
    state.core.entities.push(tag(2 + tick as u16), &[])?;
    state.core.players.push(1, &[(3, &[tick as u8])])?;
    state.core.map.push(gametape_tape::CellPos { x: -1, y: tick as i32, z: 0 }, b"w")?;
    state.core.sections.push("fog".to_owned(), &[1, 2])?;
    state.script_state = (tick > 0).then(|| b"running".to_vec());
    Ok(state)
}

/// An LZ4 block of that many zeros: one, and copies of it.
fn zeros(count: usize) -> Vec<u8> {
    let rest = count - 1 - 4 - 15;
    let length = vec![255; rest / 255].into_iter().chain([(rest % 255) as u8]);
    [0x1F, 0, 1, 0].into_iter().chain(length).chain([0]).collect()
}

/// Contents of every kind.
pub fn chunk_seeds() -> Result<Vec<Seed>> {
    let tape = whole(filled()?)?;
    let opened = Tape::open(&tape)?;
    let named = [
        (ChunkKind::METADATA, "metadata"),
        (ChunkKind::ORDERS, "orders"),
        (ChunkKind::FRAMES, "frames"),
        (ChunkKind::FULL_KEYFRAME, "full-keyframe"),
        (ChunkKind::DELTA_KEYFRAME, "delta-keyframe"),
        (ChunkKind::NAMES, "names"),
        (ChunkKind::GAP, "gap"),
    ];
    let mut seeds = vec![
        Seed::new("summary", [&[200, 0, 0, 1][..], &opened.summary.to_bytes()].concat()),
        Seed::new("lz4", [&[2, 255, 0, 1][..], &zeros(1000)].concat()),
        Seed::new("columns", [&[2, 255, 0, 2, 16][..], &zeros(2000)].concat()),
        Seed::new("resource", [&[10, 255, 0, 0][..], b"\x03mapcontent"].concat()),
        Seed::new("signature", [&[11, 255, 0, 0, 1, 0, 0, 0][..], &[5; 96]].concat()),
    ];
    for (kind, name) in named {
        let entry = opened.chunks.iter().find(|chunk| chunk.header.kind == kind);
        let entry = entry.ok_or_else(|| Error::misuse(name, "there is none in the sample"))?;
        let raw = opened.read(entry, &tape)?.raw()?.into_owned();
        let views = entry.header.views.bits().min(255) as u8;
        let head = [kind.0, views, entry.header.first_tick.0 as u8, 2];
        seeds.push(Seed::new(name, [&head[..], &raw].concat()));
    }
    Ok(seeds)
}

/// A snapshot and a delta that fits it, and some that do not.
pub fn snapshot_seeds() -> Result<Vec<Seed>> {
    let (old, new) = (state(0)?, state(9)?);
    let input = |state: &SimSnapshot, delta: &DeltaSnapshot| {
        let bytes = state.to_bytes();
        [&(bytes.len() as u16).to_le_bytes()[..], &bytes, &delta.to_bytes()].concat()
    };
    let delta = DeltaSnapshot::between(&old, &new)?;
    Ok(vec![
        Seed::new("fits", input(&old, &delta)),
        Seed::new("wrong-baseline", input(&new, &delta)),
        Seed::new("changes-nothing", input(&old, &DeltaSnapshot::between(&old, &old)?)),
    ])
}
