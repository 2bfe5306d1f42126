//! What a view knows of players, cities and votes.

use std::collections::BTreeMap;

use gametape_wire::SortedMap;

use crate::message::{Ballot, Money, PlayerUpdate, Who};

/// A player as a view knows them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayerState {
    /// The clients that joined, by sub id.
    pub clients: SortedMap<u8, ClientState>,
    /// Lives left, where known.
    pub lives: Option<u8>,
    /// Out of play for this many milliseconds, from when it was received until play resumes.
    pub timeout: Option<u32>,
    /// Cannot be attacked.
    pub protected: bool,
    /// Out of the game.
    pub eliminated: bool,
    /// Gave up.
    pub surrendered: bool,
}

/// One client of a player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientState {
    /// The name it joined with: bytes that should be UTF-8.
    pub name: Vec<u8>,
    /// Round-trip time in milliseconds, where known.
    pub rtt: Option<u32>,
    /// Why it is gone, if it is.
    pub gone: Option<Gone>,
}

/// Why a client is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// It left, or the connection broke.
    Left,
    /// It was removed.
    Kicked,
}

/// A city as a view knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CityState {
    /// The player who captured it; 0 while none is known.
    pub owner: u8,
    /// Balance, where known.
    pub money: Option<u32>,
    /// Income per second, where known.
    pub income: Option<u16>,
    /// Resources, where known.
    pub resources: Option<u16>,
    /// Export and import policy, where known.
    pub trade: Option<(u8, u8)>,
    /// Who is about to capture it, and in how many milliseconds.
    pub capturing: Option<(u8, u32)>,
    /// The player who contests it.
    pub contested_by: Option<u8>,
}

/// A vote that is being held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VoteState {
    /// What it is about: bytes that should be UTF-8.
    pub text: Vec<u8>,
    /// Ballots by player and sub id.
    pub ballots: BTreeMap<(u8, u8), u8>,
}

impl CityState {
    pub(super) fn set_money(&mut self, money: Money) {
        self.money = Some(money.balance);
        self.income = money.income.or(self.income);
    }

    /// Money that came in (or went, below zero); without a known balance there is none to change.
    pub(super) fn move_money(&mut self, amount: i32) {
        self.money = self.money.map(|balance| balance.saturating_add_signed(amount));
    }

    fn captured_by(&mut self, player: u8) {
        self.owner = player;
        self.capturing = None;
        self.contested_by = None;
    }
}

/// Players, cities and votes: everything that is not on a tile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct People {
    pub(super) players: SortedMap<u8, PlayerState>,
    pub(super) cities: SortedMap<u8, CityState>,
    pub(super) votes: SortedMap<u8, VoteState>,
    /// Seconds that were left when the limit was received.
    pub(super) time_limit: Option<u16>,
}

/// About how many bytes of memory this many entries of a map take: nodes of trees are two thirds full, and so are lists.
pub(super) const fn entries_memory<K, V>(count: usize) -> usize {
    count * (size_of::<K>() + size_of::<V>()) * 3 / 2
}

impl People {
    /// Calls clients and votes otherwise.
    pub(super) fn rename(&mut self, name: &dyn Fn(Who) -> String, vote: &[u8]) {
        for (player, state) in &mut self.players {
            for (sub, client) in &mut state.clients {
                client.name = name(Who { player: *player, sub: *sub }).into_bytes();
            }
        }
        self.votes.values_mut().for_each(|held| held.text = vote.to_vec());
    }

    /// About how many bytes of memory it takes besides itself.
    pub(super) fn memory(&self) -> usize {
        let clients = self.players.values().map(|player| &player.clients);
        let names = clients.clone().flat_map(SortedMap::values).map(|client| client.name.len());
        let held =
            |vote: &VoteState| vote.text.len() + entries_memory::<(u8, u8), u8>(vote.ballots.len());
        let of_clients =
            |clients: &SortedMap<u8, ClientState>| entries_memory::<u8, ClientState>(clients.len());
        entries_memory::<u8, PlayerState>(self.players.len())
            + entries_memory::<u8, CityState>(self.cities.len())
            + entries_memory::<u8, VoteState>(self.votes.len())
            + clients.map(of_clients).chain(names).sum::<usize>()
            + self.votes.values().map(held).sum::<usize>()
    }

    pub(super) fn city(&mut self, id: u8) -> &mut CityState {
        self.cities.or_default(id)
    }

    pub(super) fn apply(&mut self, who: Who, update: PlayerUpdate<'_>) {
        use PlayerUpdate as P;
        match update {
            P::VoteNew { id, text } => {
                self.votes.insert(id, VoteState { text: text.0.to_vec(), ..VoteState::default() });
            }
            P::Vote { id, ballot: Ballot(ballot) } => {
                let vote = self.votes.or_default(id);
                vote.ballots.insert((who.player, who.sub), ballot);
            }
            P::VoteFailed { id } | P::VotePassed { id } => {
                self.votes.remove(&id);
            }
            P::TimeLimit { seconds } => self.time_limit = Some(seconds),
            P::CityCapturing { city, time } => {
                self.city(city).capturing = Some((who.player, time.0));
            }
            P::CityCaptured { city } => self.city(city).captured_by(who.player),
            P::CityContested { city } => self.city(city).contested_by = Some(who.player),
            // What was said is not a state.
            P::ChatAll { .. } | P::ChatFriendly { .. } => {}
            _ => self.players.or_default(who.player).apply(who.sub, update),
        }
    }
}

impl PlayerState {
    fn apply(&mut self, sub: u8, update: PlayerUpdate<'_>) {
        use PlayerUpdate as P;
        match update {
            P::Joined { name } => {
                let client = ClientState { name: name.0.to_vec(), ..ClientState::default() };
                self.clients.insert(sub, client);
            }
            P::Rtt { time } => self.client(sub).rtt = Some(time.0),
            P::Timeout { time } => self.timeout = Some(time.0),
            P::Resume {} => self.timeout = None,
            P::Lives { lives } => self.lives = Some(lives),
            P::Protected {} => self.protected = true,
            P::Unprotected {} => self.protected = false,
            P::Eliminated {} => self.eliminated = true,
            P::Surrendered {} => self.surrendered = true,
            P::Disconnected {} => self.client(sub).gone = Some(Gone::Left),
            P::Kicked {} => self.client(sub).gone = Some(Gone::Kicked),
            // A death shows in the lives and the time-out that follow it.
            _ => {}
        }
    }

    fn client(&mut self, sub: u8) -> &mut ClientState {
        self.clients.or_default(sub)
    }
}
