//! Cities change hands.

use super::{Moment, Skirmish};
use crate::rules::CITY_CAPTURE;
use crate::units::{Unit, UnitKind};

impl Skirmish {
    /// Captures of cities begin, end, and succeed.
    pub(super) fn advance_cities(&mut self) {
        for city in 0..self.cities.len() {
            let siege = self.siege(city);
            match (self.cities[city].capture, siege) {
                (Some((by, since)), Some(now)) if by == now => {
                    if self.clock >= since + CITY_CAPTURE {
                        self.capture_city(city, by);
                    }
                }
                (None, None) => {}
                (before, now) => self.change_siege(city, before, now),
            }
        }
    }

    /// The player who owns all land around a city, and not the city.
    fn siege(&self, city: usize) -> Option<u8> {
        let city = &self.atlas.cities[city];
        let owner = self.tile(*city.around.first()?).owner;
        let alone = city.around.iter().all(|cell| self.tile(*cell).owner == owner);
        (alone && owner != 0 && owner != self.tile(city.cell).owner).then_some(owner)
    }

    fn change_siege(&mut self, city: usize, before: Option<(u8, u64)>, now: Option<u8>) {
        if let Some((by, _)) = before {
            let around = &self.atlas.cities[city].around;
            let mut owners = around.iter().map(|cell| self.tile(*cell).owner);
            let rival = owners.find(|owner| *owner != by).unwrap_or(0);
            if rival != 0 {
                self.log.push(Moment::CityContested { city, by: rival });
            }
        }
        self.cities[city].capture = now.map(|by| (by, self.clock));
        if let Some(by) = now {
            self.log.push(Moment::CityCapturing { city, by });
        }
    }

    fn capture_city(&mut self, city: usize, by: u8) {
        let cell = self.atlas.cities[city].cell;
        let from = self.tile(cell).owner;
        if from != 0 {
            self.raze(from, by, |game, cell| game.serves(cell, city));
        }
        // What the city builds elsewhere ends, too.
        if let Some(tag) = self.cities[city].building {
            self.destroy(tag, 0);
        }
        let tag = self.cities[city].tag;
        if let Some(unit) = self.units.remove(tag) {
            let killer = if from == 0 { 0 } else { by };
            self.log.push(Moment::Destroyed { tag, unit, killer });
            self.count_loss(&unit, killer);
        }
        self.set_owner(cell, by);
        self.cities[city].capture = None;
        let unit = Unit { kind: UnitKind::City, owner: by, cell, hp: 0, construction: None };
        if let Some(tag) = self.units.add(unit) {
            self.cities[city].tag = tag;
            self.log.push(Moment::Created { tag, unit });
        }
        self.log.push(Moment::CityCaptured { city, by, from });
    }
}
