//! The same matches in WebAssembly as here.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test may fail it")]

#[path = "../examples/hash_of_matches.rs"]
#[allow(dead_code)]
mod matches;

use std::path::Path;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
const EXAMPLE: &str = "hash_of_matches";

/// Runs a program; none when it is not there.
fn run(command: &mut Command) -> Option<(bool, String)> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Some((output.status.success(), text))
}

fn has_target() -> bool {
    let mut rustc = Command::new("rustc");
    let Ok(output) = rustc.args(["--print", "target-libdir", "--target", TARGET]).output() else {
        return false;
    };
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success() && Path::new(&folder).is_dir()
}

/// Builds the example so that it fails unless its hash is `expected`, and runs it.
fn plays_the_same(expected: &str) -> bool {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut build = Command::new(cargo);
    build.args([
        "build",
        "-q",
        "-p",
        "gametape-skirmish",
        "--example",
        EXAMPLE,
        "--target",
        TARGET,
    ]);
    build.env("GAMETAPE_EXPECTED_HASH", expected);
    let (built, problems) = run(&mut build).expect("cargo runs this test");
    assert!(built, "{problems}");
    let program = "const bytes = require('fs').readFileSync(process.argv[1]);\
        const module = new WebAssembly.Module(bytes);\
        process.exit(new WebAssembly.Instance(module, {}).exports.main(0, 0));";
    // Beside the folder of this test's own profile.
    let tests = std::env::current_exe().expect("a test has a place");
    let folders = tests.ancestors().nth(3).expect("the target folder");
    let wasm = folders.join(TARGET).join("debug/examples").join(format!("{EXAMPLE}.wasm"));
    let mut node = Command::new("node");
    run(node.arg("-e").arg(program).arg(wasm)).expect("node was there a moment ago").0
}

#[test]
fn matches_are_the_same_in_webassembly() {
    if run(Command::new("node").arg("--version")).is_none() {
        println!("skipped: there is no node");
        return;
    }
    if !has_target() {
        println!("skipped: the target {TARGET} is not installed");
        return;
    }
    let hash = matches::hash_of_matches().unwrap();
    assert!(plays_the_same(&hash), "{hash}");
}
