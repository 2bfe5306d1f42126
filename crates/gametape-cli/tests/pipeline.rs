//! A match of the reference game goes through every command that makes a tape of a tape, and is
//! still the same match.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn gametape(folder: &Path, line: &str) -> Output {
    let args = line.split(' ');
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(args).output().unwrap()
}

/// Runs a command that must end well; returns what it prints.
fn fine(folder: &Path, line: &str) -> String {
    let output = gametape(folder, line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {} {said}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

fn recorded(ticks: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fine(folder.path(), &format!("record match.tape --ticks {ticks} --seed 5 --players 3"));
    folder
}

fn states(folder: &Path, tape: &str) -> [String; 4] {
    [0, 1, 2, 3].map(|view| fine(folder, &format!("state --hash --view {view} {tape}")))
}

#[test]
fn a_match_in_parts_is_the_match_when_it_is_joined() {
    let folder = recorded(900);
    let here = folder.path();
    fine(here, "verify --level resim match.tape");
    fine(here, "cut match.tape early.tape --to 15000");
    fine(here, "cut match.tape late.tape --from 15000");
    fine(here, "verify late.tape");
    assert_eq!(states(here, "late.tape"), states(here, "match.tape"));
    fine(here, "merge early.tape late.tape -o joined.tape");
    fine(here, "verify --level resim joined.tape");
    assert_eq!(states(here, "joined.tape"), states(here, "match.tape"));
}

#[test]
fn a_view_alone_knows_what_it_knew() {
    let folder = recorded(400);
    let here = folder.path();
    fine(here, "cut match.tape two.tape --view 2");
    fine(here, "pack two.tape packed.tape");
    fine(here, "verify packed.tape");
    assert_eq!(
        fine(here, "state --hash --view 2 packed.tape"),
        fine(here, "state --hash --view 2 match.tape")
    );
    fine(here, "convert match.tape match.minewars");
    assert_eq!(states(here, "match.minewars"), states(here, "match.tape"));
}

#[test]
fn nobody_is_named_and_the_match_is_the_same() {
    let folder = recorded(400);
    let here = folder.path();
    let names = ["Ana", "Ben", "Chloé"];
    let known = |tape: &str| {
        let parts = ["chunks --frames --json", "chunks --raw"].map(|chunks| {
            let output = gametape(here, &format!("{chunks} {tape}"));
            assert!(output.status.success());
            output.stdout
        });
        parts.concat()
    };
    let is_in = |bytes: &[u8], name: &str| {
        let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        [name.as_bytes(), hex.as_bytes()]
            .iter()
            .any(|name| bytes.windows(name.len()).any(|window| window == *name))
    };
    let before = known("match.tape");
    assert!(names.iter().all(|name| is_in(&before, name)));
    fine(here, "anonymize match.tape nobody.tape");
    let after = known("nobody.tape");
    assert!(!names.iter().any(|name| is_in(&after, name)));
    fine(here, "verify --level resim nobody.tape");
}

#[test]
fn a_signature_holds_until_something_changes() {
    let folder = recorded(100);
    let here = folder.path();
    fine(here, "keygen league");
    fine(here, "keygen other");
    fine(here, "sign match.tape signed.tape --key league");
    fine(here, "pack signed.tape packed.tape");
    fine(here, "verify packed.tape --key league.pub");
    for line in ["verify packed.tape --key other.pub", "verify match.tape --key league.pub"] {
        assert_eq!(gametape(here, line).status.code(), Some(1), "{line}");
    }
    fine(here, "cut signed.tape cut.tape --from tick:1");
    assert_eq!(gametape(here, "verify cut.tape --key league.pub").status.code(), Some(1));
}

/// A tape whose end is torn is damaged, whoever looks at it.
#[test]
fn damage_is_judged_alike_by_every_command() {
    let folder = recorded(700);
    let here = folder.path();
    let bytes = std::fs::read(here.join("match.tape")).unwrap();
    std::fs::write(here.join("torn.tape"), &bytes[..bytes.len() * 2 / 3]).unwrap();
    for line in ["info", "events", "stats", "state", "state --at start", "map", "map --at start"] {
        let code = |tape: &str| gametape(here, &format!("{line} {tape}")).status.code();
        assert_eq!((code("match.tape"), code("torn.tape")), (Some(0), Some(3)), "{line}");
    }
}

/// What a command says of ticks: `ticks 0 to 295`.
fn ranges_of_ticks(text: &str) -> BTreeSet<&str> {
    let ranges = text.match_indices("ticks ").map(|(at, _)| &text[at..]);
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != ' ';
    let ranges = ranges.filter_map(|range| range.split(is_end).next()).map(str::trim_end);
    ranges.filter(|range| range.contains(" to ")).collect()
}

/// `recover`, `verify` and `info` say the same of one loss.
#[test]
fn a_loss_is_of_the_same_ticks_in_every_command() {
    let folder = recorded(700);
    let here = folder.path();
    let chunks = fine(here, "chunks --json --kind frames match.tape");
    let first: serde_json::Value = serde_json::from_str(chunks.lines().next().unwrap()).unwrap();
    let mut bytes = std::fs::read(here.join("match.tape")).unwrap();
    bytes[first["offset"].as_u64().unwrap() as usize + 60] ^= 0xFF;
    std::fs::write(here.join("hurt.tape"), bytes).unwrap();

    let recovered = gametape(here, "recover hurt.tape whole.tape");
    let recovered = String::from_utf8(recovered.stderr).unwrap();
    let lost = BTreeSet::from(["ticks 0 to 295"]);
    assert_eq!(ranges_of_ticks(&recovered), lost, "{recovered}");
    let verified = fine(here, "verify whole.tape");
    assert_eq!(ranges_of_ticks(&verified), lost, "{verified}");
    let hurt = String::from_utf8(gametape(here, "verify hurt.tape").stdout).unwrap();
    assert_eq!(ranges_of_ticks(&hurt), lost, "{hurt}");
    let info = fine(here, "info --chunks whole.tape");
    assert!(info.contains("damage: 1 chunk of frames, 2,560 bytes, ticks 0 to 295"), "{info}");
}

/// A chunk that is damaged hides none of the others.
#[test]
fn what_is_whole_is_printed_beside_what_is_damaged() {
    let folder = recorded(700);
    let here = folder.path();
    let listed = "chunks --json --kind orders --stream 0 match.tape";
    let chunks: Vec<serde_json::Value> =
        fine(here, listed).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut bytes = std::fs::read(here.join("match.tape")).unwrap();
    bytes[chunks[0]["offset"].as_u64().unwrap() as usize + 60] ^= 0xFF;
    std::fs::write(here.join("hurt.tape"), bytes).unwrap();

    let whole = fine(here, "chunks --frames --kind orders --stream 0 match.tape");
    let hurt = gametape(here, "chunks --frames --kind orders --stream 0 hurt.tape");
    assert_eq!(hurt.status.code(), Some(3));
    let number = chunks[0]["chunk"].as_u64().unwrap();
    let warning = String::from_utf8(hurt.stderr).unwrap();
    assert!(warning.contains(&format!("chunk {number}: orders: checksum is")), "{warning}");
    let left = String::from_utf8(hurt.stdout).unwrap();
    assert!(!left.is_empty() && left.len() < whole.len() && whole.ends_with(&left), "{left}");
    let raw = gametape(here, "chunks --raw --kind orders --stream 0 hurt.tape");
    assert!(raw.status.code() == Some(3) && !raw.stdout.is_empty());
}

#[test]
fn a_view_that_a_tape_does_not_have_is_refused_and_not_guessed() {
    let folder = recorded(100);
    let here = folder.path();
    fine(here, "cut match.tape two.tape --view 2");
    assert_eq!(fine(here, "state --hash two.tape"), fine(here, "state --hash --view 2 match.tape"));
    for line in ["state --view 0", "state --view 1", "disasm --view 0", "map --view 0"] {
        let output = gametape(here, &format!("{line} two.tape"));
        assert_eq!(output.status.code(), Some(2), "{line}");
    }
}

#[test]
fn many_findings_of_a_rule_are_counted_and_listed_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let deltas = vec![r#"{"type":"odd","game":{}}"#; 30].join(",");
    let log = format!(r#"{{"gameName":"T","gameSession":"1","deltas":[{deltas}]}}"#);
    std::fs::write(folder.path().join("odd.json"), log).unwrap();
    let listed = |line: &str| fine(folder.path(), line).matches("\"odd\" is not a known").count();
    assert_eq!(listed("verify odd.json"), 20);
    assert!(fine(folder.path(), "verify odd.json").contains("unknown type: 10 more"));
    assert_eq!(listed("verify --all odd.json"), 30);
}
