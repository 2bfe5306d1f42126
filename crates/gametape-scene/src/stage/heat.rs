//! Heat maps and trails of a recording, of what the present view may know.

use std::collections::HashMap;

use gametape_analysis::{
    AnalysisEvent, EventKind, EventStream, KindSet, TapeEvents, WorldPos, is_own,
};
use gametape_tape::ChunkKind;
use gametape_wire::{Moment, Result, Source, Tick, View};

use super::Stage;
use crate::heat::{Heat, HeatCounter, HeatKind};
use crate::layout::Layout;
use crate::model::{Board, Piece, Position, Scene, TileAt};
use crate::trail::{Trail, TrailMaker};

/// Moments at which the board is looked at for ownership.
const LOOKS: u64 = 60;
/// Moments at which pieces are looked at for trails.
const STEPS: u64 = 40;
/// A gamelog is looked at as often as this for pieces that are gone.
const DEATH_LOOKS: u64 = 240;

/// Lines about what died or was destroyed.
const DEATHS: [&str; 2] = ["death", "loss"];
/// Lines about fighting.
const FIGHTS: [&str; 4] = ["death", "loss", "explosion", "capture"];

impl<S: Source> Stage<S> {
    /// The heat maps that the recording can have, as the present view sees it.
    #[must_use]
    pub fn heat_kinds(&mut self) -> Vec<HeatKind> {
        let kinds = HeatKind::ALL.into_iter();
        kinds.filter(|kind| self.has_heat(*kind)).collect()
    }

    fn has_heat(&mut self, kind: HeatKind) -> bool {
        let is_gamelog = self.is_gamelog();
        match kind {
            HeatKind::Ownership => true,
            HeatKind::Deaths => is_gamelog || self.has_events() || self.can_be_reported(),
            HeatKind::Fights => !is_gamelog && (self.has_events() || self.can_be_reported()),
            HeatKind::Attention => self.has_stream(EventStream::Reported),
        }
    }

    /// Are there events of which the present view may know all?
    fn has_events(&mut self) -> bool {
        self.seen().contains(View::SPECTATOR) && self.has_stream(EventStream::Simulation)
    }

    fn has_stream(&mut self, stream: EventStream) -> bool {
        let Some((tape, _)) = self.tape() else { return false };
        tape.stream(ChunkKind::EVENTS, stream.number()).next().is_some()
    }

    /// How much of something was where, after one moment until another, as far as the present view knows. The position
    /// stays.
    ///
    /// The all-seeing view of a tape with events has what they say. Others have what was said to them in words; who owned what
    /// is seen in scenes; where a player looked is known to themselves.
    pub fn heat(&mut self, kind: HeatKind, from: Moment, to: Moment) -> Result<Heat> {
        let (from, to) = (from.max(self.begin()).min(self.end()), to.min(self.end()));
        let mut counter = HeatCounter::default();
        if let Some(layout) = self.scene().board.as_ref().and_then(Layout::of) {
            match kind {
                HeatKind::Ownership => self.count_owners(&mut counter, from, to)?,
                HeatKind::Attention => self.count_events(&mut counter, &layout, kind, from, to)?,
                _ if self.has_events() => {
                    self.count_events(&mut counter, &layout, kind, from, to)?;
                }
                _ if self.is_gamelog() => self.count_gone(&mut counter, from, to)?,
                _ => self.count_lines(&mut counter, &layout, kind, from, to)?,
            }
        }
        let range = format!("{} to {}", self.time_label(from), self.time_label(to));
        Ok(counter.finish(kind, range))
    }

    /// A moment for people.
    fn time_label(&self, moment: Moment) -> String {
        let tick = moment.last_tick().unwrap_or_default();
        match self.is_gamelog() {
            true => format!("delta {tick}"),
            false => self.tick_length().time_of(tick).to_string(),
        }
    }

    fn count_events(
        &mut self,
        counter: &mut HeatCounter,
        layout: &Layout,
        kind: HeatKind,
        from: Moment,
        to: Moment,
    ) -> Result<()> {
        let seen = self.seen();
        let Some((tape, source)) = self.tape() else { return Ok(()) };
        let kinds: &[EventKind] = match kind {
            HeatKind::Deaths => &[EventKind::UnitDestroyed],
            HeatKind::Fights => &[
                EventKind::UnitDestroyed,
                EventKind::UnitPositionSample,
                EventKind::EngagementStarted,
            ],
            _ => &[EventKind::CameraPositionSample],
        };
        let kinds: KindSet = kinds.iter().copied().collect();
        for event in TapeEvents::new(tape, kinds, from.next_tick()..to.next_tick(), source) {
            let event = event?;
            if !seen.contains(View::SPECTATOR) && !is_own(&event, seen) {
                continue;
            }
            match &event {
                AnalysisEvent::UnitDestroyed { pos, .. }
                | AnalysisEvent::EngagementStarted { center_pos: pos, .. }
                | AnalysisEvent::CameraPositionSample { viewport_center: pos, .. } => {
                    counter.add(layout, position(*pos));
                }
                AnalysisEvent::UnitPositionSample { positions, .. } => {
                    positions.iter().for_each(|(_, pos)| counter.add(layout, position(*pos)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn count_lines(
        &mut self,
        counter: &mut HeatCounter,
        layout: &Layout,
        kind: HeatKind,
        from: Moment,
        to: Moment,
    ) -> Result<()> {
        self.report_until(to)?;
        let kinds: &[&str] = if kind == HeatKind::Deaths { &DEATHS } else { &FIGHTS };
        let reported = self
            .reported()
            .iter()
            .filter(|reported| reported.moment > from && reported.moment <= to);
        for at in reported
            .filter(|reported| kinds.contains(&&*reported.line.kind))
            .filter_map(|t| t.line.at)
        {
            counter.add(layout, at.into());
        }
        Ok(())
    }

    /// How often tiles had an owner when they were looked at.
    fn count_owners(&mut self, counter: &mut HeatCounter, from: Moment, to: Moment) -> Result<()> {
        self.look_between(from, to, LOOKS, |scene| {
            let Some(board) = &scene.board else { return };
            let Some(layout) = Layout::of(board) else { return };
            let is_owned = |(tile, at): (usize, &TileAt)| (board.owner(tile) != 0).then_some(*at);
            let pieces = board.pieces.iter().filter(|piece| piece.owner != 0);
            match board.owners.is_empty() && board.tiles.is_empty() {
                true => counter.look(&layout, pieces.filter_map(|piece| piece.at.tile())),
                false => counter.look(&layout, board.tiles.iter().enumerate().filter_map(is_owned)),
            }
        })
    }

    /// Where pieces were last that were there in one look and not in the next.
    fn count_gone(&mut self, counter: &mut HeatCounter, from: Moment, to: Moment) -> Result<()> {
        let mut before: Vec<Piece> = Vec::new();
        self.look_between(from, to, DEATH_LOOKS, |scene| {
            let Some(board) = &scene.board else { return };
            if let Some(layout) = Layout::of(board) {
                gone(&before, board).for_each(|piece| counter.add(&layout, piece.at));
            }
            before.clone_from(&board.pieces);
        })
    }

    /// Scenes at moments that are evenly apart, the last of them at the end. The position stays.
    fn look_between(
        &mut self,
        from: Moment,
        to: Moment,
        looks: u64,
        mut look: impl FnMut(&Scene),
    ) -> Result<()> {
        let here = self.position();
        let (first, last) = (from.next_tick().0, to.next_tick().0);
        let span = last.saturating_sub(first);
        let looks = looks.min(span).max(1);
        let mut done = Ok(());
        for step in 0..=looks.min(span) {
            done = self.seek(Moment::before(Tick(first + span * step / looks)));
            if done.is_err() {
                break;
            }
            look(&self.scene());
        }
        self.seek(here)?;
        done
    }

    /// Where pieces were during the last ticks. The position stays.
    pub fn trails(&mut self, ticks: u64) -> Result<Vec<Trail>> {
        let to = self.position();
        let from = to.next_tick().0.saturating_sub(ticks).max(self.begin().next_tick().0);
        let mut maker = TrailMaker::default();
        self.look_between(Moment::before(Tick(from)), to, STEPS, |scene| maker.add(scene))?;
        Ok(maker.finish())
    }
}

/// The pieces that were on a board and are not on it now.
fn gone<'p>(before: &'p [Piece], board: &'p Board) -> impl Iterator<Item = &'p Piece> {
    let now: HashMap<&str, u8> =
        board.pieces.iter().map(|piece| (&*piece.id, piece.owner)).collect();
    let count = |pieces: &[Piece], owner: u8| pieces.iter().filter(|p| p.owner == owner).count();
    let are_fewer = move |owner: u8| count(&board.pieces, owner) < count(before, owner);
    // Where the place is the id, a move is no death: somebody else is there, or a side has fewer pieces.
    let by_place = !before.is_empty() && before.iter().all(is_called_by_its_place);
    before.iter().filter(move |piece| match (by_place, now.get(&*piece.id)) {
        (false, owner) => owner.is_none(),
        (true, Some(owner)) => *owner != piece.owner,
        (true, None) => {
            let taken = before
                .iter()
                .any(|p| now.get(&*p.id).is_some_and(|o| *o != p.owner && p.owner == piece.owner));
            are_fewer(piece.owner) && !taken
        }
    })
}

/// `e4` on the square e4.
fn is_called_by_its_place(piece: &Piece) -> bool {
    let (Some(at), Some((file, rank))) = (piece.at.tile(), piece.id.split_at_checked(1)) else {
        return false;
    };
    let is_file = file.bytes().all(|letter| i32::from(letter) - i32::from(b'a') == at.x);
    is_file && rank.parse() == Ok(at.y + 1)
}

/// The cell of a position of an event.
fn position(pos: WorldPos) -> Position {
    let cell = |axis: i32| axis.div_euclid(WorldPos::PER_CELL) as f32;
    Position { x: cell(pos.x), y: cell(pos.y) }
}
