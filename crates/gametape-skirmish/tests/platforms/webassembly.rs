//! Runs a program in WebAssembly, with Node.

use std::path::Path;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "quick";
/// Runs the WebAssembly module that it is given, and exits with what its `main` returns.
const PROGRAM: &str = "const bytes = require('fs').readFileSync(process.argv[1]);\
    const module = new WebAssembly.Module(bytes);\
    process.exit(new WebAssembly.Instance(module, {}).exports.main(0, 0));";

/// Builds a program so that it fails unless its hash is `expected`, and runs it.
pub(crate) fn check(program: &str, expected: &str) {
    if run(Command::new("node").arg("--version")).is_none() {
        println!("skipped: there is no node");
        return;
    }
    if !has_target() {
        println!("skipped: the target {TARGET} is not installed");
        return;
    }
    build(program, expected);
    // Beside the folder of this test's own profile.
    let tests = std::env::current_exe().expect("a test has a place");
    let folders = tests.ancestors().nth(3).expect("the target folder");
    let module = folders.join(TARGET).join(PROFILE).join(format!("{program}.wasm"));
    let ran = run(Command::new("node").arg("-e").arg(PROGRAM).arg(module));
    let (agrees, problems) = ran.expect("node was there a moment ago");
    assert!(agrees, "{program} gives another hash than {expected}, or none:\n{problems}");
}

fn build(program: &str, expected: &str) {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut build = Command::new(cargo);
    // The viewer's module has the same packages and the same profile when it is built for tests.
    build.args(["build", "--quiet", "--package", "gametape-web", "--package", "gametape-skirmish"]);
    build.args(["--bin", program, "--target", TARGET, "--profile", PROFILE]);
    build.env("GAMETAPE_EXPECTED_HASH", expected);
    let (is_built, problems) = run(&mut build).expect("cargo runs this test");
    assert!(is_built, "{problems}");
}

/// Whether a program succeeds, and its words; none when it is not there.
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
