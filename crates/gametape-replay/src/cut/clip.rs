//! Some of a recording of any format as a tape.

use gametape_wire::{Result, Source};

use super::{CutRequest, cut_minewars, cut_tape};
use crate::convert::ConvertOptions;
use crate::open::{MinewarsBytes, Opened};
use crate::rewrite::{Put, tape_id_of};
use crate::{Recording, cadre, minewars};

/// Writes some views or ticks of a recording of any format as a tape.
///
/// What is no tape is cut where its format can be cut, and becomes a tape; a gamelog becomes a tape and is cut then. Refused
/// as [`cut_tape`] and [`cut_minewars`] refuse.
pub fn clip<S: Source>(opened: Opened<S>, request: &CutRequest, put: &mut Put<'_>) -> Result<()> {
    match opened {
        Opened::Tape(mut source) => clip_tape(&mut source, request, put),
        Opened::MineWars(bytes) => {
            let cut = cut_minewars(&bytes.file()?, request)?;
            let options = ConvertOptions::new(tape_id_of(&cut.bytes));
            let part = MinewarsBytes::new(cut.bytes, None);
            minewars::write_tape(&part.file()?, &options, put)
        }
        Opened::Gamelog(bytes) => {
            let (log, mut whole) = (bytes.log()?, Vec::new());
            let options = ConvertOptions::new(tape_id_of(bytes.bytes()));
            let mut keep = |part: &[u8]| {
                whole.extend_from_slice(part);
                Ok(())
            };
            cadre::write_tape(&log, &options, &mut keep)?;
            clip_tape(&mut whole.as_slice(), request, put)
        }
    }
}

fn clip_tape<S: Source>(source: &mut S, request: &CutRequest, put: &mut Put<'_>) -> Result<()> {
    let tape = Recording::open(&mut *source)?.tape().clone();
    cut_tape(source, &tape, request, put).map(|_| ())
}
