//! Golden tests of the command line: `tests/cli/*` have commands and what they print.
//!
//! `BLESS=1 cargo test -p gametape` rewrites the expected output; the diff is the review.

#![allow(clippy::unwrap_used, clippy::panic)]

mod tapes;

use std::process::Command;

#[test]
fn commands_print_what_is_expected() {
    tapes::check(wants_blessing());
    if wants_blessing() {
        // The same test again, in a process whose environment says so to the test crate.
        let this = std::env::current_exe().unwrap();
        let status = Command::new(this).env("TRYCMD", "overwrite").status().unwrap();
        assert!(status.success());
        return;
    }
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        // When recordings begin.
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .case("tests/cli/*.trycmd")
        .case("tests/cli/*.toml");
}

fn wants_blessing() -> bool {
    let is_set = |name, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    is_set("BLESS", "1") && !is_set("TRYCMD", "overwrite")
}
