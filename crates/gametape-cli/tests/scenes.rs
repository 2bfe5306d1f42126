//! A scene of a view holds nothing that the view does not know: it is the same whether it is made of the
//! whole recording or of one that was cut to the view.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

const MOMENTS: [&str; 6] = ["start", "10%", "33%", "0:20", "77%", "end"];

/// Runs a command that must end well; returns what it prints.
fn fine(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let output = command.current_dir(folder).args(line.split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Scenes of a view at some moments, as JSON.
fn scenes(folder: &Path, file: &str, view: u8) -> Vec<String> {
    let scene = |at: &&str| fine(folder, &format!("map --json --at {at} --view {view} {file}"));
    MOMENTS.iter().map(scene).collect()
}

/// Cuts a recording to each view and compares. Both files have the same name, which is in the title.
fn compare(file: &str, make: impl FnOnce(&Path), views: u8) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    make(here);
    let whole: Vec<String> = scenes(here, file, 0);
    for view in 1..=views {
        let own = here.join(format!("view-{view}"));
        std::fs::create_dir(&own).unwrap();
        fine(here, &format!("cut {file} view-{view}/{file} --view {view}"));
        let (from_whole, from_cut) = (scenes(here, file, view), scenes(&own, file, view));
        for ((at, a), b) in MOMENTS.iter().zip(&from_whole).zip(&from_cut) {
            assert_eq!(a, b, "view {view} of {file} at {at}");
        }
        assert_ne!(from_whole, whole, "view {view} of {file} knows what the spectator knows");
    }
}

#[test]
fn scenes_of_a_skirmish_view_hold_nothing_of_others() {
    let record = |here: &Path| {
        fine(here, "record match.tape --ticks 2400 --seed 5 --players 3 --radius 10");
    };
    compare("match.tape", record, 3);
}

#[test]
fn scenes_of_a_minewars_view_hold_nothing_of_others() {
    let record = |here: &Path| {
        fine(here, "record match.tape --ticks 2400 --seed 9 --players 2 --radius 8");
        fine(here, "convert match.tape match.minewars");
    };
    compare("match.minewars", record, 2);
}

/// What only player 2 is reported: a whisper, an item, a digit, a city's money.
const SECRETS: &str = r#".generation current
.grid hex
.radius 1
.players 2
.city 0,0 "zze"
.tiles 06
.tiles 060606060626
.regions ff
.regions ffffffffffff
HOMOGENOUS +0 0,1,2
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Ben"
HETEROGENOUS +100 1,2
 VIEW 1
  OWNER 1 0,1
 VIEW 2
  PLAYER 2/0 CHAT "whispered"
  ITEM -1,0 trap
  CITINCOME 0 4711 33
  DIGITS 5/1,0
"#;

#[test]
fn what_another_view_was_told_is_nowhere_in_a_scene() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.asm"), SECRETS).unwrap();
    fine(here, "asm a.asm -o a.minewars");
    let scene = |view: &str| fine(here, &format!("map --json --at end --view {view} a.minewars"));
    let (ana, ben, all) = (scene("Ana"), scene("ben"), scene("0"));
    for secret in ["whispered", "trap", "4711", "\"5\""] {
        assert!(ben.contains(secret), "{secret} is not in {ben}");
        assert!(!ana.contains(secret) && !all.contains(secret), "{secret} leaks");
    }
    assert!(all.contains("mine\"") && !ana.contains("mine\"") && !ben.contains("mine\""));
}
