//! Promises about whole tapes: opening by few ranges, signed bytes, recovery that verifies.

use std::path::PathBuf;

use crate::common::*;
use gametape_tape::{
    Cadence, ChunkDraft, ChunkKind, DamageKind, DeltaSnapshot, Depth, DropReason, Flags, Gap,
    GapCause, Keyframe, KeyframeMaker, Level, PublicKey, Recovered, Remedy, SigningKey,
    SimSnapshot, Tape, TapeFrames, TapeReader, TapeWriter, Verification, cut_bytes, pack_bytes,
    recover_bytes, verify_bytes,
};
use gametape_wire::{ErrorClass, Severity, Tick, ViewSet, drive};

fn verify(bytes: &[u8]) -> Verification {
    verify_bytes(bytes, Level::Chain, None).unwrap()
}

fn is_signed(bytes: &[u8]) -> bool {
    let key = SigningKey::from_seed(&KEY).public_key();
    verify_bytes(bytes, Level::Signature, Some(key)).unwrap().passed()
}

/// Is a tape refused when the key is named? Signatures cost much, so the other levels come first.
fn is_refused(bytes: &[u8]) -> bool {
    !verify(bytes).passed() || !is_signed(bytes)
}

/// The bytes of a hostile file of the corpus, if there is a corpus.
fn hostile(name: &str) -> Option<Vec<u8>> {
    let Ok(corpus) = std::env::var("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return None;
    };
    let path = PathBuf::from(corpus).join("hostile").join(name);
    let bytes = std::fs::read(&path);
    if bytes.is_err() {
        println!("skipped: {} is not there", path.display());
    }
    bytes.ok()
}

#[test]
fn a_packed_tape_opens_with_two_requests_and_64_kib() {
    // A long match: the tape has half a megabyte, its index some hundred entries.
    let packed = pack_bytes(&sample(20_000)).unwrap();
    assert!(packed.len() > 256 << 10, "{}", packed.len());
    let mut source = Counted::new(&packed);
    let mut reader = TapeReader::new(packed.len() as u64, Depth::Index);
    drive(&mut reader, &mut source).unwrap();
    let tape = reader.finish().unwrap();
    assert_eq!(tape, Tape::open(&packed).unwrap());
    assert!(tape.is_finished() && tape.keyframes.entries().len() == 67 && tape.chunks.len() > 300);
    assert!(
        source.requests <= 2 && source.bytes <= 64 << 10,
        "{} {}",
        source.requests,
        source.bytes
    );
}

#[test]
fn a_small_tape_opens_with_one_request() {
    let bytes = sample(100);
    let mut source = Counted::new(&bytes);
    let mut reader = TapeReader::new(bytes.len() as u64, Depth::Index);
    drive(&mut reader, &mut source).unwrap();
    assert_eq!((source.requests, source.bytes), (1, bytes.len() as u64));
    assert!(reader.finish().unwrap().is_finished());
}

#[test]
fn an_empty_file_is_no_tape_and_needs_nothing() {
    assert_eq!(Tape::open(&[]).unwrap_err().class(), ErrorClass::Truncated);
    assert!(!verify(&[]).passed());
    let found = Recovered::from_bytes(&[]);
    assert!(found.chunks.is_empty() && !found.is_undamaged() && !found.is_complete());
}

/// A small signed tape with a keyframe, as a recording and packed.
fn signed_forms() -> [Vec<u8>; 2] {
    let write = || {
        let mut tape = TapeWriter::new(header(), b"{}").unwrap();
        tape.keyframe(0, ViewSet::ALL, &Keyframe::full(&SimSnapshot::default())).unwrap();
        tape.frame(0, Tick::ZERO, &[(view(0), b"a"), (view(1), b"b")]).unwrap();
        tape.chunk(&ChunkDraft::new(UNKNOWN), b"unknown").unwrap();
        tape
    };
    let mut signed = write();
    signed.sign(&SigningKey::from_seed(&KEY)).unwrap();
    let signed = finished(signed);
    let packed = pack_bytes(&signed).unwrap();
    let unsigned = pack_bytes(&finished(write())).unwrap();
    let after = Recovered::from_bytes(&unsigned).sign(&SigningKey::from_seed(&KEY)).unwrap();
    let after = after.into_iter().fold(Vec::new(), |mut all, segment| {
        match segment {
            gametape_tape::Segment::Bytes(bytes) => all.extend(bytes),
            gametape_tape::Segment::Copy(range) => {
                all.extend(&unsigned[range.start as usize..range.end as usize]);
            }
        }
        all
    });
    assert_eq!(after, packed, "signed after packing is packed after signing");
    [signed, packed]
}

#[test]
fn every_byte_of_a_signed_tape_is_covered() {
    for bytes in signed_forms() {
        assert!(is_signed(&bytes));
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << (index % 8);
            assert!(is_refused(&changed), "byte {index} flipped");
            changed.remove(index);
            assert!(is_refused(&changed), "byte {index} removed");
            changed.splice(index..index, [bytes[index], 0]);
            assert!(is_refused(&changed), "a byte inserted at {index}");
        }
        assert!(is_refused(&[&bytes[..], &[0]].concat()), "a byte appended");
        let trailer = &bytes[bytes.len() - 32..];
        assert!(is_refused(&[&bytes[..], trailer].concat()), "a trailer appended");
    }
}

#[test]
fn an_index_of_another_form_is_not_covered() {
    let [signed, ..] = signed_forms();
    let tape = Tape::open(&signed).unwrap();
    // The same index once more, whole and with right checksums, before the real one.
    let end = tape.chunks.last().unwrap().range().end as usize;
    let page = &signed[end..tape.summary.pages[0].range.end as usize];
    let doubled = [&signed[..end], page, &signed[end..]].concat();
    let key = Some(SigningKey::from_seed(&KEY).public_key());
    let report = verify_bytes(&doubled, Level::Signature, key).unwrap();
    assert!(!report.passed());
    let offsets: Vec<_> = report.findings().iter().map(|f| f.error.offset()).collect();
    assert!(offsets.iter().any(Option::is_some), "{:?}", report.findings());
}

#[test]
fn the_chunk_of_a_signature_has_no_room_for_anything_else() {
    let signature = |change: &dyn Fn(&mut ChunkDraft, &mut Vec<u8>)| {
        let mut tape = filled(20);
        tape.flush().unwrap();
        let mut signed = filled(20);
        signed.sign(&SigningKey::from_seed(&KEY)).unwrap();
        let signed = finished(signed);
        let opened = Tape::open(&signed).unwrap();
        let chunk = opened.read(opened.chunks.last().unwrap(), &signed).unwrap();
        let (mut draft, mut raw) = (ChunkDraft::from(&chunk.header), chunk.stored.to_vec());
        change(&mut draft, &mut raw);
        tape.chunk(&draft, &raw).unwrap();
        finished(tape)
    };
    assert!(is_signed(&signature(&|_, _| {})), "the tool itself changes nothing");
    let hidden = [
        signature(&|_, raw| raw[2] = 1),
        signature(&|draft, _| draft.detail = 5),
        signature(&|draft, _| draft.stream = 3),
        signature(&|draft, _| draft.views = views(&[1])),
        signature(&|draft, _| draft.first_tick = Tick(9)),
        signature(&|draft, _| draft.flags = Flags::CRITICAL),
    ];
    for (number, bytes) in hidden.iter().enumerate() {
        assert!(verify(bytes).passed(), "{number}: everything else is right");
        assert!(!is_signed(bytes), "{number}");
    }
}

#[test]
fn another_key_may_sign_later_and_is_named() {
    let mut tape = filled(50);
    tape.sign(&SigningKey::from_seed(&KEY)).unwrap();
    tape.sign(&SigningKey::from_seed(&[8; 32])).unwrap();
    let bytes = finished(tape);
    let key = SigningKey::from_seed(&KEY).public_key();
    let report = verify_bytes(&bytes, Level::Signature, Some(key)).unwrap();
    assert!(report.passed(), "{:?}", report.findings());
    let note = report.findings().iter().find(|f| f.severity == Severity::Note).unwrap();
    let other = SigningKey::from_seed(&[8; 32]).public_key().to_string();
    assert!(note.to_string().contains(&other), "{note}");
}

#[test]
fn signed_tapes_of_the_hostile_corpus_are_refused_with_the_offset() {
    for name in ["signed-plus-junk.tape", "signed-evil-index.tape", "signed-padding.tape"] {
        let (Some(bytes), Some(key)) = (hostile(name), hostile("k1.pub")) else { return };
        let text = String::from_utf8(key).unwrap();
        let digits = text.trim().rsplit(':').next().unwrap();
        let byte = |n: usize| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).unwrap();
        let key = PublicKey(std::array::from_fn(byte));
        let report = verify_bytes(&bytes, Level::Signature, Some(key)).unwrap();
        assert!(!report.passed(), "{name}");
        let errors = report.findings().iter().filter(|f| f.severity == Severity::Error);
        assert!(errors.clone().any(|f| f.error.offset().is_some()), "{name}");
        assert!(errors.clone().all(|f| f.rule != "chain"), "{name}: {:?}", report.findings());
    }
}

#[test]
fn a_tape_without_keyframes_gets_a_warning() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.frame(0, Tick::ZERO, &[(view(1), b"a")]).unwrap();
    let report = verify(&finished(tape));
    assert!(report.passed());
    assert_eq!((report.report.warnings(), report.findings()[0].rule), (1, "keyframes"));
    assert_eq!(verify(&sample(100)).findings(), []);
    // Where there is nothing to play, nothing is missing.
    let empty = finished(TapeWriter::new(header(), b"{}").unwrap());
    assert_eq!(verify(&empty).findings(), []);
}

/// A full keyframe and deltas, each on the one before.
fn chain_of(deltas: u64) -> Vec<u8> {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.keyframe(0, ViewSet::EMPTY, &Keyframe::full(&state(0))).unwrap();
    for number in 0..deltas {
        let delta = DeltaSnapshot::between(&state(number * 10), &state(number * 10 + 10)).unwrap();
        tape.keyframe(0, ViewSet::EMPTY, &Keyframe::delta(&delta)).unwrap();
    }
    finished(tape)
}

#[test]
fn a_chain_of_ten_deltas_is_refused_and_one_of_nine_is_not() {
    assert_eq!(verify(&chain_of(9)).findings(), []);
    let bytes = chain_of(10);
    let report = verify(&bytes);
    let last = Tape::open(&bytes).unwrap().chunks.last().unwrap().offset;
    assert_eq!(report.report.errors(), 1);
    assert_eq!(report.findings()[0].error.offset(), Some(last));
    let text = report.findings()[0].to_string();
    assert!(text.contains("delta 10 after its full keyframe: at most 9"), "{text}");
    let recovered = recover(&bytes);
    assert_eq!(Tape::open(&recovered).unwrap().keyframes.entries().len(), 10);
}

/// Recovers a tape; the result verifies, and recovering it again changes nothing.
fn recover(bytes: &[u8]) -> Vec<u8> {
    let (remedy, recovered) = recover_bytes(bytes, Some(header()), 77).unwrap();
    let report = verify(&recovered.bytes);
    assert!(report.passed(), "{remedy:?}: {:?}", report.findings());
    let (again, twice) = recover_bytes(&recovered.bytes, None, 78).unwrap();
    assert_eq!(again, Remedy::Keep);
    assert!(twice.bytes == recovered.bytes, "recovering twice changes nothing");
    recovered.bytes
}

/// The bytes of a tape with its chunks in another order.
fn shuffled(bytes: &[u8], order: impl Fn(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let chunks = Tape::open(bytes).unwrap().chunks;
    let piece = |chunk: &gametape_tape::ChunkEntry| {
        bytes[chunk.offset as usize..chunk.range().end as usize].to_vec()
    };
    let mut pieces: Vec<Vec<u8>> = chunks.iter().map(piece).collect();
    order(&mut pieces);
    [bytes[..32].to_vec(), pieces.concat()].concat()
}

#[test]
fn swapped_chunks_are_put_in_order() {
    let bytes = signed(400);
    let end = Tape::open(&bytes).unwrap().chunks.last().unwrap().range().end as usize;
    let swapped = shuffled(&bytes, |pieces| {
        pieces.swap(3, 9);
        pieces.swap(5, 6);
    });
    let unfinished = recover(&swapped);
    let finished = recover(&[&swapped[..], &bytes[end..]].concat());
    assert!(unfinished == bytes && finished == bytes, "id, chain and signature are what they were");
    assert!(Recovered::from_bytes(&swapped).resume().is_err());
}

#[test]
fn what_is_only_added_is_no_loss() {
    let bytes = signed(200);
    let doubled = shuffled(&bytes, |pieces| pieces.insert(7, pieces[3].clone()));
    assert!(recover(&doubled) == bytes);
    let chunks = Tape::open(&bytes).unwrap().chunks;
    let at = chunks[4].offset as usize;
    let padded = [&bytes[..at], b"some bytes of nobody", &bytes[at..]].concat();
    assert!(recover(&padded) == bytes);
    assert!(recover(&[&bytes[..], b"junk"].concat()) == bytes);
    let mut index = bytes.clone();
    index[chunks.last().unwrap().range().end as usize + 60] ^= 1;
    assert!(recover(&index) == bytes, "the index is rebuilt");
}

#[test]
fn a_packed_tape_stays_packed() {
    let packed = pack_bytes(&signed(700)).unwrap();
    let mut damaged = packed.clone();
    let length = damaged.len();
    damaged[length - 5] ^= 1;
    assert!(recover(&damaged) == packed);
    assert!(recover(&packed) == packed);
}

#[test]
fn recovered_tapes_verify_whatever_happened() {
    let mut random = Random(0x5EED);
    let tapes = [sample(420), signed(250), pack_bytes(&sample(650)).unwrap(), chain_of(9)];
    let mut losses = 0;
    for round in 0..240 {
        let bytes = &tapes[round % tapes.len()];
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(3) {
            damage(&mut damaged, &mut random);
        }
        let recovered = recover(&damaged);
        let tape = Tape::open(&recovered).unwrap();
        losses += usize::from(tape.summary.kind(ChunkKind::GAP).is_some());
        // Nothing is invented: every chunk but gaps and metadata was there before.
        let original = Tape::open(bytes).unwrap().chunks;
        let is_known = |check| original.iter().any(|chunk| chunk.header.check == check);
        for chunk in tape.chunks.iter().filter(|chunk| chunk.header.kind != ChunkKind::GAP) {
            let is_empty_metadata = chunk.header.sequence == 0 && tape.metadata == "{}";
            assert!(is_known(chunk.header.check) || is_empty_metadata, "round {round}");
        }
    }
    assert!(losses > 60, "{losses}");
}

/// Bit flips, cuts, swaps, duplicates, zeroed ranges.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let start = 32 + random.below(bytes.len().saturating_sub(33).max(1));
    let end = (start + 1 + random.below(3000)).min(bytes.len());
    let start = start.min(end);
    match random.below(6) {
        0 => bytes[start.min(end - 1)] ^= 1 << random.below(8),
        1 => bytes.truncate(start.max(200)),
        2 => bytes[start..end].fill(0),
        3 => drop(bytes.drain(start..end)),
        4 => {
            let copy = bytes[start..end].to_vec();
            bytes.splice(start..start, copy);
        }
        _ => {
            let chunks = Recovered::from_bytes(bytes).chunks;
            let (a, b) = (random.below(chunks.len()), random.below(chunks.len()));
            let (a, b) = (chunks[a].range(), chunks[b].range());
            if a.end <= b.start {
                let part = |range: std::ops::Range<u64>| {
                    bytes[range.start as usize..range.end as usize].to_vec()
                };
                let middle = [part(b.clone()), part(a.end..b.start), part(a.clone())].concat();
                bytes.splice(a.start as usize..b.end as usize, middle);
            }
        }
    }
}

#[test]
fn damaged_tapes_of_the_hostile_corpus_are_recovered() {
    for (name, remedy) in [
        ("swapped.tape", Remedy::Rebuild),
        ("swapped-unfinished.tape", Remedy::Rebuild),
        ("lost-keyframe.tape", Remedy::Repair),
    ] {
        let Some(bytes) = hostile(name) else { return };
        let (done, _) = recover_bytes(&bytes, None, 7).unwrap();
        assert_eq!(done, remedy, "{name}");
        let recovered = recover(&bytes);
        let report = verify(&recovered);
        let declares_loss = report.findings().iter().any(|f| f.rule == "loss");
        assert_eq!(declares_loss, remedy == Remedy::Repair, "{name}: {:?}", report.findings());
    }
}

#[test]
fn an_unfinished_tape_is_complete_as_far_as_it_goes() {
    let bytes = signed(100);
    let end = Tape::open(&bytes).unwrap().chunks.last().unwrap().range().end as usize;
    let found = Recovered::from_bytes(&bytes[..end]);
    assert!(found.is_complete() && !found.is_finished);
    assert!(recover(&bytes[..end]) == bytes);
    // A torn chunk is a loss; a torn index is none.
    let torn = Recovered::from_bytes(&bytes[..end - 1]);
    assert!(!torn.is_complete() && torn.damages[0].kind == DamageKind::Torn);
    assert!(torn.is_loss(&torn.damages[0]));
    let index = Recovered::from_bytes(&bytes[..end + 100]);
    assert!(index.is_complete(), "{:?}", index.damages);
}

#[test]
fn a_view_that_is_not_there_cannot_be_cut_out() {
    let error = cut_bytes(&sample(50), views(&[1, 7]), 5).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Misuse);
    assert!(error.to_string().contains("views 0,1,2, and not 7"), "{error}");
}

#[test]
fn a_cut_names_everything_that_it_drops() {
    let cut = cut_bytes(&signed(700), views(&[1]), 5).unwrap();
    let dropped: Vec<_> =
        cut.dropped.iter().map(|row| (row.kind, row.reason, row.chunks, row.items)).collect();
    let expected = [
        (ChunkKind::FULL_KEYFRAME, DropReason::OtherViews, 1, 0),
        (ChunkKind::DELTA_KEYFRAME, DropReason::OtherViews, 2, 0),
        (ChunkKind::EVENTS, DropReason::OtherViews, 3, 21),
        (ChunkKind::SIGNATURE, DropReason::Signature, 1, 0),
    ];
    assert_eq!(dropped, expected);
}

#[test]
fn unknown_kinds_are_kept_or_named() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.frame(0, Tick::ZERO, &[(view(1), b"a")]).unwrap();
    let safe = ChunkDraft::new(ChunkKind(200)).with_flags(Flags::SAFE_TO_COPY);
    tape.chunk(&safe, b"without ticks, safe").unwrap();
    tape.chunk(&ChunkDraft::new(ChunkKind(201)).with_flags(Flags::SAFE_TO_COPY), b"another")
        .unwrap();
    tape.chunk(&ChunkDraft::new(ChunkKind(202)), b"not safe").unwrap();
    let bytes = finished(tape);
    let cut = cut_bytes(&bytes, views(&[1]), 5).unwrap();
    let kinds: Vec<u8> =
        Tape::open(&cut.bytes).unwrap().chunks.iter().map(|chunk| chunk.header.kind.0).collect();
    assert_eq!(kinds, [1, 200, 201, 4]);
    assert_eq!(cut.dropped_of(ChunkKind(202)), 1);
    if let Some(bytes) = hostile("unknown-kinds.tape") {
        let tape = Tape::open(&bytes).unwrap();
        let cut = cut_bytes(&bytes, views(&[1]), 5).unwrap();
        let kept = Tape::open(&cut.bytes).unwrap();
        for chunk in tape.chunks.iter().filter(|chunk| !chunk.header.kind.is_known()) {
            let kind = chunk.header.kind;
            let is_kept = kept.summary.kind(kind).is_some();
            assert!(is_kept || cut.dropped_of(kind) > 0, "{kind}");
        }
    }
}

#[test]
fn gaps_without_ticks_stay_in_every_cut() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    for tick in 0..50 {
        tape.frame(0, Tick(tick), &[(view(1), b"a")]).unwrap();
    }
    let gap = Gap::new(GapCause::SHED, ChunkKind::EVENTS)
        .with_stream(2)
        .with_size(3, 0)
        .with_ticks(Tick(40), 0);
    tape.gap(&gap).unwrap();
    tape.gap(&gap.with_ticks(Tick(41), 5)).unwrap();
    let bytes = finished(tape);
    let tape = Tape::open(&bytes).unwrap();
    let cut = gametape_tape::Cut::new(&tape, None, Tick::ZERO..Tick(10)).unwrap();
    let kept: Vec<Tick> = tape
        .stream(ChunkKind::GAP, 0)
        .filter(|entry| cut.keeps(entry))
        .map(|entry| entry.header.first_tick)
        .collect();
    assert_eq!(kept, [Tick(40)], "nobody knows when the first one was");
    assert_eq!(gap.ticks(), Tick(40)..Tick(41), "no more is known");
    assert_eq!(gap.to_string(), "left out by the recorder: events of stream 2, at tick 40");
    let report = verify(&bytes);
    assert_eq!(report.findings().iter().filter(|f| f.rule == "loss").count(), 2);
}

#[test]
fn a_cut_keeps_frames_whose_header_declares_no_ticks() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let draft = ChunkDraft::new(ChunkKind::FRAMES);
    // At tick 0, for view 0, one byte.
    tape.chunk(&draft, &[0, 1, 1, b'a']).unwrap();
    let bytes = finished(tape);
    let cut = cut_bytes(&bytes, ViewSet::EMPTY.with(view(0)), 7).unwrap();
    assert_eq!(cut.dropped, []);
    let tape = Tape::open(&cut.bytes).unwrap();
    let entry = tape.stream(ChunkKind::FRAMES, 0).next().unwrap();
    let raw = tape.read(entry, &cut.bytes).unwrap().raw().unwrap().into_owned();
    let frame = TapeFrames::new(&entry.header, &raw).next().unwrap().unwrap();
    assert_eq!((frame.tick, frame.view(view(0))), (Tick::ZERO, Some(&b"a"[..])));
}

#[test]
fn keyframes_are_due_at_multiples_of_the_cadence() {
    let cadence = Cadence::every(300);
    let next = |tick| cadence.next_after(Tick(tick)).0;
    assert_eq!([0, 1, 299, 300, 301, 599, 600].map(next), [300, 300, 300, 600, 600, 600, 900]);
    assert_eq!(Cadence::every(0).next_after(Tick(5)), Tick(6), "at least one tick");
    assert_eq!(cadence.next_after(Tick::MAX), Tick::MAX);
    let mut maker = KeyframeMaker::new(cadence);
    let mut due = Vec::new();
    for tick in [0, 17, 299, 431, 599, 600, 899, 1201] {
        due.extend(maker.at(Tick(tick), || state(tick)).map(|keyframe| keyframe.tick.0));
    }
    assert_eq!(due, [0, 431, 600, 1201], "one that was late does not delay the next");
    let mut maker = KeyframeMaker::new(cadence);
    maker.skip(Tick(450));
    assert!(!maker.is_due(Tick(599)) && maker.is_due(Tick(600)));
}

#[test]
fn opaque_snapshots_have_small_deltas() {
    let mut random = Random(3);
    let mut memory: Vec<u8> = (0..50_000).map(|_| random.next() as u8).collect();
    let before = SimSnapshot::opaque(Tick(0), &memory).unwrap();
    assert!(before.to_bytes().len() < memory.len() * 106 / 100, "{}", before.to_bytes().len());
    for at in [0, 999, 49_999] {
        memory[at] ^= 0xFF;
    }
    memory.truncate(49_000);
    memory.extend([1; 700]);
    let after = SimSnapshot::opaque(Tick(300), &memory).unwrap();
    let delta = DeltaSnapshot::between(&before, &after).unwrap();
    assert!(delta.to_bytes().len() < 1600, "{}", delta.to_bytes().len());
    let mut state = before.clone();
    state.apply(&delta).unwrap();
    assert_eq!(state.to_opaque().unwrap(), memory);
    assert_eq!(SimSnapshot::read(&after.to_bytes()).unwrap(), after);
    for bytes in [&[][..], &[7; 128], &[7; 129]] {
        assert_eq!(SimSnapshot::opaque(Tick(5), bytes).unwrap().to_opaque().unwrap(), bytes);
    }
    assert!(super::common::state(0).to_opaque().is_err());
    assert!(SimSnapshot::default().to_opaque().is_err());
}
