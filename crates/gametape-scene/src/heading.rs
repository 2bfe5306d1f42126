//! The heading of a scene: which match, who sees it.

use crate::model::{Scene, Title};

/// More names than these are counted.
const SHOWN_NAMES: usize = 6;

impl Title {
    /// The players, else the match, else the game: `Ana · Ben · Chloé`.
    #[must_use]
    pub fn headline(&self) -> String {
        let mut names = self.players.iter().take(SHOWN_NAMES).cloned().collect::<Vec<_>>();
        if self.players.len() > SHOWN_NAMES {
            names.push(format!("{} more", self.players.len() - SHOWN_NAMES));
        }
        match (names.is_empty(), &self.match_name) {
            (false, _) => names.join(" · "),
            (true, Some(name)) => name.clone(),
            (true, None) => self.game.clone(),
        }
    }

    /// What the headline does not say: `Skirmish · Friday 3 · seen by Ana`.
    #[must_use]
    pub fn subtitle(&self) -> String {
        let headline = self.headline();
        let view = self.view.as_ref().map(|view| format!("seen by {view}"));
        let is_said = |name: &&String| {
            !self.players.is_empty() && self.players.iter().all(|player| name.contains(&**player))
        };
        let name = self.match_name.as_ref().filter(|name| !is_said(name)).cloned();
        [Some(self.game.clone()), name, view]
            .into_iter()
            .flatten()
            .filter(|part| *part != headline && !part.is_empty())
            .collect::<Vec<_>>()
            .join(" · ")
    }
}

impl Scene {
    /// The heading in one line.
    #[must_use]
    pub fn heading(&self) -> String {
        let (headline, subtitle) = (self.title.headline(), self.title.subtitle());
        if subtitle.is_empty() { headline } else { format!("{headline}   {subtitle}") }
    }

    /// The facts in one line: `time 3:37.6 · turn 12 of 200`.
    #[must_use]
    pub fn fact_line(&self) -> String {
        let fact = |fact: &crate::Value| format!("{} {}", fact.name, fact.value.text(self));
        self.facts.iter().map(fact).collect::<Vec<_>>().join(" · ")
    }
}
