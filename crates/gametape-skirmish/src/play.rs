//! A whole match: game, views, players.

use std::fmt;

use gametape_analysis::AnalysisEvent;
use gametape_minewars::Generation;
use gametape_minewars::{Coord, Setup, ViewState};
use gametape_replay::{Order, Simulation};
use gametape_wire::{Result, Tick, View};

use crate::bots::{Bot, Pilot, Style};
use crate::config::Config;
use crate::events::Analyst;
use crate::order::{Channel, Command, GroupAction};
use crate::rules::SECOND;
use crate::views::{Views, setup};
use crate::world::Skirmish;

/// A match of pilots, most often bots.
///
/// ```
/// use gametape_skirmish::{Config, Match, Style};
/// use gametape_minewars::Generation;
///
/// let mut game = Match::new(Config::new(2, 6, 1), &[Style::Careful, Style::Striker], Generation::Current)?;
/// while !game.is_over() && game.game().clock() < 200 {
///     let turn = game.step()?;
///     assert_eq!(turn.payloads.len(), 3, "the spectator and two players");
/// }
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub struct Match {
    game: Skirmish,
    views: Views,
    analyst: Analyst,
    setup: Setup,
    pilots: Vec<Box<dyn Pilot + Send>>,
    machines: Vec<Machine>,
}

impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match").field("game", &self.game).finish_non_exhaustive()
    }
}

/// What a tick of a match brought.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Turn {
    /// The tick.
    pub tick: Tick,
    /// The inputs of the simulation, in their order.
    pub orders: Vec<Input>,
    /// What was said.
    pub talk: Vec<Input>,
    /// What the players' machines reported.
    pub reports: Vec<Input>,
    /// What each view receives, the spectator's first; most are empty.
    pub payloads: Vec<Vec<u8>>,
    /// The events for analysis.
    pub events: Vec<AnalysisEvent>,
}

/// An order as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The player who gave it.
    pub player: View,
    /// Its bytes.
    pub payload: Vec<u8>,
}

impl Turn {
    /// What views receive, without those that receive nothing.
    #[must_use]
    pub fn parts(&self) -> Vec<(View, &[u8])> {
        let parts = self.payloads.iter().enumerate().filter(|(_, payload)| !payload.is_empty());
        parts.filter_map(|(view, payload)| Some((View::new(view as u8)?, &payload[..]))).collect()
    }
}

impl Match {
    /// A match of bots: the styles in turn, if there are more players than styles.
    pub fn new(config: Config, styles: &[Style], generation: Generation) -> Result<Self> {
        let game = Skirmish::new(config)?;
        let setup = setup(&game, generation);
        let players = 1..=game.config().players();
        let seed = game.config().seed;
        let styles = styles.iter().copied().cycle();
        let bot = |(player, style)| -> Box<dyn Pilot + Send> {
            Box::new(Bot::new(style, player, seed, &setup))
        };
        let pilots = players.zip(styles).map(bot).collect();
        Ok(Self::with_pilots(game, pilots, generation))
    }

    /// A match of any pilots, one for each player.
    #[must_use]
    pub fn with_pilots(
        game: Skirmish,
        pilots: Vec<Box<dyn Pilot + Send>>,
        generation: Generation,
    ) -> Self {
        let views = Views::new(&game, generation);
        let setup = setup(&game, generation);
        let machines = pilots.iter().map(|_| Machine::default()).collect();
        let analyst = Analyst::new(&game);
        Self { game, views, analyst, setup, pilots, machines }
    }

    /// The simulation.
    #[must_use]
    pub fn game(&self) -> &Skirmish {
        &self.game
    }

    /// What views start from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What a view knows.
    #[must_use]
    pub fn view(&self, view: View) -> Option<&ViewState> {
        self.views.state(view)
    }

    /// Has the match ended?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.game.outcome().is_some()
    }

    /// Plays one tick.
    pub fn step(&mut self) -> Result<Turn> {
        let tick = self.game.tick;
        let mut turn = Turn { tick: Tick(tick), ..Turn::default() };
        let mut inputs = Vec::new();
        for index in 0..self.pilots.len() {
            let commands = self.ask(index, Tick(tick));
            turn.take(index as u8 + 1, commands, &mut inputs)?;
        }
        let orders: Vec<Order<'_>> =
            turn.orders.iter().map(|order| Order::new(order.player, &order.payload)).collect();
        self.game.step(&orders)?;
        turn.payloads = self.views.update(&self.game, &inputs)?;
        turn.events = self.analyst.update(&self.game, &inputs);
        Ok(turn)
    }

    /// Orders of a pilot, and what the pilot's machine adds.
    fn ask(&mut self, index: usize, tick: Tick) -> Vec<Command> {
        let player = index as u8 + 1;
        let Some(view) = View::new(player).and_then(|view| self.views.state(view)) else {
            return Vec::new();
        };
        let mut commands = self.pilots[index].orders(tick, view);
        self.machines[index].report(&self.game, player, &mut commands);
        commands
    }
}

impl Turn {
    /// Sorts the commands of a player by their channel. An order that has no bytes is an error.
    fn take(
        &mut self,
        number: u8,
        commands: Vec<Command>,
        inputs: &mut Vec<(u8, Command)>,
    ) -> Result<()> {
        let Some(player) = View::new(number) else { return Ok(()) };
        for command in commands {
            let payload = command.to_bytes()?;
            let list = match command.channel() {
                Channel::Game => &mut self.orders,
                Channel::Talk => &mut self.talk,
                Channel::Report => &mut self.reports,
            };
            list.push(Input { player, payload });
            if command.channel() != Channel::Game {
                inputs.push((number, command));
            }
        }
        Ok(())
    }
}

/// Ticks from one report of where a player looks to the next: 2 Hz.
const CAMERA: u64 = SECOND / 2;

/// A player's machine: it knows where the player looks and what is selected.
#[derive(Debug, Clone, Default)]
struct Machine {
    looked_at: Option<Coord>,
    selected: Option<gametape_tape::UnitTag>,
}

impl Machine {
    /// Adds what the machine reports: twice a second where the player looks, and the city that was
    /// given work.
    fn report(&mut self, game: &Skirmish, player: u8, commands: &mut Vec<Command>) {
        if let Some(at) = commands.iter().find_map(tile_of) {
            self.looked_at = Some(at);
        }
        if (game.tick + u64::from(player)).is_multiple_of(CAMERA) {
            let at = *self.looked_at.get_or_insert_with(|| game.home_of(player));
            commands.push(Command::Camera { at, zoom: 100 });
        }
        let builds = commands.iter().find_map(|command| match command {
            Command::Build { tile: at, .. } => Some(*at),
            _ => None,
        });
        let city = builds.and_then(|at| game.city_of(at)).filter(|(owner, _)| *owner == player);
        if let Some((_, tag)) = city
            && self.selected != Some(tag)
        {
            let removed = self.selected.replace(tag).into_iter().collect();
            commands.push(Command::Selection { added: vec![tag], removed });
            let action = [GroupAction::Assign, GroupAction::Append, GroupAction::Recall];
            let action = action[usize::from(tag.index) % action.len()];
            commands.push(Command::ControlGroup { group: 1, action });
        }
    }
}

fn tile_of(command: &Command) -> Option<Coord> {
    match *command {
        Command::Capture { tile: at }
        | Command::Build { tile: at, .. }
        | Command::Deploy { tile: at, .. }
        | Command::Strike { tile: at }
        | Command::Harvest { tile: at } => Some(at),
        _ => None,
    }
}
