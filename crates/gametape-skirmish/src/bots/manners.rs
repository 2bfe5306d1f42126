//! How bots behave beside the play: talk, votes, pauses, giving up.

use gametape_minewars::ViewState;

use crate::dice::Dice;
use crate::order::{Command, VoteKind};
use crate::rules::SECOND;

/// What a bot remembers of its behaviour.
#[derive(Debug, Clone, Default)]
pub(super) struct Manners {
    /// Until when it paused the match.
    pause_until: Option<u64>,
    /// The vote that it answered last.
    answered: u8,
}

/// With fewer tiles a match is as good as lost.
const HOPELESS: usize = 20;

const SAYINGS: [&str; 6] =
    ["good luck", "nice one", "watch your towers", "mind the mines", "what a mess", "gg"];

impl Manners {
    /// What is due at a tick; everybody at another moment.
    pub(super) fn behave(
        &mut self,
        player: u8,
        tick: u64,
        view: &ViewState,
        dice: &mut Dice,
    ) -> Vec<Command> {
        let mut orders = Vec::new();
        if self.pause_until.is_some_and(|until| tick >= until) {
            self.pause_until = None;
            orders.push(Command::Pause { on: false });
        }
        let own_moment = tick + 7 * u64::from(player);
        if own_moment.is_multiple_of(5 * SECOND) {
            orders.push(Command::RoundTrip { ms: 20 + dice.below(90) as u16 });
            self.answer(player, view, dice, &mut orders);
        }
        if own_moment.is_multiple_of(30 * SECOND) {
            self.talk(dice, &mut orders);
        }
        if own_moment.is_multiple_of(60 * SECOND) && tick > 120 * SECOND {
            self.intervene(player, tick, view, dice, &mut orders);
        }
        orders
    }

    fn talk(&mut self, dice: &mut Dice, orders: &mut Vec<Command>) {
        if dice.chance(30)
            && let Some(text) = dice.pick(&SAYINGS)
        {
            let friends = dice.chance(30);
            orders.push(Command::Chat { friends, text: (*text).to_owned() });
        }
    }

    fn answer(&mut self, player: u8, view: &ViewState, dice: &mut Dice, orders: &mut Vec<Command>) {
        let open = view.votes().find(|(_, vote)| !vote.ballots.contains_key(&(player, 0)));
        if let Some((id, vote)) = open.filter(|(id, _)| *id != self.answered) {
            self.answered = id;
            let hopeless = own_tiles(player, view) < HOPELESS;
            let yes = hopeless || dice.chance(if vote.text == b"draw" { 25 } else { 15 });
            if !dice.chance(20) {
                orders.push(Command::Ballot { id, yes });
            }
        }
    }

    /// Once a minute: a vote, a pause, or giving up.
    fn intervene(
        &mut self,
        player: u8,
        tick: u64,
        view: &ViewState,
        dice: &mut Dice,
        orders: &mut Vec<Command>,
    ) {
        let hopeless = own_tiles(player, view) < HOPELESS;
        match dice.below(100) {
            0..4 => orders.push(Command::CallVote { kind: VoteKind::Draw }),
            4..7 => orders.push(Command::CallVote { kind: VoteKind::Surrender }),
            7..10 => {
                let other = 1 + dice.below(view.players().count() as u64) as u8;
                orders.push(Command::CallVote { kind: VoteKind::Kick(other) });
            }
            10..14 => {
                self.pause_until = Some(tick + 20 + dice.below(60));
                orders.push(Command::Pause { on: true });
            }
            14..60 if hopeless => orders.push(Command::Surrender { leave: dice.chance(50) }),
            _ => {}
        }
    }
}

fn own_tiles(player: u8, view: &ViewState) -> usize {
    view.tiles().filter(|(_, tile)| tile.owner == player).count()
}
