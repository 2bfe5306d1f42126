//! Blocks that no writer makes.

use gametape_analysis::{EventKind, EventStream, Events};
use gametape_wire::{Error, ErrorClass};

/// The error that a block ends with.
fn refused(block: &[u8]) -> Error {
    match Events::new(block, 1000) {
        Err(error) => error,
        Ok(events) => events.last().unwrap().unwrap_err(),
    }
}

/// A block with one event of a kind, its body given.
fn with_body(kind: EventKind, body: &[u8]) -> Vec<u8> {
    [&[1, 5, kind.number(), body.len() as u8][..], body].concat()
}

#[test]
fn errors_say_what_and_where() {
    let huge = vec![1; (256 << 10) + 1];
    let far = [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 1, 0];
    let cases: [(&[u8], ErrorClass, &str); 13] = [
        (
            &[],
            ErrorClass::Truncated,
            "events: the input ends early: 1 byte needed, 0 left (at byte 1000)",
        ),
        (
            &[1],
            ErrorClass::Truncated,
            "first event: the input ends early: 3 bytes needed, 0 left (at byte 1001)",
        ),
        (
            &[2, 0, 1, 0],
            ErrorClass::Unsupported,
            "form of events: 0x02 is reserved, so its length is unknown (at byte 1000)",
        ),
        (
            &huge,
            ErrorClass::Limit,
            "length of an events chunk: 262145 is over the limit of 262144 (at byte 1000)",
        ),
        (
            &[1, 5, 0, 0],
            ErrorClass::Malformed,
            "kind of an event: found 0, expected 1 to 127 (at byte 1002)",
        ),
        (
            &[1, 5, 128, 0],
            ErrorClass::Malformed,
            "kind of an event: found 128, expected 1 to 127 (at byte 1002)",
        ),
        (
            &[1, 5, 13, 3, 1, 1],
            ErrorClass::Truncated,
            "event: the input ends early: 3 bytes needed, 2 left (at byte 1004)",
        ),
        (
            &[1, 5, 13, 3, 1, 1, 0],
            ErrorClass::Malformed,
            "PauseEvent: PauseEvent: 1 byte follows where none may (at byte 1006)",
        ),
        (
            &[1, 5, 13, 1, 1],
            ErrorClass::Truncated,
            "PauseEvent: paused: the input ends early: 1 byte needed, 0 left (at byte 1005)",
        ),
        (
            &[1, 5, 13, 2, 1, 2],
            ErrorClass::Malformed,
            "PauseEvent: paused: found 2, expected 0 or 1 (at byte 1005)",
        ),
        (
            &[1, 5, 14, 1, 5],
            ErrorClass::Malformed,
            "MatchEnded: outcome: found 5, expected a known choice (at byte 1004)",
        ),
        (
            &[1, 5, 3, 1, 2],
            ErrorClass::Malformed,
            "ConstructionCompleted: tag: found -1, expected an index of 16 bits (at byte 1004)",
        ),
        (
            &far,
            ErrorClass::Limit,
            "tick: 72057594037927937 is over the limit of 72057594037927936 (at byte 1001)",
        ),
    ];
    for (block, class, text) in cases {
        let error = refused(block);
        assert_eq!((error.class(), &*error.to_string()), (class, text));
    }
}

#[test]
fn counts_are_not_believed() {
    let cases: [(EventKind, &[u8], ErrorClass); 6] = [
        // 257 units; 16,385 tags; as many as there are numbers.
        (EventKind::UnitPositionSample, &[0x81, 0x02, 0], ErrorClass::Limit),
        (EventKind::BaseDestroyed, &[1, 0, 0, 0, 0x81, 0x80, 0x01], ErrorClass::Limit),
        (EventKind::UnitPositionSample, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], ErrorClass::Limit),
        // Within the limit, but not there.
        (EventKind::UnitPositionSample, &[0x80, 0x02], ErrorClass::Truncated),
        (EventKind::BaseDestroyed, &[1, 0, 0, 0, 0x80, 0x80, 0x01, 0], ErrorClass::Truncated),
        (EventKind::SelectionChanged, &[1, 2, 0], ErrorClass::Truncated),
    ];
    for (kind, body, class) in cases {
        let error = refused(&with_body(kind, body));
        assert_eq!(error.class(), class, "{error}");
        assert!(error.offset().is_some_and(|offset| offset >= 1004), "{error}");
    }
}

#[test]
fn numbers_have_one_form_and_fit() {
    let cases: [(EventKind, &[u8]); 6] = [
        // A name over 32 bits; a zoom over 16; an amount over 32.
        (EventKind::UpgradeCompleted, &[1, 0x80, 0x80, 0x80, 0x80, 0x10]),
        (EventKind::CameraPositionSample, &[1, 0, 0, 0, 0x80, 0x80, 0x04]),
        (EventKind::ResourceCollected, &[1, 0, 0x80, 0x80, 0x80, 0x80, 0x10]),
        // Longer than needed; a generation that is the last one; unknown traits.
        (EventKind::UpgradeCompleted, &[1, 0x80, 0x00]),
        (EventKind::ConstructionCompleted, &[0x05, 0x00]),
        (EventKind::UnitDestroyed, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 8]),
    ];
    for (kind, body) in cases {
        let error = refused(&with_body(kind, body));
        assert_eq!(error.class(), ErrorClass::Malformed, "{error}");
    }
}

#[test]
fn a_block_spans_no_more_than_a_header_can_say() {
    let pause = |step: &[u8]| [step, &[13, 2, 1, 1]].concat();
    let block = [&[1][..], &pause(&[0]), &pause(&[0xFF, 0xFF, 0xFF, 0xFF, 0x0F])].concat();
    let error = refused(&block);
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, "ticks of a block"));
}

#[test]
fn kinds_are_found_by_their_name_and_number() {
    for &kind in EventKind::ALL {
        assert_eq!(EventKind::from_name(kind.name()), Some(kind));
        assert_eq!(EventKind::from_number(kind.number()), Some(kind));
    }
    assert_eq!(EventKind::from_name("Nothing"), None);
}

/// What a player's machine reports cannot pass for what the simulation did.
#[test]
fn kinds_keep_to_their_stream() {
    for &kind in EventKind::ALL {
        let block = with_body(kind, &[]);
        let other = EventStream::ALL.into_iter().find(|&stream| stream != kind.stream()).unwrap();
        let read = Events::new(&block, 0).unwrap().in_stream(other).next().unwrap();
        let error = read.unwrap_err();
        assert!(error.to_string().contains("does not belong into this stream"), "{error}");
    }
}

#[test]
fn after_an_error_there_is_nothing() {
    let block = [1, 0, 13, 1, 1, 0, 13, 2, 1, 1];
    let mut events = Events::new(&block, 0).unwrap();
    assert!(events.next().unwrap().is_err());
    assert_eq!(events.next(), None);
}
