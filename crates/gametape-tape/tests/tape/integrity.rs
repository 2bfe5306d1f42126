//! Verification: what is right passes, every tampering fails.

use crate::common::*;
use gametape_tape::{
    Chain, Chunk, ChunkEntry, Level, PublicKey, SigningKey, Summary, Tape, TapeHeader, TapeWriter,
    Verification, leaf, pack_bytes, verify_bytes,
};
use gametape_wire::{Tick, TickLength};

fn key() -> PublicKey {
    SigningKey::from_seed(&KEY).public_key()
}

fn verify(bytes: &[u8]) -> Verification {
    verify_bytes(bytes, Level::Signature, Some(key())).unwrap()
}

/// The chunks of a tape with their stored bytes.
fn parts(bytes: &[u8]) -> Vec<Chunk<'_>> {
    let tape = Tape::open(bytes).unwrap();
    tape.chunks.iter().map(|entry| tape.read(entry, bytes).unwrap()).collect()
}

/// A tape made of chunks by somebody who can compute everything but a signature.
fn forge(header: TapeHeader, chunks: &[Chunk<'_>]) -> Vec<u8> {
    let (first, rest) = chunks.split_first().unwrap();
    let mut tape = TapeWriter::new(header, &first.raw().unwrap()).unwrap();
    rest.iter().for_each(|chunk| tape.copy(chunk, chunk.header.views).unwrap());
    finished(tape)
}

fn without(chunks: &mut Vec<Chunk<'_>>, index: usize) {
    chunks.remove(index);
}

#[test]
fn a_signed_tape_passes_every_level() {
    let bytes = signed(700);
    for bytes in [bytes.clone(), pack_bytes(&bytes).unwrap()] {
        let report = verify(&bytes);
        assert!(report.passed(), "{:?}", report.findings());
        assert_eq!(report.reached(), Some(Level::Signature));
        assert_eq!(report.signers, [key()]);
        assert_eq!(report.chain_head, Some(Tape::open(&bytes).unwrap().summary.chain_head));
    }
    // The forger's tool itself changes nothing.
    assert_eq!(forge(header(), &parts(&bytes)), bytes);
}

#[test]
fn an_unsigned_tape_reaches_the_chain() {
    let report = verify(&sample(100));
    assert_eq!(report.reached(), Some(Level::Chain));
    assert_eq!(report.findings()[0].rule, "signature");
    assert!(verify_bytes(&sample(100), Level::Chain, None).unwrap().passed());
    assert!(verify_bytes(&sample(100), Level::Signature, None).is_err());
}

#[test]
fn every_flipped_bit_fails() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.frame(0, Tick::ZERO, &[(view(0), b"a"), (view(1), b"b")]).unwrap();
    tape.sign(&SigningKey::from_seed(&KEY)).unwrap();
    let mut bytes = finished(tape);
    assert!(verify(&bytes).passed());
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let report = verify_bytes(&bytes, Level::Checksums, None).unwrap();
        assert!(!report.passed(), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn what_is_forged_with_right_checksums_is_not_signed() {
    let bytes = signed(700);
    let original = parts(&bytes);
    let keyframes: Vec<usize> =
        (0..original.len()).filter(|&n| original[n].header.kind.is_keyframe()).collect();
    type Forgery = Box<dyn Fn(&mut Vec<Chunk<'_>>)>;
    let last = original.len() - 1;
    let forgeries: [(&str, Forgery); 5] = [
        ("dropped chunk", Box::new(|chunks| without(chunks, 5))),
        (
            "dropped last chunk before the signature",
            Box::new(move |chunks| without(chunks, last - 1)),
        ),
        ("changed order", Box::new(|chunks| chunks.swap(1, 2))),
        (
            "swapped keyframes",
            Box::new(move |chunks| {
                let (a, b) = (chunks[keyframes[1]], chunks[keyframes[2]]);
                chunks[keyframes[1]].stored = b.stored;
                chunks[keyframes[2]].stored = a.stored;
                for (to, from) in [(keyframes[1], b), (keyframes[2], a)] {
                    chunks[to].header.raw_length = from.header.raw_length;
                    chunks[to].header.stored_length = from.header.stored_length;
                    chunks[to].header.codec = from.header.codec;
                    chunks[to].header.check = from.header.check;
                }
            }),
        ),
        ("added chunk", Box::new(move |chunks| chunks.insert(last, chunks[1]))),
    ];
    for (name, forgery) in forgeries {
        let mut chunks = original.clone();
        forgery(&mut chunks);
        let report = verify(&forge(header(), &chunks));
        let broken =
            report.findings().iter().any(|finding| finding.rule == Level::Signature.name());
        assert!(broken, "{name}: {:?}", report.findings());
    }
}

#[test]
fn another_header_is_not_signed() {
    let bytes = signed(50);
    let slower = TapeHeader::new(TickLength::millis::<100>(), header().tape_id);
    assert!(!verify(&forge(slower, &parts(&bytes))).passed());
}

#[test]
fn another_key_is_not_the_named_one() {
    let bytes = sample(50);
    let mut tape = filled(50);
    tape.sign(&SigningKey::from_seed(&[8; 32])).unwrap();
    let by_other = finished(tape);
    assert_ne!(by_other, bytes);
    let report = verify(&by_other);
    assert_eq!(report.reached(), Some(Level::Chain));
    let other = SigningKey::from_seed(&[8; 32]).public_key();
    assert!(verify_bytes(&by_other, Level::Signature, Some(other)).unwrap().passed());
}

#[test]
fn a_signature_that_only_names_the_key_proves_nothing() {
    let mut tape = filled(50);
    let mut signature = vec![1, 0, 0, 0];
    signature.extend(key().0);
    signature.extend([9; 64]);
    let draft = gametape_tape::ChunkDraft::new(gametape_tape::ChunkKind::SIGNATURE);
    tape.chunk(&draft, &signature).unwrap();
    let report = verify(&finished(tape));
    assert_eq!(report.signers, [key()]);
    assert_eq!(report.reached(), Some(Level::Chain));
}

#[test]
fn what_follows_a_signature_is_not_signed() {
    let mut tape = filled(50);
    tape.sign(&SigningKey::from_seed(&KEY)).unwrap();
    tape.sign(&SigningKey::from_seed(&[8; 32])).unwrap();
    let mut more = filled(50);
    more.sign(&SigningKey::from_seed(&KEY)).unwrap();
    more.frame(0, Tick(60), &[(view(1), b"one more thing")]).unwrap();
    assert!(verify(&finished(tape)).passed(), "a second signature is fine");
    let report = verify(&finished(more));
    assert_eq!(report.reached(), Some(Level::Chain));
}

#[test]
fn chunks_moved_as_they_are_stand_out_of_order() {
    let bytes = signed(200);
    let chunks = Tape::open(&bytes).unwrap().chunks;
    let piece = |chunk: &ChunkEntry| {
        let range = chunk.range();
        bytes[range.start as usize..range.end as usize].to_vec()
    };
    let (a, b) = (&chunks[3], &chunks[4]);
    let mut moved = bytes[..a.offset as usize].to_vec();
    moved.extend([piece(b), piece(a)].concat());
    moved.extend(&bytes[b.range().end as usize..]);
    let report = verify(&moved);
    assert_eq!(report.reached(), None, "{:?}", report.findings());
}

#[test]
fn an_index_that_lies_is_found() {
    // The right chunks, then the footer of a tape with other chunks of the same sizes.
    let [ours, other] = [b"aaaa", b"bbbb"].map(|payload| {
        let mut tape = TapeWriter::new(header(), b"{}").unwrap();
        tape.frame(0, Tick::ZERO, &[(view(1), payload)]).unwrap();
        finished(tape)
    });
    let footer = Tape::open(&ours).unwrap().chunks.last().unwrap().range().end as usize;
    let lying = [&ours[..footer], &other[footer..]].concat();
    let report = verify_bytes(&lying, Level::Chain, None).unwrap();
    assert_eq!(report.reached(), None);
    assert!(report.findings().iter().any(|finding| finding.error.item() == "chunk table"));
    assert!(report.findings().iter().any(|finding| finding.rule == Level::Chain.name()));
}

#[test]
fn an_unfinished_tape_fails_the_structure_and_keeps_its_chain() {
    let bytes = sample(100);
    let tape = Tape::open(&bytes).unwrap();
    let end = tape.chunks.last().unwrap().range().end as usize;
    let report = verify_bytes(&bytes[..end], Level::Chain, None).unwrap();
    assert_eq!(report.reached(), None);
    assert_eq!(report.chain_head, Some(tape.summary.chain_head));
}

#[test]
fn the_chain_is_the_one_of_the_specification() {
    let bytes = sample(20);
    let tape = Tape::open(&bytes).unwrap();
    let mut chain = Chain::start(&tape.header);
    parts(&bytes).iter().for_each(|chunk| chain.push(&leaf(chunk)));
    assert_eq!(chain.head(), tape.summary.chain_head);
    let summary = Summary::of(tape.header, &tape.chunks, chain.head());
    assert_eq!(summary.kinds, tape.summary.kinds);
}
