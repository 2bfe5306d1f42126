//! What a view is reported of cities: money, resources, trade, owners, lives.

use gametape_minewars::Generation;
use gametape_minewars::{CityState, Message, Money, PlayerUpdate};

use super::ViewUpdate;
use crate::rules::SECOND;
use crate::world::Moment;

/// How often money is reported.
const MONEY_INTERVAL: u64 = 5 * SECOND;

impl ViewUpdate<'_> {
    pub(super) fn cities(&mut self, first: bool) {
        self.payments();
        if !self.game.log.cities_touched && !first {
            return;
        }
        let due = self.game.log.clock.is_some_and(|clock| clock.is_multiple_of(MONEY_INTERVAL));
        for city in 0..self.game.cities.len() {
            let owner = self.game.city_owner(city);
            if owner != 0 && (self.is_spectator() || self.is_me(owner)) {
                self.city(city, due || first || self.is_gained(city));
            }
        }
        self.lives();
    }

    /// Did the city get an owner in this tick?
    fn is_gained(&self, city: usize) -> bool {
        let gained =
            |moment: &Moment| matches!(moment, Moment::CityCaptured { city: c, .. } if *c == city);
        self.game.log.moments.iter().any(gained)
    }

    fn known_city(&self, city: usize) -> CityState {
        let known = self.state.cities().find(|(id, _)| usize::from(*id) == city);
        known.map(|(_, state)| state.clone()).unwrap_or_default()
    }

    fn payments(&mut self) {
        for moment in &self.game.log.moments {
            let Moment::Paid { city, amount } = *moment else { continue };
            let owner = self.game.city_owner(city);
            if owner == 0 || !(self.is_spectator() || self.is_me(owner)) || self.is_gained(city) {
                continue;
            }
            let (id, balance) = (city as u8, self.game.cities[city].money);
            let spent = (-amount).max(0) as u16;
            self.send(&match self.generation {
                Generation::Current => Message::CityTransaction { city: id, amount: amount as i16 },
                Generation::V01 if amount < 0 => Message::CitySpending { city: id, spent },
                Generation::V01 => {
                    Message::CityMoney { city: id, money: Money { balance, income: None } }
                }
            });
        }
    }

    fn city(&mut self, city: usize, send_money: bool) {
        let (id, state, known) = (city as u8, &self.game.cities[city], self.known_city(city));
        if send_money {
            let income = Some(state.income).filter(|income| known.income != Some(*income));
            let money = Money { balance: state.money, income };
            self.send(&Message::CityMoney { city: id, money });
        }
        if known.resources != Some(state.resources) {
            self.send(&Message::CityResources { city: id, resources: state.resources });
        }
        let (export, import) = (state.export, state.import);
        if known.trade != Some((export, import)) {
            self.send(&Message::CityTrade { city: id, export, import });
        }
    }

    /// Whose a city in sight is, as far as it is somebody's.
    pub(super) fn city_owner(&mut self, city: usize, owner: u8) {
        let is_news = self.generation == Generation::Current && owner != 0;
        if is_news && self.known_city(city).owner != owner {
            self.send_player(owner, PlayerUpdate::CityCaptured { city: city as u8 });
        }
    }

    /// A player lives as long as a city is left.
    fn lives(&mut self) {
        for player in 1..=self.game.config.players() {
            let lives = self.game.players[usize::from(player)].cities;
            let known = self.state.players().find(|(id, _)| *id == player);
            let is_news = known.is_none_or(|(_, known)| known.lives != Some(lives));
            if is_news && (self.is_spectator() || self.is_me(player)) {
                self.send_player(player, PlayerUpdate::Lives { lives });
            }
        }
    }
}
