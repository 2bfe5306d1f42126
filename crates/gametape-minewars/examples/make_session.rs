//! Makes a session of its own and writes it in both generations.
//!
//! `cargo run -p gametape-minewars --example make_session -- FOLDER`

use std::error::Error;
use std::path::PathBuf;

use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_minewars::{WriteOptions, write_file};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let sample = Sample { radius: 12, players: 4, cities: 5, moments: 600, ..Sample::default() };
    for (generation, name) in
        [(Generation::V01, "session.v01.minewars"), (Generation::Current, "session.minewars")]
    {
        let (setup, frames) = sample.build(generation)?;
        let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
        let path = folder.join(name);
        std::fs::write(&path, &bytes)?;
        println!("{}: {} bytes", path.display(), bytes.len());
    }
    Ok(())
}
