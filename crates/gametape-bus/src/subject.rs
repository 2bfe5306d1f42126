//! Subjects: what messages are called on a bus.

use std::fmt;

use gametape_live::{Lane, MatchName, Message};
use gametape_wire::{View, ViewSet};

/// What all subjects begin with.
const ROOT: &str = "gametape";

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// A match is there.
    Announce(MatchName),
    /// Messages of a view and a lane.
    Lane(MatchName, View, Lane),
    /// Marks of a view.
    Mark(MatchName, View),
    /// Somebody lacks something.
    Again(MatchName),
}

impl Subject {
    /// The subject of a message of a match; `None` for what does not travel over a bus.
    #[must_use]
    pub fn of(name: &MatchName, message: &Message<'_>) -> Option<Self> {
        let name = name.clone();
        match message {
            Message::Announce(_) => Some(Self::Announce(name)),
            Message::Again(_) => Some(Self::Again(name)),
            Message::Data(data) => Some(Self::Lane(name, data.view, data.lane)),
            Message::Mark(mark) => Some(Self::Mark(name, mark.view)),
            _ => None,
        }
    }

    /// The subject that is written so; `None` where it is none of these.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.split('.');
        if words.next() != Some(ROOT) {
            return None;
        }
        let name = words.next()?.parse().ok()?;
        let read = match (words.next()?, words.next(), words.next()) {
            ("announce", None, None) => Self::Announce(name),
            ("again", None, None) => Self::Again(name),
            (view, Some("mark"), None) => Self::Mark(name, View::new(view.parse().ok()?)?),
            (view, Some(lane), None) => {
                Self::Lane(name, View::new(view.parse().ok()?)?, Lane::new(lane.parse().ok()?)?)
            }
            _ => return None,
        };
        // One way to write each.
        (read.to_string() == text).then_some(read)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Announce(name) => write!(f, "{ROOT}.{}.announce", name.as_str()),
            Self::Again(name) => write!(f, "{ROOT}.{}.again", name.as_str()),
            Self::Mark(name, view) => write!(f, "{ROOT}.{}.{}.mark", name.as_str(), view.number()),
            Self::Lane(name, view, lane) => {
                write!(f, "{ROOT}.{}.{}.{}", name.as_str(), view.number(), lane.number())
            }
        }
    }
}

/// Which subjects somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Which matches there are.
    Announces,
    /// Everything of a view.
    View(MatchName, View),
    /// The marks of a view.
    Mark(MatchName, View),
    /// Who lacks something of a match.
    Again(MatchName),
}

impl Filter {
    /// Everything of some views of a match.
    #[must_use]
    pub fn of_views(name: &MatchName, views: ViewSet) -> Vec<Self> {
        views.iter().map(|view| Self::View(name.clone(), view)).collect()
    }

    /// The marks of some views of a match.
    #[must_use]
    pub fn marks_of(name: &MatchName, views: ViewSet) -> Vec<Self> {
        views.iter().map(|view| Self::Mark(name.clone(), view)).collect()
    }

    /// Is it one of the subjects that are wanted?
    #[must_use]
    pub fn has(&self, subject: &Subject) -> bool {
        match (self, subject) {
            (Self::Announces, Subject::Announce(_)) => true,
            (Self::Again(wanted), Subject::Again(name)) => wanted == name,
            (Self::View(wanted, of), Subject::Lane(name, view, _))
            | (Self::View(wanted, of) | Self::Mark(wanted, of), Subject::Mark(name, view)) => {
                (wanted, of) == (name, view)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Announces => write!(f, "{ROOT}.*.announce"),
            Self::View(name, view) => write!(f, "{ROOT}.{}.{}.*", name.as_str(), view.number()),
            Self::Mark(name, view) => Subject::Mark(name.clone(), *view).fmt(f),
            Self::Again(name) => Subject::Again(name.clone()).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::read(text).unwrap()
    }

    #[test]
    fn subjects_are_read_as_they_are_written() {
        let name: MatchName = "m-1".parse().unwrap();
        let view = View::new(12).unwrap();
        for (text, expected) in [
            ("gametape.m-1.announce", Subject::Announce(name.clone())),
            ("gametape.m-1.again", Subject::Again(name.clone())),
            ("gametape.m-1.12.mark", Subject::Mark(name.clone(), view)),
            ("gametape.m-1.12.6", Subject::Lane(name.clone(), view, Lane::EVENTS)),
        ] {
            assert_eq!((subject(text), expected.to_string().as_str()), (expected.clone(), text));
        }
    }

    #[test]
    fn what_is_no_subject_is_none() {
        for text in [
            "",
            "gametape",
            "gametape.m",
            "gametape.m.x",
            "gametape.m.16.mark",
            "gametape.m.1.7",
            "gametape.m.1.mark.x",
            "gametape.*.announce",
            "gametape.m.01.mark",
            "gametape.m.+1.2",
            "other.m.announce",
            "gametape.m.announce.x",
            "gametape..announce",
            "gametape.m.1.*",
        ] {
            assert_eq!(Subject::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_filter_has_its_view_and_no_other() {
        let wanted = Filter::View("m".parse().unwrap(), View::new(2).unwrap());
        assert!(
            wanted.has(&subject("gametape.m.2.mark")) && wanted.has(&subject("gametape.m.2.5"))
        );
        for other in ["gametape.m.3.5", "gametape.n.2.5", "gametape.m.again", "gametape.m.announce"]
        {
            assert!(!wanted.has(&subject(other)), "{other}");
        }
        assert_eq!(wanted.to_string(), "gametape.m.2.*");
    }
}
