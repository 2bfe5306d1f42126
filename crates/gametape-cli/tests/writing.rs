//! What commands write: nothing is overwritten, everything or nothing is there.
#![allow(clippy::unwrap_used, clippy::panic)]

use gametape_wire::Tick;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn gametape(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(line.split(' ')).output().unwrap()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn fine(folder: &Path, line: &str) {
    let output = gametape(folder, line);
    assert_eq!(code(&output), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// What a command that is refused says.
fn refused(folder: &Path, line: &str) -> String {
    let output = gametape(folder, line);
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(matches!(code(&output), Some(1 | 2)), "{line}: {said}");
    said
}

/// A folder with a match, as tape, MineWars file, gamelog and text, and keys.
fn recorded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fine(here, "record match.tape --ticks 200 --seed 5 --players 2");
    fine(here, "convert match.tape match.minewars");
    fine(here, "convert match.tape match.json");
    fine(here, "keygen key");
    fs::write(here.join("match.asm"), gametape(here, "disasm match.minewars").stdout).unwrap();
    folder
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = recorded();
    let here = folder.path();
    let there = here.join("there");
    fs::create_dir(here.join("cuts")).unwrap();
    let commands = [
        "convert match.tape OUT --to minewars",
        "cut match.tape OUT --to 2s",
        "merge match.tape match.tape -o OUT",
        "anonymize match.tape OUT",
        "sign match.tape OUT --key key",
        "pack match.tape OUT",
        "recover match.tape OUT",
        "record OUT --ticks 5",
        "asm match.asm -o OUT",
        "map match.minewars --png OUT",
        "events match.tape --csv -o OUT",
    ];
    for command in commands {
        fs::write(&there, "precious").unwrap();
        let line = command.replace("OUT", "there");
        let said = refused(here, &line);
        assert!(said.contains("there") && said.contains("--force"), "{line}: {said}");
        assert_eq!(fs::read(&there).unwrap(), b"precious", "{line}");
        fine(here, &format!("{line} --force"));
        assert_ne!(fs::read(&there).unwrap(), b"precious", "{line}");
    }
    fs::write(here.join("plot.png"), "precious").unwrap();
    assert!(refused(here, "stats match.tape --plot plot.png").contains("--force"));
    assert!(refused(here, "keygen key").contains("key"));
    let temporary = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name());
    let left = temporary.filter(|name| name.to_string_lossy().starts_with(".gametape")).count();
    assert_eq!(left, 0, "temporary files are left");
}

#[test]
fn several_files_go_into_a_folder_or_in_place() {
    let folder = recorded();
    let here = folder.path();
    fs::copy(here.join("match.tape"), here.join("b.tape")).unwrap();
    for command in ["sign --key key", "pack", "cut --to 3s", "anonymize"] {
        let said = refused(here, &format!("{command} match.tape b.tape match.tape"));
        assert!(said.contains("--out-dir"), "{said}");
        fine(here, &format!("{command} match.tape b.tape --out-dir out --force"));
        for name in ["match.tape", "b.tape"] {
            assert_ne!(fs::read(here.join("out").join(name)).unwrap(), b"");
        }
        let before = fs::read(here.join("b.tape")).unwrap();
        fine(here, &format!("{command} b.tape --in-place"));
        assert_ne!(fs::read(here.join("b.tape")).unwrap(), before, "{command}");
        fine(here, "verify b.tape");
    }
    // The others are done where one is bad.
    fs::write(here.join("bad.tape"), "no tape").unwrap();
    let said = refused(here, "pack bad.tape match.tape --out-dir packed");
    assert!(said.contains("bad.tape"), "{said}");
    assert!(here.join("packed/match.tape").exists() && !here.join("packed/bad.tape").exists());
}

#[test]
fn recordings_in_folders_are_rewritten() {
    let folder = recorded();
    let here = folder.path();
    fs::create_dir_all(here.join("all/deep")).unwrap();
    fs::copy(here.join("match.tape"), here.join("all/deep/a.tape")).unwrap();
    fs::copy(here.join("match.tape"), here.join("all/b.tape")).unwrap();
    fs::write(here.join("all/notes.txt"), "no recording").unwrap();
    fine(here, "convert match.tape all/c.minewars");
    fine(here, "pack all --out-dir packed");
    let names = |folder: &str| {
        let names = fs::read_dir(here.join(folder)).unwrap();
        let names = names.map(|name| name.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(names("packed"), ["a.tape", "b.tape"]);
    fine(here, "anonymize all --out-dir nobody");
    assert_eq!(names("nobody"), ["a.tape", "b.tape", "c.minewars"]);
    // Where one result goes is not where several go.
    refused(here, "pack all one.tape");
    assert!(!here.join("one.tape").exists());
}

#[cfg(unix)]
#[test]
fn modes_of_replaced_files_stay_and_a_full_disk_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = recorded();
    let here = folder.path();
    let path = here.join("b.tape");
    fs::copy(here.join("match.tape"), &path).unwrap();
    for line in ["pack b.tape --in-place", "cut match.tape b.tape --to 2s --force"] {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        fine(here, line);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640, "{line}");
    }
    if Path::new("/dev/full").exists() {
        for command in
            ["pack match.tape", "anonymize match.tape", "convert match.tape --to minewars"]
        {
            let said = refused(here, &format!("{command} -o /dev/full"));
            assert!(said.contains("No space left"), "{command}: {said}");
        }
    }
}

#[test]
fn the_name_of_a_result_must_say_what_it_is() {
    let folder = recorded();
    let here = folder.path();
    let said = refused(here, "convert match.tape match.foo");
    assert!(said.contains(".minewars"), "{said}");
    assert!(!here.join("match.foo").exists());
    fine(here, "convert match.tape match.foo --to minewars");
}

#[test]
fn views_are_named_and_must_be_there() {
    let folder = recorded();
    let here = folder.path();
    let said = refused(here, "cut match.tape x.tape --view 9");
    assert!(said.contains("views 0,1,2, and not 9"), "{said}");
    let said = refused(here, "cut match.tape x.tape --view Nobody");
    assert!(said.contains("the players are 1 "), "{said}");
    fine(here, "cut match.tape x.tape --view spectator,2 --from 10% --to -1s");
}

/// A file that is being recorded is not replaced, whatever is said.
#[test]
#[cfg(unix)]
fn a_tape_that_is_being_recorded_is_not_replaced() {
    let folder = recorded();
    let here = folder.path();
    fs::copy(here.join("match.tape"), here.join("live.tape")).unwrap();
    let live = fs::File::open(here.join("live.tape")).unwrap();
    live.lock().unwrap();
    let before = fs::read(here.join("live.tape")).unwrap();
    for line in [
        "recover --in-place live.tape",
        "cut --in-place live.tape --to 2s",
        "anonymize --in-place live.tape",
        "sign --in-place live.tape --key key",
        "pack match.tape live.tape --force",
        "recover match.tape live.tape --force",
        "merge match.tape match.tape -o live.tape --force",
        "record live.tape --ticks 5 --force",
    ] {
        let said = refused(here, line);
        assert!(said.contains("somebody is recording into it"), "{line}: {said}");
        assert!(fs::read(here.join("live.tape")).unwrap() == before, "{line}");
    }
    drop(live);
    fine(here, "pack match.tape live.tape --force");
}

/// No result replaces another one, and none the key that it is signed with.
#[test]
fn results_do_not_replace_each_other() {
    let folder = recorded();
    let here = folder.path();
    for name in ["a", "b"] {
        fs::create_dir(here.join(name)).unwrap();
        fs::copy(here.join("match.tape"), here.join(name).join("m.tape")).unwrap();
    }
    for command in ["pack", "sign --key key", "cut --to 2s"] {
        let said = refused(here, &format!("{command} --force a/m.tape b/m.tape --out-dir out"));
        assert!(said.contains("both a/m.tape and b/m.tape"), "{command}: {said}");
        assert!(!here.join("out/m.tape").exists(), "{command}");
    }
    let key = fs::read(here.join("key")).unwrap();
    refused(here, "sign match.tape key --force --key key");
    assert_eq!(fs::read(here.join("key")).unwrap(), key);
}

/// A name that stays in the bytes of an unknown game does not end as if all were well.
#[test]
fn names_that_stay_are_a_loss() {
    let folder = tempfile::tempdir().unwrap();
    let header = gametape_tape::TapeHeader::new(gametape_wire::TickLength::millis::<50>(), 1);
    let metadata = br#"{"players":[{"view":1,"name":"Zorbulina"}]}"#;
    let mut writer = gametape_tape::TapeWriter::new(header, metadata).unwrap();
    let view = gametape_wire::View::new(1).unwrap();
    writer.frame(0, Tick::ZERO, &[(view, b"ZORBULINA came")]).unwrap();
    let bytes = [writer.take(), writer.finish().unwrap()].concat();
    fs::write(folder.path().join("own.tape"), bytes).unwrap();
    for line in ["anonymize own.tape a.tape", "anonymize -q --json own.tape b.tape"] {
        assert_eq!(code(&gametape(folder.path(), line)), Some(3), "{line}");
    }
}

/// What a command says whose standard output takes nothing.
#[cfg(target_os = "linux")]
fn into_full_disk(folder: &Path, line: &str) -> String {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let output = command.current_dir(folder).args(line.split(' ')).stdout(full).output().unwrap();
    assert_eq!(code(&output), Some(1), "{line}");
    String::from_utf8(output.stderr).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_that_is_said_once() {
    let folder = recorded();
    for line in ["--help", "events --help", "--version", "info match.tape", "events match.tape"] {
        let said = into_full_disk(folder.path(), line);
        assert_eq!(said, "error: standard output: No space left on device\n", "{line}");
    }
    let said = into_full_disk(folder.path(), "record --ticks 20 -");
    assert!(said.starts_with("error: standard output: "), "{said}");
}

#[test]
fn who_reads_no_more_ends_every_command_quietly() {
    use std::io::Read;
    let folder = recorded();
    for line in [
        "record --live --seed 1 -",
        "record --ticks 40000 --seed 1 -",
        "events match.tape",
        "cut match.tape -",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
        let command = command.current_dir(folder.path()).args(line.split(' '));
        let (stdout, stderr) = (std::process::Stdio::piped(), std::process::Stdio::piped());
        let mut process = command.stdout(stdout).stderr(stderr).spawn().unwrap();
        process.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let output = process.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((code(&output), &*said), (Some(0), ""), "{line}");
    }
}
