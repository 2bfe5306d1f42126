//! Events that matter to somebody who watches, in words.

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

/// The cell of a position, as scenes write it.
fn cell(position: &WorldPos) -> String {
    let [x, y] = [position.x, position.y].map(|value| value.div_euclid(WorldPos::PER_CELL));
    format!("{y},{x}")
}
