//! Packing: neighbouring messages of one kind become one message with several tiles.

use crate::Generation;
use gametape_wire::Result;

use super::lists::{DigitBuf, DigitTile, OwnedTiles, TileBuf};
use super::operand::Fit;
use super::table::Message;
use crate::map::Coord;

/// Writes messages so that runs of owners, explosions and digits take as few bytes as they can,
/// and decode to the same changes in the same order.
///
/// ```
/// use gametape_minewars::{Coord, Message, OwnedTiles, Packer};
/// use gametape_minewars::Generation;
///
/// let mut packer = Packer::new(Generation::Current);
/// for x in 1..=3 {
///     let tiles = OwnedTiles::from(Coord::new(1, x));
///     packer.push(&Message::Owner { player: 2, tiles }).unwrap();
/// }
/// assert_eq!(packer.finish().unwrap(), [0xA2, 1, 1, 1, 2, 1, 3]);
/// ```
#[derive(Debug)]
pub struct Packer {
    generation: Generation,
    run: Run,
    fit: Fit,
    out: Vec<u8>,
}

/// What is being gathered.
#[derive(Debug)]
enum Run {
    Nothing,
    Explosions(TileBuf),
    Owner(u8, OwnedTiles),
    Digits(DigitBuf),
}

impl Packer {
    /// A packer that writes for `generation`.
    #[must_use]
    pub fn new(generation: Generation) -> Self {
        Self { generation, run: Run::Nothing, fit: Fit::Exact, out: Vec::new() }
    }

    /// Adds a message. Refuses what the generation cannot express; then it is left out.
    pub fn push(&mut self, message: &Message<'_>) -> Result<()> {
        match *message {
            Message::Explosions { tiles } => tiles.iter().try_for_each(|tile| self.explosion(tile)),
            Message::Owner { player, tiles } => {
                tiles.iter().try_for_each(|tile| self.owner(player, tile))
            }
            Message::DigitSingle { digit } => self.digit(digit),
            Message::DigitRun { digits } => digits.iter().try_for_each(|digit| self.digit(digit)),
            ref other => {
                self.flush()?;
                self.write(other)
            }
        }
    }

    /// How well the values of all messages so far could be written.
    #[must_use]
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// The packed payload.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.flush()?;
        Ok(self.out)
    }

    fn explosion(&mut self, tile: Coord) -> Result<()> {
        if let Run::Explosions(tiles) = &mut self.run
            && tiles.push(tile)
        {
            return Ok(());
        }
        let mut tiles = TileBuf::new();
        tiles.push(tile);
        self.begin(Run::Explosions(tiles))
    }

    fn owner(&mut self, player: u8, tile: Coord) -> Result<()> {
        if let Run::Owner(same, tiles) = &mut self.run
            && *same == player
            && tiles.push(tile)
        {
            return Ok(());
        }
        self.begin(Run::Owner(player, tile.into()))
    }

    fn digit(&mut self, digit: DigitTile) -> Result<()> {
        if let Run::Digits(digits) = &mut self.run
            && digits.push(digit)
        {
            return Ok(());
        }
        let mut digits = DigitBuf::new();
        if digits.push(digit) {
            return self.begin(Run::Digits(digits));
        }
        // A digit over 7: let the encoder refuse it in its own words.
        self.flush()?;
        self.write(&Message::DigitSingle { digit })
    }

    fn begin(&mut self, run: Run) -> Result<()> {
        self.flush()?;
        self.run = run;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.run, Run::Nothing) {
            Run::Nothing => Ok(()),
            Run::Explosions(tiles) => self.write(&Message::Explosions { tiles: tiles.as_tiles() }),
            Run::Owner(player, tiles) => self.write(&Message::Owner { player, tiles }),
            Run::Digits(digits) => match digits.as_digits().single() {
                Some(digit) => self.write(&Message::DigitSingle { digit }),
                None => self.write(&Message::DigitRun { digits: digits.as_digits() }),
            },
        }
    }

    fn write(&mut self, message: &Message<'_>) -> Result<()> {
        let fit = message.encode(self.generation, &mut self.out)?;
        self.fit = self.fit.max(fit);
        Ok(())
    }
}
