//! Which class each message of a payload has. Normative: `spec/live.md`, section 2.

use std::collections::BTreeMap;
use std::fmt;

use gametape_minewars::{
    Class, Coord, Dialect, Generation, Message, Messages, Setup, SetupView, ViewState,
};
use gametape_wire::View;

/// Knows the classes of a game's messages.
pub trait Classify: fmt::Debug + Send {
    /// A view starts from this setup.
    fn setup(&mut self, view: View, raw: &[u8]);

    /// Divides the next payload of a view into runs of one class, all bytes of it, in their order.
    fn split<'p>(&mut self, view: View, payload: &'p [u8], runs: &mut Vec<(Class, &'p [u8])>);
}

/// A game whose messages nobody knows here: all of it is of the highest class.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneClass;

impl Classify for OneClass {
    fn setup(&mut self, _: View, _: &[u8]) {}

    fn split<'p>(&mut self, _: View, payload: &'p [u8], runs: &mut Vec<(Class, &'p [u8])>) {
        runs.push((Class::PvP, payload));
    }
}

/// MineWars messages, by the table of `gametape-minewars` and by what each view knows.
#[derive(Debug)]
pub struct MinewarsClasses {
    dialect: Dialect,
    views: BTreeMap<View, Box<ViewState>>,
}

impl MinewarsClasses {
    /// Messages of a generation.
    #[must_use]
    pub fn new(generation: Generation) -> Self {
        Self { dialect: generation.into(), views: BTreeMap::new() }
    }

    fn parse(&self, raw: &[u8]) -> Option<Setup> {
        SetupView::parse(raw, self.dialect, 0).ok()?.to_setup().ok()
    }
}

/// The class of a message for a view that knows this before it.
fn class_of(message: &Message<'_>, known: Option<&ViewState>) -> Class {
    let tile = |tile: &Coord| known.and_then(|known| Some((known.view(), known.tile(*tile)?)));
    let is_own = match message {
        Message::Item { tile: at, .. } => tile(at)
            .is_some_and(|(view, tile)| view != View::SPECTATOR && tile.owner == view.number()),
        Message::StructureGone { tile: at } => tile(at).is_some_and(|(view, tile)| {
            view != View::SPECTATOR && tile.structure.is_none() && tile.pending.is_some()
        }),
        _ => false,
    };
    if is_own { message.own_class() } else { message.class() }
}

impl Classify for MinewarsClasses {
    fn setup(&mut self, view: View, raw: &[u8]) {
        if let Some(setup) = self.parse(raw)
            && !self.views.contains_key(&view)
        {
            let state = ViewState::new(&setup.map, view, setup.generation);
            self.views.insert(view, Box::new(state));
        }
    }

    fn split<'p>(&mut self, view: View, payload: &'p [u8], runs: &mut Vec<(Class, &'p [u8])>) {
        let mut known = self.views.get_mut(&view);
        let mut messages = Messages::new(payload, 0, self.dialect);
        let (mut class, mut start, mut end) = (None, 0, 0);
        let read = messages.visit_dyn(&mut |message, bytes| {
            let next = class_of(&message, known.as_deref().map(|known| &**known));
            if let Some(last) = class.filter(|last| *last != next) {
                runs.push((last, &payload[start..end]));
                start = end;
            }
            (class, end) = (Some(next), end + bytes.len());
            if let Some(known) = &mut known {
                // What is wrong with a message is a finding of who plays it.
                let _ = known.apply(&message);
            }
        });
        if let Some(last) = class {
            // The end that cannot be read goes where it is certain to arrive.
            match read {
                Err(_) if last != Class::PvP => {
                    runs.push((last, &payload[start..end]));
                    runs.push((Class::PvP, &payload[end..]));
                }
                _ => runs.push((last, &payload[start..])),
            }
        } else {
            runs.push((Class::PvP, payload));
        }
    }
}
