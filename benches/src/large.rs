//! A packed tape of any size that the viewer can show: a match of Skirmish with much talk.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use gametape_minewars::{Generation, Message, PlayerUpdate, Text, Who};
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{GameState, Source, put_segments, streams};
use gametape_skirmish::{Config, Match, Style, TICK_LENGTH, metadata};
use gametape_tape::{Depth, Keyframe, TapeHeader, TapeReader, TapeWriter, pack};
use gametape_wire::{Error, Result, Tick, View, ViewSet, drive};

use crate::crowd::Dice;

/// Ticks between keyframes.
const CADENCE: u64 = 300;
/// Ticks between two writes.
const WRITE: u64 = 20;
/// Messages of talk in each tick,
const MESSAGES: usize = 96;
/// letters of one,
const LETTERS: usize = 250;
/// and letters that they are taken from: more than compression looks back.
const POOL: usize = 4 << 20;

/// Writes a packed tape of at least this many bytes. What is random in it is talk that the spectator receives, so that
/// compression does not make it small.
pub fn write_packed(path: &Path, bytes: u64) -> Result<()> {
    let unpacked = path.with_extension("unpacked");
    let written = write_unpacked(&unpacked, bytes).and_then(|()| write_from(&unpacked, path));
    let removed = std::fs::remove_file(&unpacked).map_err(Error::from);
    written.and(removed)
}

fn write_from(unpacked: &Path, path: &Path) -> Result<()> {
    let mut source = File::open(unpacked).map_err(Error::from)?;
    let mut reader = TapeReader::new(source.length(), Depth::Index);
    drive(&mut reader, &mut source)?;
    let segments = pack(&reader.finish()?)?;
    let mut out = BufWriter::new(File::create(path).map_err(Error::from)?);
    put_segments(&mut source, &segments, &mut |bytes| out.write_all(bytes).map_err(Error::from))?;
    out.flush().map_err(Error::from)
}

fn write_unpacked(path: &Path, bytes: u64) -> Result<()> {
    let config = Config::new(4, 16, 11);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current)?;
    let header = TapeHeader::new(TICK_LENGTH, 7);
    let mut writer = TapeWriter::new(header, &metadata(&config, Generation::Current))?;
    let setup = game.setup().encode(true)?.into_bytes();
    writer.setup(streams::SETUP_OF_VIEWS, ViewSet::ALL, &setup)?;
    let mut file = BufWriter::new(File::create(path).map_err(Error::from)?);
    let mut spectator = MinewarsView::new(game.setup(), View::SPECTATOR);
    let (mut talk, mut tick) = (Talk::new(), 0);
    while writer.length() < bytes {
        if tick % CADENCE == 0 {
            let keyframe = Keyframe::full(&spectator.snapshot(Tick(tick)));
            let stream = streams::keyframes_of(View::SPECTATOR);
            writer.keyframe(stream, ViewSet::EMPTY.with(View::SPECTATOR), &keyframe)?;
        }
        let payload = payload(&mut game, &mut talk)?;
        writer.frame(streams::FRAMES, Tick(tick), &[(View::SPECTATOR, &payload)])?;
        spectator.apply(Tick(tick), &payload)?;
        tick += 1;
        if tick % WRITE == 0 {
            writer.flush()?;
            file.write_all(&writer.take()).map_err(Error::from)?;
        }
    }
    file.write_all(&writer.take()).map_err(Error::from)?;
    file.write_all(&writer.finish()?).map_err(Error::from)?;
    file.flush().map_err(Error::from)
}

/// What the spectator receives in the next tick: the match, as long as it lasts, and talk.
fn payload(game: &mut Match, talk: &mut Talk) -> Result<Vec<u8>> {
    let mut payload = Vec::new();
    if !game.is_over() {
        let turn = game.step()?;
        let parts = turn.parts();
        let seen = parts.iter().find(|(view, _)| *view == View::SPECTATOR);
        payload.extend_from_slice(seen.map_or(&[], |(_, payload)| payload));
    }
    for _ in 0..MESSAGES {
        let update = PlayerUpdate::ChatAll { text: Text(talk.next()) };
        Message::Player { who: Who::all_of(1), update }
            .encode(Generation::Current, &mut payload)?;
    }
    Ok(payload)
}

/// Random letters.
struct Talk {
    pool: Vec<u8>,
    dice: Dice,
}

impl Talk {
    fn new() -> Self {
        let mut dice = Dice::new(8);
        let pool = (0..POOL).map(|_| b'0' + dice.below(75) as u8).collect();
        Self { pool, dice }
    }

    fn next(&mut self) -> &[u8] {
        let start = self.dice.below((POOL - LETTERS) as u64) as usize;
        &self.pool[start..start + LETTERS]
    }
}
