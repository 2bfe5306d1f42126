//! What happened in a match whose game is not known: its events, in words; `spec/scene.md`, section 12, rule 8.

use std::ops::Range;

use gametape_analysis::report::event_in_words;
use gametape_analysis::{
    AnalysisEvent, EventKind, EventStream, KindSet, MatchInfo, NameReader, TapeEvents, is_own,
};
use gametape_wire::{Moment, Result, Source, Tick, View};

use super::Stage;
use super::chronicle::ReportedLine;
use crate::model::Line;

impl<S: Source> Stage<S> {
    /// The events of some ticks that the views may know, as lines; not more than these.
    pub(super) fn event_lines(
        &mut self,
        ticks: Range<Tick>,
        most: usize,
    ) -> Result<Vec<ReportedLine>> {
        let seen = self.seen();
        let Some((tape, source)) = self.tape() else { return Ok(Vec::new()) };
        let mut names = NameReader::new(tape);
        names.read_from(source)?;
        let info = MatchInfo::of(tape, "", names.finish());
        let kinds = KindSet::of_stream(EventStream::Simulation);
        let mut lines = Vec::new();
        for event in TapeEvents::new(tape, kinds, ticks, source) {
            let event = event?;
            let is_known = seen.contains(View::SPECTATOR) || is_own(&event, seen);
            if !is_known || event.kind() == EventKind::PlayerStatSnapshot {
                continue;
            }
            let words = event_in_words(&event, &info);
            let by: Vec<u8> = words.player.into_iter().collect();
            let own = match &event {
                AnalysisEvent::GameEvent { what, .. } => info.names.get(what.0),
                _ => None,
            };
            let line = Line::new(own.unwrap_or(words.kind), words.text).by(&by);
            lines.push(ReportedLine { moment: Moment::after(event.tick()), line });
            if lines.len() >= most {
                break;
            }
        }
        Ok(lines)
    }
}
