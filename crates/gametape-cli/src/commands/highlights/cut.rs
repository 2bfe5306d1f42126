//! Highlights as tapes of their own.

use std::path::Path;

use gametape_analysis::report::HighlightRow;
use gametape_wire::ViewSet;

use super::source_of;
use crate::commands::cut::cut_span;
use crate::events::Observed;
use crate::failure::{Done, Failure};
use crate::input::Source;
use crate::output::{Target, make_folder};

/// Writes each moment into a folder, and notes where.
pub(super) fn cut_all(
    sources: &[Source],
    folder: &Path,
    rows: &mut [HighlightRow],
) -> Result<Done, Failure> {
    make_folder(folder)?;
    let mut done = Done::Fine;
    for row in rows {
        let path = folder.join(format!("{:02}-tick-{}.tape", row.rank, row.tick));
        let target = Target::File(path);
        let mut observed = Observed::open(source_of(sources, row)?)?;
        let (file, tape) = observed.file();
        let report = cut_span(file, tape, ViewSet::EMPTY, row.start_tick..row.end_tick, &target)?;
        if !report.lost.is_empty() {
            done = Done::DataLost;
        }
        row.cut = Some(target.to_string());
    }
    Ok(done)
}
