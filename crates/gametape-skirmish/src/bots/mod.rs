//! Bots: players that see only their view and give orders as a person would.

mod chart;
mod manners;
mod plan;

use gametape_minewars::{Setup, ViewState};
use gametape_wire::Tick;

use crate::dice::{Dice, Stream};
use crate::order::Command;
use chart::Briefing;
use manners::Manners;

/// Whoever plays: gets what a view knows, answers with orders.
pub trait Pilot {
    /// The orders for a tick, and what is said and reported in it.
    fn orders(&mut self, tick: Tick, view: &ViewState) -> Vec<Command>;
}

/// How a bot plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// Deduces from digits, guesses rarely, builds much.
    Careful,
    /// Quick, takes risks, strikes what others built.
    Striker,
}

impl Style {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Careful, Self::Striker];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Careful => "careful",
            Self::Striker => "striker",
        }
    }

    const fn traits(self) -> Traits {
        match self {
            Self::Careful => Traits { pace: 5, daring: 12, smoke: 75, strike: 40, build: 60 },
            Self::Striker => Traits { pace: 5, daring: 26, smoke: 80, strike: 80, build: 25 },
        }
    }
}

/// What makes a style; chances in percent.
#[derive(Debug, Clone, Copy)]
struct Traits {
    /// Ticks from one order to the next.
    pace: u64,
    /// Highest risk that a guess may have.
    daring: u8,
    /// To cover a siege in smoke.
    smoke: u64,
    /// To strike what can be struck.
    strike: u64,
    /// To build when there is nothing more urgent.
    build: u64,
}

/// A bot.
#[derive(Debug, Clone)]
pub struct Bot {
    player: u8,
    traits: Traits,
    briefing: Briefing,
    dice: Dice,
    manners: Manners,
    /// Orders for later, the next one last.
    plan: Vec<Command>,
    planned_at: Tick,
    strike_ready: Tick,
    /// Ticks that every order takes longer: nobody is always at their best.
    fatigue: u64,
    /// When the last order was given.
    acted: Tick,
}

/// How long a mood lasts, in ticks.
const MOOD: u64 = 400;
/// Ticks after which a plan is outdated.
const PLAN_AGE: u64 = 60;
impl Bot {
    /// A bot of this style for a player. Of the setup it looks at what everybody may know.
    #[must_use]
    pub fn new(style: Style, player: u8, seed: u64, setup: &Setup) -> Self {
        Self {
            player,
            traits: style.traits(),
            briefing: Briefing::new(setup),
            dice: Dice::new(seed, Stream::Bot(player)),
            manners: Manners::default(),
            plan: Vec::new(),
            planned_at: Tick::ZERO,
            strike_ready: Tick::ZERO,
            fatigue: 0,
            acted: Tick::ZERO,
        }
    }

    /// Does an order of the plan still make sense?
    fn is_timely(&self, view: &ViewState, command: &Command) -> bool {
        match command {
            Command::Capture { tile } => view.tile(*tile).is_some_and(|tile| {
                tile.owner != self.player && tile.flag.is_none() && !tile.smoke
            }),
            Command::Flag { tile, on } => view
                .tile(*tile)
                .is_some_and(|tile| tile.flag.is_some() != *on && tile.owner != self.player),
            _ => true,
        }
    }

    /// The next order of the plan that still makes sense.
    fn next_order(&mut self, view: &ViewState) -> Option<Command> {
        while let Some(command) = self.plan.pop() {
            if self.is_timely(view, &command) {
                return Some(command);
            }
        }
        None
    }
}

impl Pilot for Bot {
    fn orders(&mut self, tick: Tick, view: &ViewState) -> Vec<Command> {
        let mut orders = self.manners.behave(self.player, tick.0, view, &mut self.dice);
        let me = view.players().find(|(id, _)| *id == self.player);
        let idle = me.is_none_or(|(_, me)| me.eliminated || me.timeout.is_some());
        if (tick + 11 * u64::from(self.player)).0.is_multiple_of(MOOD) {
            self.fatigue = self.dice.below(7);
        }
        if idle || tick < self.acted + self.traits.pace + self.fatigue {
            return orders;
        }
        self.acted = tick;
        if let Some(order) = self.besiege(view) {
            orders.push(order);
            return orders;
        }
        if self.plan.is_empty() || tick > self.planned_at + PLAN_AGE {
            self.make_plan(tick, view);
        }
        orders.extend(self.next_order(view));
        orders
    }
}
