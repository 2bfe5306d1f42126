//! Events that matter to somebody who watches, in words.

use super::line::{EventLine, involves};
use super::player_name;
use crate::event::table::AnalysisEvent;
use crate::event::types::{MatchOutcome, WorldPos};
use crate::export::column::Names;
use crate::export::match_info::MatchInfo;

/// An event in words, for a marker on a bar of time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventWords {
    /// What it is about, for filters: `fight`, `base`, `army`.
    pub kind: &'static str,
    /// The player that it is about most.
    pub player: Option<u8>,
    /// A sentence with names.
    pub text: String,
}

/// An event in words; none for those of which a match has thousands, such as samples and single units.
#[must_use]
pub fn event_words<N: Names>(event: &AnalysisEvent, info: &MatchInfo<N>) -> Option<EventWords> {
    let name = |player: u8| player_name(info, player);
    let words = |kind, player, text| Some(EventWords { kind, player, text });
    match event {
        AnalysisEvent::EngagementStarted { center_pos, friendly_units, enemy_units, .. } => {
            let units = friendly_units.len() + enemy_units.len();
            words("fight", None, format!("A fight of {units} begins at {}.", cell(center_pos)))
        }
        AnalysisEvent::SuperweaponFired { player, target_pos, .. } => {
            let text = format!("{} fires a superweapon at {}.", name(*player), cell(target_pos));
            words("superweapon", Some(*player), text)
        }
        AnalysisEvent::BaseDestroyed { player, pos, .. } => {
            let text = format!("The base of {} at {} is destroyed.", name(*player), cell(pos));
            words("base", Some(*player), text)
        }
        AnalysisEvent::ArmyWipe { player, percentage_of_army, .. } => {
            let text = format!("{} loses {percentage_of_army} % of the army.", name(*player));
            words("army", Some(*player), text)
        }
        AnalysisEvent::ComebackMoment { player, deficit_before, .. } => {
            let text = format!("{} comes back from {deficit_before} behind.", name(*player));
            words("comeback", Some(*player), text)
        }
        AnalysisEvent::MatchEnded { outcome, .. } => {
            let text = match outcome {
                MatchOutcome::Completed { winner, .. } => format!("{} wins.", name(*winner)),
                MatchOutcome::Abandoned { leaver } => {
                    format!("{} leaves the match.", name(*leaver))
                }
                MatchOutcome::Draw => "The match is drawn.".to_owned(),
                _ => "The match ends.".to_owned(),
            };
            words("end", None, text)
        }
        _ => None,
    }
}

/// An event in words; one that has none of its own by its kind and its fields: `Unit destroyed: tag 7.1, owner 2 Ben`.
#[must_use]
pub fn event_in_words<N: Names>(event: &AnalysisEvent, info: &MatchInfo<N>) -> EventWords {
    event_words(event, info).unwrap_or_else(|| {
        let kind = event.kind().name();
        let details = EventLine { event, info }.details();
        // What the game calls it says more than that it is of the game.
        let text = match (details.strip_prefix("what "), details.is_empty()) {
            (Some(own), _) => own.to_owned(),
            (None, true) => spaced(kind),
            (None, false) => format!("{}: {details}", spaced(kind)),
        };
        let player = (1..=15).find(|player| involves(event, &[*player]));
        EventWords { kind, player, text }
    })
}

/// `UnitDestroyed` as `Unit destroyed`.
fn spaced(kind: &str) -> String {
    let mut words = String::new();
    for letter in kind.chars() {
        match letter.is_uppercase() && !words.is_empty() {
            true => words.extend([' ', letter.to_ascii_lowercase()]),
            false => words.push(letter),
        }
    }
    words
}

/// The cell of a position, as scenes write it.
fn cell(position: &WorldPos) -> String {
    let [x, y] = [position.x, position.y].map(|value| value.div_euclid(WorldPos::PER_CELL));
    format!("{y},{x}")
}

#[cfg(test)]
mod tests {
    use gametape_wire::{Tick, TickLength};

    use super::*;

    #[test]
    fn an_event_without_words_of_its_own_has_its_kind_and_fields() {
        let info = MatchInfo::new(TickLength::millis::<50>(), vec!["wall".to_owned()]);
        let (pos, buildings_lost) = (WorldPos::default(), Vec::new());
        let event = AnalysisEvent::BaseDestroyed { tick: Tick(5), player: 2, pos, buildings_lost };
        assert_eq!(event_in_words(&event, &info).kind, "base");
        let event = AnalysisEvent::PauseEvent { tick: Tick(5), player: 2, paused: true };
        let words = event_in_words(&event, &info);
        assert_eq!((words.kind, words.player), ("PauseEvent", Some(2)));
        assert_eq!(words.text, "Pause event: player 2, paused yes");
    }
}
