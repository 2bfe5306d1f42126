//! A spectator stream that ended, as a gamelog.

use std::io::Read;

use gametape_wire::{ErrorClass, Result};

use super::{Live, Message};
use crate::check::outcome::{Outcome, PlayerResult};
use crate::limits::Options;
use crate::log::Log;
use crate::log::source::Stream;
use crate::timeline::Timeline;

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Ending {
    /// Did the server say that the game is over?
    pub is_over: bool,
    /// When the server's own gamelog was made, in milliseconds since 1970, where the server says it.
    pub epoch: Option<i64>,
    /// Why the server ended the connection, if it did.
    pub fatal: Option<String>,
    /// How many bytes of a message came whose end did not.
    pub cut_bytes: usize,
    /// Is it gzip whose end is missing?
    pub is_gzip_cut: bool,
}

impl Ending {
    /// Notes what a message says about the end.
    pub fn note(&mut self, message: &Message<'_>) {
        match message {
            Message::Over(address) => {
                self.is_over = true;
                self.epoch = address.as_deref().and_then(epoch_of);
            }
            Message::Fatal(why) => self.fatal = Some(why.clone()),
            _ => {}
        }
    }

    /// What is missing, one line each: none of a game that is complete.
    #[must_use]
    pub fn losses(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(why) = &self.fatal {
            lines.push(format!("the server ended the connection: {why}"));
        }
        if self.cut_bytes > 0 {
            let bytes = self.cut_bytes;
            lines.push(format!("it ends within a message, of which {bytes} bytes are left out"));
        }
        if self.is_gzip_cut {
            lines.push("it ends within gzip".to_owned());
        }
        if !self.is_over {
            lines.push("it ends before the game is over".to_owned());
        }
        lines
    }

    /// The game as a log, with all that a stream knows of it: `spec/gamelog.md`, section 10.
    pub fn close(&self, mut timeline: Timeline) -> Result<Log> {
        timeline.seek(timeline.len())?;
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        let mut log = timeline.into_log();
        self.complete(&mut log, &outcome)?;
        Ok(log)
    }

    /// The same of a game that somebody still looks at, and is at the end of.
    pub fn copy(&self, timeline: &Timeline) -> Result<Log> {
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        let mut log = timeline.log().clone();
        self.complete(&mut log, &outcome)?;
        Ok(log)
    }

    /// Adds what is known at the end.
    fn complete(&self, log: &mut Log, outcome: &Outcome) -> Result<()> {
        let fields = self.fields(outcome);
        fields.iter().try_for_each(|(name, value)| log.set_field(name, value.as_bytes()))
    }

    /// The fields of the log that are known at the end, in their order, by the last state.
    #[must_use]
    pub fn fields(&self, outcome: &Outcome) -> Vec<(&'static str, String)> {
        let epoch = self.epoch.map(|epoch| ("epoch", epoch.to_string()));
        let all = &outcome.players;
        // A state may name a player twice.
        let is_first = |index: usize| all[..index].iter().all(|other| other.id != all[index].id);
        let players = all.iter().enumerate().filter(|(index, _)| is_first(*index));
        let lost = players.clone().filter(|(_, player)| player.lost);
        let losers = ("losers", clients(lost, |player| &player.reason_lost));
        let won = players.filter(|(_, player)| player.won);
        let winners = ("winners", clients(won, |player| &player.reason_won));
        epoch.into_iter().chain([losers, winners]).collect()
    }
}

/// A list of clients as servers write it.
fn clients<'a>(
    players: impl Iterator<Item = (usize, &'a PlayerResult)>,
    reason: fn(&PlayerResult) -> &str,
) -> String {
    let mut out = String::from("[");
    for (index, player) in players {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&format!("{{\"index\":{index},\"id\":"));
        gametape_wire::json::push_str(&player.id, &mut out);
        if let Some(name) = &player.name {
            out.push_str(",\"name\":");
            gametape_wire::json::push_str(name, &mut out);
        }
        out.push_str(",\"reason\":");
        gametape_wire::json::push_str(reason(player), &mut out);
        out.push('}');
    }
    out.push(']');
    out
}

/// The time at the end of the address of a gamelog, as if the server's clock were set to UTC.
fn epoch_of(address: &str) -> Option<i64> {
    const WIDTHS: [usize; 7] = [4, 2, 2, 2, 2, 2, 3];
    let time = address.rsplit_once('-')?.1;
    let time = time.strip_suffix(".json.gz").unwrap_or(time);
    let parts: Vec<&str> = time.split('.').collect();
    let is_number = |(part, width): (&&str, usize)| {
        part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.len() != WIDTHS.len() || !parts.iter().zip(WIDTHS).all(is_number) {
        return None;
    }
    let numbers: Vec<i64> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    let [year, month, day, hour, minute, second, millis] = numbers[..] else { return None };
    let is_real = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    let seconds = ((days_before(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    is_real.then_some(seconds * 1000 + millis)
}

/// Days from 1970 to a date. Years begin in March, so that leap days are their last.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// A spectator stream that was read to its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spectated {
    /// The game, with all that the stream knows of it.
    pub log: Log,
    /// How the stream ended.
    pub ending: Ending,
}

impl Spectated {
    /// Reads a stream, plain or gzip, to its end. One that is cut gives all whole messages.
    ///
    /// ```
    /// use gametape_cadre::{Options, Spectated};
    ///
    /// let stream = b"{\"event\":\"meta-delta\",\"data\":{\"game\":{\"x\":1}}}\x04{\"event\":\"ov";
    /// let read = Spectated::read(&stream[..], &Options::default())?;
    /// assert_eq!((read.log.len(), read.ending.cut_bytes), (1, 12));
    /// assert_eq!(read.ending.losses().len(), 2);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn read(reader: impl Read, options: &Options) -> Result<Self> {
        let mut live = Live::new(options)?;
        let mut stream = Stream::new(reader)?;
        loop {
            match stream.next_piece() {
                Ok(Some(piece)) => drop(live.receive(piece)?),
                Ok(None) => break,
                Err(error) if error.class() == ErrorClass::Truncated => {
                    live.ending.is_gzip_cut = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            stream.consume();
        }
        live.finish()
    }
}

impl Live {
    /// Says that nothing more comes.
    pub fn finish(mut self) -> Result<Spectated> {
        self.ending.cut_bytes = self.pending();
        let log = self.ending.close(self.timeline)?;
        Ok(Spectated { log, ending: self.ending })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_log_is_at_the_end_of_its_address() {
        let known = [
            ("http://h:1/gamelog/Coreminer-live3-2026.11.15.19.58.38.174", 1_794_772_718_174),
            ("Move-2-1970.01.01.00.00.00.000", 0),
            ("a-b-c-2000.02.29.23.59.59.999.json.gz", 951_868_799_999),
            ("x-1969.12.31.23.59.59.999", -1),
        ];
        for (address, epoch) in known {
            assert_eq!(epoch_of(address), Some(epoch), "{address}");
        }
        let unknown = [
            "",
            "Chess-arena1",
            "Chess-unknown",
            "x-2026.11.15.19.58.38",
            "x-2026.13.15.19.58.38.174",
            "x-2026.00.15.19.58.38.174",
            "x-2026.11.15.24.58.38.174",
            "x-2026.11.15.+1.58.38.174",
            "x-2026.11.15.19.58.38.1740",
            "2026.11.15.19.58.38.174",
        ];
        for address in unknown {
            assert_eq!(epoch_of(address), None, "{address}");
        }
    }
}
