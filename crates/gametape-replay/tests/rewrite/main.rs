//! Recordings that are opened by content, merged, cut and anonymised.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod anonymize;
mod cut;
mod merge;
mod open;
mod streams;
mod unfinished;

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use gametape_wire::{Result, Source, View, ViewSet};

/// A file of the hostile corpus; none, and a line that says so, where there is no corpus.
fn hostile(name: &str) -> Option<Vec<u8>> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return None;
    };
    Some(std::fs::read(PathBuf::from(corpus).join("hostile").join(name)).unwrap())
}

/// Bytes in memory that count how many of them are fetched.
#[derive(Debug, Clone)]
struct Counting {
    bytes: Rc<Vec<u8>>,
    fetched: Rc<Cell<u64>>,
}

impl Counting {
    fn new(bytes: Vec<u8>) -> Self {
        Self { bytes: Rc::new(bytes), fetched: Rc::default() }
    }
}

impl Source for Counting {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.fetched.set(self.fetched.get() + range.end - range.start);
        Ok(Cow::Borrowed(&self.bytes[range.start as usize..range.end as usize]))
    }
}

fn view(number: u8) -> View {
    View::new(number).unwrap()
}

fn views(numbers: &[u8]) -> ViewSet {
    numbers.iter().map(|number| view(*number)).collect()
}
