//! Many files at once: the output does not depend on the number of jobs, and memory is bounded.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn gametape(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder).args(line.split(' ')).stdin(Stdio::null()).output().unwrap()
}

/// A folder with 40 recordings: sound ones, damaged ones, and some of which much is printed.
fn recordings() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let names = [
        "tape.in/match.tape",
        "tape.in/flipped.tape",
        "gamelog.in/chase.json",
        "gamelog.in/broken.json",
        "tape.in/torn.tape",
        "gamelog.in/colour.json",
        "gamelog.in/cut.json",
    ];
    for (number, name) in names.iter().cycle().take(36).enumerate() {
        let extension = name.split_once('.').unwrap().1.split_once('.').unwrap().1;
        let copy = folder.path().join(format!("{number:02}.{extension}"));
        fs::copy(examples.join(name), copy).unwrap();
    }
    for number in [3, 17, 18, 30] {
        fs::write(folder.path().join(format!("{number:02}-large.json")), large_gamelog()).unwrap();
    }
    folder
}

/// A gamelog of which `log` prints more than a worker keeps.
fn large_gamelog() -> String {
    let delta = |number| format!(r#"{{"type":"odd {number}","game":{{"n":{number}}}}}"#);
    let deltas: Vec<String> = (0..8_000).map(delta).collect();
    format!(r#"{{"gameName":"Large","deltas":[{}]}}"#, deltas.join(","))
}

#[test]
fn any_number_of_jobs_prints_the_same() {
    let folder = recordings();
    for line in
        ["verify .", "verify --all .", "verify --json .", "info .", "info --json .", "state ."]
    {
        let alone = gametape(folder.path(), &format!("{line} --jobs 1"));
        assert_eq!(alone.status.code(), Some(1), "{line}");
        assert!(alone.stdout.len() > 1000 && alone.stderr.len() > 100, "{line}");
        for jobs in [2, 4, 16] {
            let together = gametape(folder.path(), &format!("{line} --jobs {jobs}"));
            assert_eq!(together.status, alone.status, "{line} --jobs {jobs}");
            assert!(together.stdout == alone.stdout, "{line} --jobs {jobs}");
            assert!(together.stderr == alone.stderr, "{line} --jobs {jobs}");
        }
    }
}

/// The files of a folder, by name.
fn files_in(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn any_number_of_jobs_writes_the_same() {
    let folder = recordings();
    assert!(gametape(folder.path(), "keygen key").status.success());
    for (line, good) in [
        ("pack", "packed"),
        ("sign --key key", "signed"),
        ("anonymize", "anonymized"),
        ("cut --from tick:10", "cut"),
    ] {
        let run = |jobs: u8, more: &str| {
            let out = format!("out-{jobs}");
            let _ = fs::remove_dir_all(folder.path().join(&out));
            let line = format!("{line} {more}. --out-dir {out} --jobs {jobs}");
            let output = gametape(folder.path(), &line);
            // The folder of results is in the folder that is read.
            let files = files_in(&folder.path().join(&out));
            fs::remove_dir_all(folder.path().join(&out)).unwrap();
            (output, files)
        };
        let (alone, files) = run(1, "");
        let said = String::from_utf8(alone.stderr.clone()).unwrap();
        assert!(files.len() > 5, "{line}: {} files", files.len());
        let summary = said.lines().last().unwrap();
        assert!(summary.contains(" matches: ") && summary.contains(good), "{line}: {summary}");
        let (together, same_files) = run(4, "");
        assert_eq!(together.status, alone.status, "{line}");
        assert!(same_files == files && together.stderr == alone.stderr, "{line}");
        let (quiet, _) = run(2, "--quiet ");
        let quiet = String::from_utf8(quiet.stderr).unwrap();
        assert!(quiet.lines().all(|line| line.starts_with("error: ")), "{line}: {quiet}");
    }
}

#[test]
fn the_exit_code_is_that_of_the_worst() {
    let folder = recordings();
    let code = |line: &str| gametape(folder.path(), line).status.code();
    assert_eq!(code("info 00.tape 02.json"), Some(0));
    // Data is lost, and then a file fails.
    assert_eq!(code("info 00.tape 04.tape"), Some(3));
    assert_eq!(code("info 04.tape 06.json 00.tape"), Some(1));
    assert_eq!(code("info --frames 04.tape 06.json"), Some(2));
    assert_eq!(code("verify 00.tape 01.tape 02.json"), Some(1));
}

#[test]
fn a_closed_pipe_ends_the_work_quietly() {
    let folder = recordings();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    command.current_dir(folder.path()).args(["state", "--json", "--jobs", "4", "."]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().code().is_some_and(|code| code < 2));
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_ends() {
    let folder = recordings();
    let before = gametape(folder.path(), "info --json .");
    std::os::unix::fs::symlink("..", folder.path().join("loop")).unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    std::os::unix::fs::symlink("..", folder.path().join("inner/loop")).unwrap();
    let after = gametape(folder.path(), "info --json .");
    assert!(after.stdout == before.stdout && before.stdout.len() > 1000);
}

#[test]
fn what_is_no_recording_is_refused_by_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    // A file of 3 GB that takes no room on the disk.
    let large = File::create(folder.path().join("large")).unwrap();
    large.set_len(3_000_000_000).unwrap();
    for line in ["info large", "verify large", "state large", "disasm large"] {
        let output = gametape(folder.path(), line);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(message.contains("neither a tape nor a gamelog"), "{line}: {message}");
    }
    let output = gametape(folder.path(), "verify .");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("no recordings found (1 file looked at)"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_device_without_end_is_refused() {
    for line in ["info /dev/zero", "verify /dev/zero", "state /dev/zero", "log /dev/zero"] {
        let output = gametape(Path::new("/"), line);
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_gametape"));
    let zero = File::open("/dev/zero").unwrap();
    let output = command.args(["verify", "-"]).stdin(zero).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn memory_has_a_limit_that_can_be_raised() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}{}", large_gamelog(), " ".repeat(3 << 20));
    fs::write(folder.path().join("spaces.json"), text).unwrap();
    let refused = gametape(folder.path(), "info --max-memory 3MiB spaces.json");
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(message.contains("--max-memory"), "{message}");
    assert!(gametape(folder.path(), "info --max-memory 16MiB spaces.json").status.success());
}

#[cfg(unix)]
#[test]
fn what_is_no_recording_is_refused_at_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["find /dev/zero a", "log /dev/zero", "diff /dev/zero", "disasm /dev/zero"] {
        let refused = gametape(folder.path(), line);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_ne!(refused.status.code(), Some(0), "{line}");
        // Whoever reads on says that it is too large.
        assert!(
            said.contains("neither a tape nor a gamelog nor a MineWars file"),
            "{line}: {said}"
        );
    }
}

#[test]
fn colours_are_for_whoever_asks_for_them() {
    let folder = recordings();
    let is_coloured = |line: &str| {
        let Output { stdout, stderr, .. } = gametape(folder.path(), line);
        [stdout, stderr].concat().contains(&0x1b)
    };
    for line in ["verify 01.tape", "--help", "info --nonsense", "info nowhere"] {
        assert!(is_coloured(&format!("--color always {line}")), "{line}");
        assert!(!is_coloured(&format!("--color never {line}")), "{line}");
    }
    let verified = gametape(folder.path(), "verify --color always 01.tape");
    let text = String::from_utf8(verified.stdout).unwrap();
    assert!(text.lines().nth(1).unwrap().starts_with("  \u{1b}["), "{text}");
}
