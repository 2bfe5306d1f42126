//! The two instruction tables: messages, and what can happen to a player.

use crate::frames::PayloadRoom;
use crate::{FrameWriter, Generation};
use gametape_wire::{Error, ErrorKind, Reader, Result, ViewSet};

use super::class::Class;
use super::instructions::{Others, Row, instructions, patterns_of};
use super::lists::{DigitTile, Digits, OwnedTiles, Tiles};
use super::operand::{Fit, Operand, Slot};
use super::pattern::{Field, Pattern, decode_map};
use super::pen::{Pen, Sheet};
use super::player::{Ballot, Duration, Money, Who};
use super::text::Text;
use super::tokens::Tokens;
use super::wire::{Fill, Keep, Take, Wire, checked_length};
use crate::dialect::Dialect;
use crate::map::{Coord, ItemKind, StructureKind, TileKind};

use Class::{Background, Notification, Personal, PvP, Unreliable};

/// The dialects by number: what the `D` of the generated functions means.
pub(crate) const DIALECTS: [Dialect; 3] = Dialect::ALL;

/// The column of the table that dialect number `dialect` reads.
const fn generation_index(dialect: usize) -> usize {
    DIALECTS[dialect].generation() as usize
}

instructions! {
    /// One change to what a view knows.
    Message, rows MESSAGE_ROWS, row ids MessageId, reserved [0x5F], often Owner {
        /// Something notable happened to a player.
        Player "PLAYER", update.class(), "00000000" "00000000"
            { who: Who; update: PlayerUpdate<'a>; }
        /// Something exploded out of sight: the screen shakes.
        Tremor "SHAKE", Background, "00000001" "00000001" {}
        /// A tile is hidden in smoke.
        SmokeStart "SMOKE", PvP, "00000010" "00000010" { tile: Coord; }
        /// A tile is no longer hidden in smoke.
        SmokeEnd "UNSMOKE", PvP, "00000011" "00000011" { tile: Coord; }
        /// A city's money, with its income where that is known.
        CityMoney "CITMONEY" | "CITINCOME" => |_| money.word(), Unreliable, "00000100" "00000100"
            { city: u8; money: Money; }
        /// A city spent money.
        CitySpending "CITSPEND", Personal, "00000101" - { city: u8; spent: u16; }
        /// A city spent (below zero) or received money.
        CityTransaction "CITTRANS", Personal, - "00000101" { city: u8; amount: i16; }
        /// A city's resources.
        CityResources "CITRES", Personal, "00000110" "00000110" { city: u8; resources: u16; }
        /// A city's export and import policy.
        CityTrade "CITTRADE", Personal, "00000111" "00000111"
            { city: u8; export: u8; import: u8; }
        /// A flag is on a tile.
        FlagPlaced "FLAG", PvP, "00001110" - { tile: Coord; }
        /// The flag on a tile is gone.
        FlagRemoved "UNFLAG", PvP, "00001111" - { tile: Coord; }
        /// A number shown on a tile, for developers.
        Debug "DEBUG", PvP, - "00001110" { value: u8; tile: Coord; }
        /// A player's flag is on a tile; player 0 means that it is gone.
        Flag "FLAG", PvP, - "00001111" { player: u8; tile: Coord; }
        /// An item lies on a tile.
        Item "ITEM", PvP => own Personal, "01110kkk" "0001kkkk" { tile: Coord; kind: ItemKind, @k; }
        /// The structure on a tile, finished or pending, is gone.
        StructureGone "DECONSTRUCT" | "NOSTRUCT" | "NOCONSTRUCT" => structure_gone_word,
            PvP => own Personal, "00100000" "00100000" { tile: Coord; }
        /// A structure has this many hit points left.
        StructureHp "STRUCTHP", PvP, "0010hhhh" "0010hhhh" { tile: Coord; hp: u8, @h; }
        /// Tiles exploded; their items are gone.
        Explosions "EXPLODE", PvP, "0011cccc" "0011cccc" { tiles: Tiles<'a>, @c; }
        /// A structure is to be built.
        ConstructionQueued "BUILDNEW", Personal, "0100kkkk" "0100kkkk"
            { tile: Coord; kind: StructureKind, @k; points: u16; }
        /// How far a pending structure is.
        ConstructionProgress "BUILD", Unreliable, "01001111" "01001111"
            { tile: Coord; current: u16; rate: u16; }
        /// A structure is on a tile.
        Structure "STRUCT", PvP, "0101kkkk" "0101kkkk" { tile: Coord; kind: StructureKind, @k; }
        /// The digit of one tile of the player's own.
        DigitSingle "DIGITS", PvP, "0110dddd" "0110dddd" { digit: DigitTile, @d; }
        /// The digits of several tiles of the player's own.
        DigitRun "DIGITS", PvP, "10000ccc" "1ccc0000" { digits: Digits<'a>, @c; }
        /// The ground of a tile.
        Tile "TILE", PvP, "01111kkk" "0111kkkk" { tile: Coord; kind: TileKind, @k; }
        /// Tiles belong to a player.
        Owner "OWNER", PvP, "1ppppccc" "1cccpppp" { player: u8, @p; tiles: OwnedTiles, @c; }
    }
}

instructions! {
    /// What happened to a player, or to the whole game.
    PlayerUpdate, rows PLAYER_ROWS, row ids PlayerUpdateId, reserved [], often Lives {
        /// A client joined under this name.
        Joined "JOIN", Notification, "00000000" "00000000" { name: Text<'a>; }
        /// Round-trip time of a client.
        Rtt "RTT", Unreliable, "00000001" "00000001" { time: Duration; }
        /// Stunned: out of play for this long.
        Timeout "TIMEOUT", Notification, "00000010" "00000010" { time: Duration; }
        /// Back in play.
        Resume "RESUME", Notification, "00000011" "00000011" {}
        /// Died on a tile; the killer is a player, 0 for nobody.
        Explode "EXPLODE", Notification, - "00000100" { tile: Coord; killer: u8; }
        /// Lives left.
        Lives "LIVES", Notification, - "00000101" { lives: u8; }
        /// Cannot be attacked.
        Protected "PROTECT", Notification, "00000110" "00000110" {}
        /// Can be attacked again.
        Unprotected "UNPROTECT", Notification, "00000111" "00000111" {}
        /// Out of the game; the player's land becomes neutral.
        Eliminated "ELIMINATE", Notification, "00001000" "00001000" {}
        /// Gave up.
        Surrendered "SURRENDER", Notification, "00001001" "00001001" {}
        /// A client is gone.
        Disconnected "LEAVE", Notification, "00001010" "00001010" {}
        /// A client was removed.
        Kicked "KICK", Notification, "00001011" "00001011" {}
        /// A vote was called.
        VoteNew "VOTENEW", Notification, "00001100" "00010011" { id: u8; text: Text<'a>; }
        /// A ballot was cast.
        Vote "VOTE", Notification, "00001101" "0000110b" { id: u8; ballot: Ballot, @b; }
        /// A vote failed.
        VoteFailed "VOTEFAIL", Notification, "00001110" "00001110" { id: u8; }
        /// A vote passed.
        VotePassed "VOTEPASS", Notification, "00001111" "00001111" { id: u8; }
        /// Chat to everybody.
        ChatAll "CHATALL", Notification, "00010000" "00010000" { text: Text<'a>; }
        /// Chat to friends.
        ChatFriendly "CHAT", Notification, "00010001" "00010001" { text: Text<'a>; }
        /// Seconds until the game ends.
        TimeLimit "TIMELIMIT", Notification, - "00010010" { seconds: u16; }
        /// Is about to capture a city.
        CityCapturing "CITCAPTING", PvP, - "10001000" { city: u8; time: Duration; }
        /// Captured a city.
        CityCaptured "CITCAPTURE", PvP, - "10001001" { city: u8; }
        /// Contests a city.
        CityContested "CITCONTEST", PvP, - "10001010" { city: u8; }
    }
}

/// Each generation has its own word for a structure that is gone.
const fn structure_gone_word(generation: Generation) -> &'static str {
    match generation {
        Generation::V01 => "DECONSTRUCT",
        Generation::Current => "NOSTRUCT",
    }
}

/// Calls a generated function for the dialect that is only known at run time.
macro_rules! in_dialect {
    ($dialect:expr, $function:ident $(<$generic:tt>)? ($($argument:expr),*)) => {
        match $dialect {
            Dialect::V01 => {
                Self::$function::<{ Dialect::V01 as usize } $(, $generic)?>($($argument),*)
            }
            Dialect::Current => {
                Self::$function::<{ Dialect::Current as usize } $(, $generic)?>($($argument),*)
            }
            Dialect::MwDatatool => {
                Self::$function::<{ Dialect::MwDatatool as usize } $(, $generic)?>($($argument),*)
            }
        }
    };
}

impl<'a> Message<'a> {
    /// Decodes the next message of a payload and moves the reader past it.
    ///
    /// After an error the reader's position means nothing: a reserved first byte has no length,
    /// so nothing after it in this payload can be read.
    pub fn decode(r: &mut Reader<'a>, dialect: Dialect) -> Result<Self> {
        in_dialect!(dialect, decode_in<_>(r, |message, _| message))
    }

    /// Decodes messages to the end of the payload and hands each, with its bytes, to `take`. After an
    /// error the reader is before the message that cannot be read.
    #[inline]
    pub(super) fn visit_all(
        r: &mut Reader<'a>,
        dialect: Dialect,
        take: &mut impl FnMut(Self, &'a [u8]),
    ) -> Result<()> {
        in_dialect!(dialect, visit_all_in<_>(r, take))
    }

    #[inline]
    fn visit_all_in<const D: usize, F: FnMut(Self, &'a [u8])>(
        r: &mut Reader<'a>,
        take: &mut F,
    ) -> Result<()> {
        while !r.is_empty() {
            let start = r.clone();
            if let Err(error) = Self::decode_in::<D, _>(r, &mut *take) {
                *r = start;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Appends the message as `generation` writes it, and says how well its values fit.
    ///
    /// Refuses what the generation cannot express; then nothing is appended.
    #[inline]
    pub fn encode(&self, generation: Generation, out: &mut Vec<u8>) -> Result<Fit> {
        in_dialect!(Dialect::from(generation), encode_in<_>(self, Wire::EMPTY, out))
    }

    /// Writes messages one after the other to the beginning of `room`, and returns their length. Refuses
    /// what the generation cannot express exactly, and what is too long for a frame.
    #[inline(always)]
    pub(super) fn fill_in<const D: usize>(
        messages: &[Self],
        room: &mut PayloadRoom,
    ) -> Result<usize> {
        let mut end = 0;
        for message in messages {
            // First what is met most, for the reason that `instructions!` gives.
            end = match message {
                often @ Self::Owner { .. } => {
                    often.encode_in::<D, _>(Wire::EMPTY, Fill(room, end))?
                }
                other => other.encode_in::<D, _>(Wire::EMPTY, Fill(room, end))?,
            };
        }
        checked_length(end)
    }

    /// Appends the message as a line of assembly text, without the line's end.
    pub fn print(&self, dialect: Dialect, out: &mut Vec<u8>) {
        Sheet::append_to(out, |sheet| self.print_on(sheet, dialect));
    }

    /// The same, on a sheet.
    pub(crate) fn print_on(&self, sheet: &mut Sheet, dialect: Dialect) {
        sheet.write(|pen| in_dialect!(dialect, print_in(self, pen)));
    }

    /// Does the text say everything, so that assembling it gives the same bytes?
    pub(crate) fn text_is_exact(&self, dialect: Dialect) -> bool {
        in_dialect!(dialect, is_exact_in(self))
    }

    /// Decodes and prints messages, each on an indented line that an end of line begins, until the
    /// payload ends or the page is full, or one comes that cannot be read or whose text would not say
    /// everything. The reader is then before that one.
    #[inline]
    pub(crate) fn print_lines<'p>(r: &mut Reader<'a>, dialect: Dialect, pen: Pen<'p>) -> Pen<'p> {
        in_dialect!(dialect, print_lines_in(r, pen))
    }

    // A function of its own for each dialect, as for encoding.
    #[inline(never)]
    fn print_lines_in<'p, const D: usize>(r: &mut Reader<'a>, mut pen: Pen<'p>) -> Pen<'p> {
        // In a variable of its own, and so in registers.
        let mut reader = r.clone();
        let mut goes_on = true;
        while goes_on && !reader.is_empty() && pen.has_room() {
            let start = reader.clone();
            (pen, goes_on) = Self::print_line_in::<D>(&mut reader, pen);
            if !goes_on {
                reader = start;
            }
        }
        *r = reader;
        pen
    }

    /// Assembles one line (its words, the mnemonic not yet taken) to one message, or to several
    /// where a list is too long for one. Writes nothing after an error.
    pub(crate) fn assemble(
        mut tokens: Tokens<'_>,
        dialect: Dialect,
        out: &mut Vec<u8>,
    ) -> Result<Fit> {
        let start = out.len();
        let mut fit = Fit::Exact;
        loop {
            match Self::assemble_one(&mut tokens, dialect, out) {
                Ok((one, None)) => return Ok(fit.max(one)),
                Ok((one, Some(kept))) => {
                    fit = fit.max(one);
                    tokens = tokens.continue_after(kept);
                }
                Err(error) => {
                    out.truncate(start);
                    return Err(error);
                }
            }
        }
    }

    /// Assembles one message, and says how many operands to keep if its list goes on.
    fn assemble_one(
        tokens: &mut Tokens<'_>,
        dialect: Dialect,
        out: &mut Vec<u8>,
    ) -> Result<(Fit, Option<usize>)> {
        let word = tokens.take("message")?;
        let candidates = rows_with_word(&MESSAGE_ROWS, word.text, dialect.generation());
        let mut failure = None;
        for row in candidates {
            let id = MessageId::ALL[row];
            let mut attempt = tokens.clone();
            let start = out.len();
            let result = in_dialect!(dialect, assemble_in(id, &mut attempt, out));
            let goes_on = Self::list_start(id).filter(|_| attempt.left() > 0);
            match result.and_then(|fit| {
                if goes_on.is_some() { Ok(fit) } else { attempt.finish().map(|()| fit) }
            }) {
                Ok(fit) => {
                    *tokens = attempt;
                    return Ok((fit, goes_on));
                }
                Err(error) => {
                    out.truncate(start);
                    failure = Some(tokens.locate(error, word));
                }
            }
        }
        Err(failure.unwrap_or_else(|| unknown_word(tokens, word, &MESSAGE_ROWS, dialect)))
    }
}

/// Frames of messages, which are written where they belong: the fast way from messages to bytes.
impl FrameWriter {
    /// One homogenous frame with these messages. Refuses what the generation cannot express
    /// exactly, and what is too long for a frame.
    ///
    /// ```
    /// use gametape_minewars::{Coord, FrameLayout, FrameWriter, Generation, Message};
    /// use gametape_wire::{View, ViewSet};
    ///
    /// let layout = FrameLayout::new(Generation::Current, View::new(2).unwrap())?;
    /// let mut out = FrameWriter::new(layout);
    /// let smoke = Message::SmokeStart { tile: Coord::new(-7, 2) };
    /// out.homogenous_messages(5, ViewSet::from_bits(0b011), &[smoke, Message::Tremor {}])?;
    /// assert_eq!(out.as_bytes(), [0x80, 0x05, 0x03, 0x03, 0x02, 0xF9, 0x02, 0x01]);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn homogenous_messages(
        &mut self,
        delta: u32,
        views: ViewSet,
        messages: &[Message<'_>],
    ) -> Result<()> {
        match self.layout().generation() {
            Generation::V01 => {
                homogenous_in::<{ Dialect::V01 as usize }>(self, delta, views, messages)
            }
            Generation::Current => {
                homogenous_in::<{ Dialect::Current as usize }>(self, delta, views, messages)
            }
        }
    }

    /// One heterogenous frame: the messages of each view, in ascending order. Refuses what
    /// [`homogenous_messages`](Self::homogenous_messages) does, and another number of payloads than of views.
    ///
    /// ```
    /// use gametape_minewars::{Coord, FrameLayout, FrameWriter, Generation, Message};
    /// use gametape_wire::{View, ViewSet};
    ///
    /// let layout = FrameLayout::new(Generation::Current, View::new(2).unwrap())?;
    /// let mut out = FrameWriter::new(layout);
    /// let (tremor, smoke) = (Message::Tremor {}, Message::SmokeStart { tile: Coord::new(-7, 2) });
    /// out.heterogenous_messages(5, ViewSet::from_bits(0b101), &[&[tremor], &[smoke, tremor]])?;
    /// assert_eq!(out.as_bytes(), [0, 5, 0b101, 0, 3, 0x01, 0x02, 0xF9, 0x02, 0x01]);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn heterogenous_messages(
        &mut self,
        delta: u32,
        views: ViewSet,
        payloads: &[&[Message<'_>]],
    ) -> Result<()> {
        if payloads.len() != views.len() {
            return Err(wrong_number(payloads.len(), views));
        }
        match self.layout().generation() {
            Generation::V01 => {
                heterogenous_in::<{ Dialect::V01 as usize }>(self, delta, views, payloads)
            }
            Generation::Current => {
                heterogenous_in::<{ Dialect::Current as usize }>(self, delta, views, payloads)
            }
        }
    }
}

// A function of its own for each generation: together they have more values than registers.
#[inline(never)]
fn homogenous_in<const D: usize>(
    out: &mut FrameWriter,
    delta: u32,
    views: ViewSet,
    messages: &[Message<'_>],
) -> Result<()> {
    let layout = out.layout().known_as(const { DIALECTS[D].generation() });
    out.homogenous_with(layout, delta, views, |room| Message::fill_in::<D>(messages, room))
}

#[inline(never)]
fn heterogenous_in<const D: usize>(
    out: &mut FrameWriter,
    delta: u32,
    views: ViewSet,
    payloads: &[&[Message<'_>]],
) -> Result<()> {
    let layout = out.layout().known_as(const { DIALECTS[D].generation() });
    out.heterogenous_with(layout, delta, views, payloads, |messages, room| {
        Message::fill_in::<D>(messages, room)
    })
}

#[cold]
fn wrong_number(payloads: usize, views: ViewSet) -> Error {
    Error::misuse("frame payload", format!("{payloads} payloads for {} views", views.len()))
}

/// The rows that `word` may mean, in the order of the table.
fn rows_with_word<'t>(
    rows: &'t [Row],
    word: &'t str,
    generation: Generation,
) -> impl Iterator<Item = usize> + 't {
    rows.iter()
        .enumerate()
        .filter(move |(_, row)| {
            row.words.contains(&word) && row.patterns[generation as usize].is_some()
        })
        .map(|(i, _)| i)
}

#[cold]
fn unknown_word(
    tokens: &Tokens<'_>,
    word: super::tokens::Token<'_>,
    rows: &[Row],
    dialect: Dialect,
) -> Error {
    let elsewhere = rows.iter().any(|row| row.words.contains(&word.text));
    let problem = if elsewhere {
        format!("{dialect} has no message '{}'", word.text)
    } else {
        format!("'{}' is not a known message", word.text)
    };
    tokens.error(word, "message", problem)
}

impl<'a> PlayerUpdate<'a> {
    /// The update that a reader has next, and the reader after it. The caller's own reader stays in registers, as it
    /// is not handed out.
    #[inline(never)]
    fn decode(mut r: Reader<'a>, dialect: Dialect) -> Result<(Self, Reader<'a>)> {
        let update = in_dialect!(dialect, decode_in<_>(&mut r, |update, _| update))?;
        Ok((update, r))
    }
}

/// A player update is an operand of the `PLAYER` message.
impl<'a> Operand<'a> for PlayerUpdate<'a> {
    #[inline]
    fn is_exact(&self, slot: Slot) -> bool {
        in_dialect!(slot.dialect, is_exact_in(self))
    }
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        let (update, rest) = Self::decode(r.clone(), slot.dialect)?;
        *r = rest;
        Ok(update)
    }
    fn bits(&self) -> usize {
        0
    }
    #[inline(always)]
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        in_dialect!(slot.dialect, encode_in<_>(self, wire, Keep))
    }
    #[inline(always)]
    fn print<'p>(&self, slot: Slot, pen: Pen<'p>) -> Pen<'p> {
        let pen = pen.text(b" ");
        in_dialect!(slot.dialect, print_in(self, pen))
    }
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let word = tokens.take("player update")?;
        let row = rows_with_word(&PLAYER_ROWS, word.text, slot.dialect.generation()).next();
        let Some(row) = row else {
            return Err(unknown_word(tokens, word, &PLAYER_ROWS, slot.dialect));
        };
        let id = PlayerUpdateId::ALL[row];
        let fit = in_dialect!(slot.dialect, assemble_in(id, tokens, out))?;
        Ok((0, fit))
    }
}

#[cold]
fn reserved(offset: u64, opcode: u8, set: &'static str) -> Error {
    let item = if set == "Message" { "first byte of a message" } else { "player update" };
    Error::at(offset, item, ErrorKind::Unknown { code: u64::from(opcode) })
}

#[cold]
fn not_in_generation(word: &'static str, dialect: Dialect) -> Error {
    Error::misuse(word, format!("{dialect} has no such message"))
}

/// The operands are each in range, but together they spell the first byte of something else.
#[cold]
fn collides(byte: u8, word: &'static str) -> Error {
    let problem = format!("these operands make 0x{byte:02X}, which is not a {word} message");
    Error::misuse(word, problem)
}

/// Both tables as data: for the table printed in `spec/`.
pub(crate) fn tables() -> [(&'static str, &'static [Row]); 2] {
    [("Messages", &MESSAGE_ROWS), ("Player updates", &PLAYER_ROWS)]
}
