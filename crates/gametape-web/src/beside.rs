//! What a session does beside showing a moment: comparing with another one, following something, cutting clips.

use gametape_replay::cut::{CutRequest, clip};
use gametape_replay::open::{OpenOptions, open};
use gametape_scene::{Layout, TileAt, TileLook, differing, tile_looks};
use gametape_wire::{Error, Moment, Tick, View, ViewSet, When};

use crate::request::Follow;
use crate::session::{Result, Session};
use crate::shapes::{Answer, PieceOn, TileCard};

/// The bytes of a [`TileLook`]: column, row, look, 4 bytes each, little-endian.
const LOOK_BYTES: usize = 12;
/// A clip is not larger than this.
const MOST_CLIP: usize = 64 << 20;
/// Cameras are read for parts of a recording that are this long, in seconds.
const CAMERA_PART: u64 = 30;

impl Session {
    /// What is on each tile of the present scene, in bytes for [`compare`](Self::compare) of another session.
    pub fn looks(&mut self) -> std::result::Result<Vec<u8>, String> {
        let looks = tile_looks(self.scene().map_err(|error| error.to_string())?);
        let bytes = |one: &TileLook| {
            let [x, y] = <[i32; 2]>::from(one.at).map(i32::to_le_bytes);
            [x, y, one.look.to_le_bytes()].concat()
        };
        Ok(looks.iter().flat_map(bytes).collect())
    }

    /// Compares the present scene with what another session has on its tiles. From now on drawings mark those that differ;
    /// how many these are.
    pub fn compare(&mut self, looks: &[u8]) -> std::result::Result<usize, String> {
        let number = |bytes: &[u8]| {
            let mut four = [0; 4];
            four.copy_from_slice(bytes);
            four
        };
        let looks = looks.chunks_exact(LOOK_BYTES).map(|bytes| TileLook {
            at: TileAt::new(
                i32::from_le_bytes(number(&bytes[..4])),
                i32::from_le_bytes(number(&bytes[4..8])),
            ),
            look: u32::from_le_bytes(number(&bytes[8..])),
        });
        let looks: Vec<TileLook> = looks.collect();
        self.differences = differing(self.scene().map_err(|error| error.to_string())?, &looks);
        Ok(self.differences.len())
    }

    /// The file that was made last. It is given once.
    #[must_use]
    pub fn take_file(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.file)
    }

    pub(crate) fn inspect(&mut self, at: TileAt) -> Result<Answer> {
        let board = self.scene()?.board.as_ref();
        let pieces = board.into_iter().flat_map(|board| &board.pieces);
        let pieces = pieces.filter(|piece| piece.at.tile() == Some(at)).map(|piece| PieceOn {
            id: piece.id.clone(),
            name: piece.label.clone().unwrap_or_else(|| piece.id.clone()),
        });
        let pieces = pieces.collect();
        let found = self.stage()?.inspect(at);
        Ok(Answer::Inspected(found.map(|found| TileCard {
            title: found.title,
            values: found.values,
            pieces,
        })))
    }

    /// Where that is which is followed, in tiles from the upper left corner of the board.
    pub(crate) fn followed(&mut self, follow: &Follow) -> Result<Option<[f32; 2]>> {
        let camera = match follow {
            Follow::Camera(player) => self.camera_of(*player)?,
            Follow::Piece(_) => None,
        };
        let Some(board) = &self.scene()?.board else { return Ok(None) };
        let at = match follow {
            Follow::Piece(id) => {
                board.pieces.iter().find(|piece| piece.id == *id).map(|piece| piece.at)
            }
            Follow::Camera(_) => camera,
        };
        let point = at.and_then(|at| Layout::of(board)?.point(at));
        Ok(point.map(|(x, y)| [x, y]))
    }

    /// Where a player looked last.
    fn camera_of(&mut self, player: u8) -> Result<Option<gametape_scene::Position>> {
        let stage = self.stage()?;
        let Some(now) = stage.position().last_tick() else { return Ok(None) };
        let part =
            (CAMERA_PART * 1_000_000 / u64::from(stage.tick_length().micros().max(1))).max(1);
        let index = now.0 / part;
        let ticks = Tick(index.saturating_sub(1) * part)..Tick((index + 1) * part);
        if self.cameras.as_ref().is_none_or(|(known, _)| *known != ticks) {
            let samples = self.stage()?.camera_samples(ticks.clone())?;
            self.cameras = Some((ticks, samples));
        }
        let samples = self.cameras.iter().flat_map(|(_, samples)| samples);
        let mut own = samples.filter(|sample| sample.player == player && sample.tick <= now);
        Ok(own.next_back().map(|sample| sample.at))
    }

    /// Cuts a part of the recording, as those may have it who see it now.
    pub(crate) fn clip(&mut self, from: u64, to: u64) -> Result<Answer> {
        let (from, to) = (self.within(from)?, self.within(to)?);
        let seen = self.stage()?.seen();
        let views = if seen.contains(View::SPECTATOR) { ViewSet::EMPTY } else { seen };
        let tick = |moment: Moment| When::Tick(moment.next_tick());
        let request =
            CutRequest::default().with_views(views).with_from(tick(from)).with_to(tick(to));
        let opened = open(self.blocks.clone(), &OpenOptions::default())?;
        let mut made: Vec<u8> = Vec::new();
        let mut put = |bytes: &[u8]| {
            if made.len() + bytes.len() > MOST_CLIP {
                let most = MOST_CLIP >> 20;
                return Err(Error::misuse(
                    "clip",
                    format!("it is larger than {most} MiB: choose less time"),
                ));
            }
            made.extend_from_slice(bytes);
            Ok(())
        };
        clip(opened, &request, &mut put)?;
        let bytes = made.len();
        self.file = made;
        Ok(Answer::Made { bytes })
    }
}
