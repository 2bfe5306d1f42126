//! Peaks of child processes. Not the usual harness: the program must be able to start itself.

use gametape_benches::memory::{self, Task};
use libtest_mimic::{Arguments, Failed, Trial};
use std::hint::black_box;

const MEGABYTE: u64 = 1 << 20;

const TASKS: &[Task] = &[
    ("nothing", || ()),
    ("64 megabytes", || drop(black_box(vec![1_u8; 64 << 20]))),
    ("failure", || std::process::exit(1)),
];

fn main() -> std::io::Result<()> {
    if memory::serve(TASKS)? {
        return Ok(());
    }
    let mut trials =
        vec![Trial::test("a_task_that_fails_is_an_error", a_task_that_fails_is_an_error)];
    if cfg!(target_os = "linux") {
        trials.push(Trial::test("a_task_adds_what_it_uses", a_task_adds_what_it_uses));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn a_task_adds_what_it_uses() -> Result<(), Failed> {
    let added = memory::peak_of("64 megabytes")?.saturating_sub(memory::peak_of("nothing")?);
    if (60 * MEGABYTE..80 * MEGABYTE).contains(&added) {
        return Ok(());
    }
    Err(format!("64 megabytes added {added} bytes to the peak").into())
}

fn a_task_that_fails_is_an_error() -> Result<(), Failed> {
    for task in ["failure", "a task that nobody knows"] {
        if let Ok(peak) = memory::peak_of(task) {
            return Err(format!("{task} had a peak of {peak}").into());
        }
    }
    Ok(())
}
