//! Who may see what, and who may publish. Decides, and does no I/O.

use gametape_live::{Announce, Classes, Grant, MatchName, Pass, Refusal};
use gametape_tape::PublicKey;
use gametape_wire::{Tick, TickLength, Time, View, ViewSet};

/// How long something is held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// This long, in every match.
    Time(Time),
    /// This many ticks.
    Ticks(u64),
}

impl Hold {
    /// The same in ticks of a match, rounded up.
    ///
    /// ```
    /// use gametape_server::live::Hold;
    /// use gametape_wire::{TickLength, Time};
    ///
    /// let length = TickLength::from_micros(16_667).unwrap();
    /// assert_eq!(Hold::Time(Time::from_seconds(1)).ticks(length), 60);
    /// assert_eq!(Hold::Time(Time::ZERO).ticks(length), 0);
    /// ```
    #[must_use]
    pub fn ticks(self, length: TickLength) -> u64 {
        match self {
            Self::Time(time) => {
                let Tick(ticks) = length.tick_from(time);
                ticks
            }
            Self::Ticks(ticks) => ticks,
        }
    }
}

/// What a server allows.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Whose passes count.
    pub trusted: Vec<PublicKey>,
    /// What strangers may see.
    pub public: ViewSet,
    /// How long it is held back from them.
    pub delay: Hold,
    /// May anybody publish who can connect?
    pub open: bool,
    /// Are all views kept, also those that nobody may see, for the tape that is stored at the end?
    pub keeps_all: bool,
}

impl Default for Policy {
    /// Strangers see the spectator's view, 30 s later; nobody publishes.
    fn default() -> Self {
        Self {
            trusted: Vec::new(),
            public: ViewSet::EMPTY.with(View::SPECTATOR),
            delay: Hold::Time(Time::from_seconds(30)),
            open: false,
            keeps_all: false,
        }
    }
}

/// What somebody may have of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit {
    /// Views, classes, delay.
    pub grant: Grant,
    /// When it ends, in seconds since 1970.
    pub until: Option<u64>,
}

impl Permit {
    /// Is it what every stranger has?
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.until.is_none()
    }
}

impl Policy {
    /// What strangers may have of a match with ticks of this length; maybe no view.
    #[must_use]
    pub fn strangers(&self, length: TickLength) -> Permit {
        let (views, classes) = (self.public, Classes::ALL);
        Permit { grant: Grant { views, classes, delay: self.delay.ticks(length) }, until: None }
    }

    /// What the holder of a pass may have of the match of this name.
    ///
    /// # Errors
    ///
    /// The pass is not valid here and now.
    pub fn holder(&self, name: &MatchName, pass: &Pass, now: u64) -> Result<Permit, Refusal> {
        let grant = pass.check(name, &self.trusted, now).ok_or(Refusal::BadPass)?;
        Ok(Permit { grant, until: Some(pass.expiry) })
    }

    /// The views that a publisher may announce; `None` where it has to have a valid pass.
    #[must_use]
    pub fn publishing(&self, announce: &Announce, now: u64) -> Option<ViewSet> {
        if self.open {
            return Some(announce.views);
        }
        let pass = Pass::read(&announce.pass).ok()?;
        let views = pass.check_publishing(&announce.name, &self.trusted, now)?;
        announce.views.without(views).is_empty().then_some(announce.views)
    }

    /// The views of a match that are wanted whether somebody watches or not: those that strangers may see, or all.
    /// Any other is wanted when somebody comes who has a pass for it.
    #[must_use]
    pub fn kept(&self, views: ViewSet) -> ViewSet {
        if self.keeps_all { views } else { views.and(self.public) }
    }

    /// May somebody see something of a match with these views, now or when a pass comes?
    #[must_use]
    pub fn may_be_seen(&self, views: ViewSet) -> bool {
        !self.trusted.is_empty() || !self.kept(views).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_tape::{SigningKey, TapeHeader};

    fn views(numbers: &[u8]) -> ViewSet {
        numbers.iter().filter_map(|number| View::new(*number)).collect()
    }

    fn announce(pass: Vec<u8>) -> Announce {
        let header = TapeHeader::new(TickLength::millis::<50>(), 1);
        let name = "m1".parse().unwrap();
        Announce { name, views: views(&[0, 1]), header, metadata: "{}".into(), pass }
    }

    #[test]
    fn strangers_get_the_spectators_view_later_and_nothing_else() {
        let policy = Policy::default();
        let permit = policy.strangers(TickLength::millis::<50>());
        assert_eq!((permit.grant.views, permit.grant.delay), (views(&[0]), 600));
        assert!(permit.is_public());
        assert_eq!(policy.kept(views(&[0, 1, 2])), views(&[0]));
    }

    #[test]
    fn what_strangers_may_not_see_is_not_kept() {
        let key = SigningKey::from_seed(&[7; 32]).public_key();
        let none = Policy { public: ViewSet::EMPTY, ..Policy::default() };
        assert_eq!(none.kept(views(&[0, 1])), ViewSet::EMPTY);
        assert!(!none.may_be_seen(views(&[0, 1])));
        let trusting = Policy { trusted: vec![key], ..none.clone() };
        assert_eq!(trusting.kept(views(&[0, 1])), ViewSet::EMPTY);
        assert!(trusting.may_be_seen(views(&[0, 1])), "a pass may come");
        assert_eq!(Policy { keeps_all: true, ..none }.kept(views(&[1])), views(&[1]));
    }

    #[test]
    fn who_publishes_needs_a_pass_to_publish_all_that_it_announces() {
        let key = SigningKey::from_seed(&[7; 32]);
        let policy = Policy { trusted: vec![key.public_key()], ..Policy::default() };
        let name: MatchName = "m1".parse().unwrap();
        let publishing = |name: &MatchName, seen| {
            announce(Pass::sign_publishing(name.clone(), seen, 100, &key).to_bytes())
        };
        let good = publishing(&name, views(&[0, 1, 2]));
        assert_eq!(policy.publishing(&good, 99), Some(views(&[0, 1])));
        assert_eq!(policy.publishing(&good, 100), None, "expired");
        assert_eq!(policy.publishing(&publishing(&name, views(&[0])), 99), None, "too few views");
        assert_eq!(policy.publishing(&publishing(&"m2".parse().unwrap(), ViewSet::ALL), 99), None);
        assert_eq!(policy.publishing(&announce(Vec::new()), 99), None);
        let grant = Grant { views: ViewSet::ALL, classes: Classes::ALL, delay: 0 };
        let seeing = Pass::sign(name.clone(), grant, 100, &key);
        assert_eq!(policy.publishing(&announce(seeing.to_bytes()), 99), None, "a pass to see");
        let open = Policy { open: true, ..Policy::default() };
        assert_eq!(open.publishing(&announce(Vec::new()), 0), Some(views(&[0, 1])));
    }

    #[test]
    fn a_pass_counts_for_its_match_until_it_expires() {
        let key = SigningKey::from_seed(&[7; 32]);
        let policy = Policy { trusted: vec![key.public_key()], ..Policy::default() };
        let name: MatchName = "m1".parse().unwrap();
        let grant = Grant { views: views(&[2]), classes: Classes::ALL, delay: 0 };
        let pass = Pass::sign(name.clone(), grant, 100, &key);
        let permit = Permit { grant, until: Some(100) };
        assert_eq!(policy.holder(&name, &pass, 99), Ok(permit));
        assert_eq!(policy.holder(&name, &pass, 100), Err(Refusal::BadPass));
        assert_eq!(policy.holder(&"m2".parse().unwrap(), &pass, 99), Err(Refusal::BadPass));
        let foreign = Pass::sign(name.clone(), grant, 100, &SigningKey::from_seed(&[8; 32]));
        assert_eq!(policy.holder(&name, &foreign, 99), Err(Refusal::BadPass));
    }
}
