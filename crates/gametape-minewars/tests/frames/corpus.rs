//! Recorded sessions whose frames are stored uncompressed, against their decoded text.

use std::path::PathBuf;

use gametape_minewars::{Frame, FrameKind, FrameWriter, Frames, Generation};

use crate::support::layout;

/// The frame lines of a frame as the decoded texts write them.
fn described(frame: &Frame<'_>) -> Vec<String> {
    let (delta, time, views) = (frame.delta(), frame.time(), frame.views());
    match frame.kind() {
        FrameKind::Keepalive => vec![format!("KEEPALIVE ; t={time}")],
        FrameKind::Homogenous => {
            let length: usize = frame.parts().map(|part| part.payload.len()).sum();
            vec![format!("HOMOGENOUS +{delta} {views} ; t={time} len={length}")]
        }
        FrameKind::Heterogenous => {
            let mut lines = vec![format!("HETEROGENOUS +{delta} {views} ; t={time}")];
            lines.extend(
                frame
                    .parts()
                    .map(|part| format!(" VIEW {} ; len={}", part.views, part.payload.len())),
            );
            lines
        }
    }
}

/// Reads one session with five players; its file ends with as many bytes as `stored` says.
fn check_session(
    corpus: &str,
    folder: &str,
    generation: Generation,
    stored: impl Fn(&[u8]) -> usize,
) {
    let path = |extension: &str| {
        let name = format!("09_replay_sq_r16_5p_uncompressed.{extension}");
        PathBuf::from(corpus).join("minewars").join(folder).join(name)
    };
    let file = std::fs::read(path("minewars")).unwrap();
    let text = std::fs::read_to_string(path("asm")).unwrap();
    let layout = layout(generation, 5);
    let bytes = &file[file.len() - stored(&file)..];

    let frames: Vec<Frame<'_>> = Frames::new(layout, bytes).map(Result::unwrap).collect();
    assert!(frames.iter().all(Frame::is_canonical));
    let frame_line = |line: &&str| !line.starts_with("  ");
    let expected: Vec<&str> = text.lines().filter(frame_line).collect();
    let lines: Vec<String> = frames.iter().flat_map(described).collect();
    assert_eq!(lines, expected);

    let mut copy = FrameWriter::new(layout);
    frames.iter().for_each(|frame| copy.raw(frame.bytes()));
    assert_eq!(copy.as_bytes(), bytes);
    assert_eq!(Some(copy.time()), frames.last().map(Frame::time));
}

#[test]
fn recorded_sessions_read_as_their_text_says() {
    let Ok(corpus) = std::env::var("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return;
    };
    check_session(&corpus, "v0.1", Generation::V01, |file| {
        usize::from(u16::from_be_bytes([file[24], file[25]]))
    });
    check_session(&corpus, "current", Generation::Current, |file| {
        u32::from_be_bytes([file[24], file[25], file[26], file[27]]) as usize
    });
}
