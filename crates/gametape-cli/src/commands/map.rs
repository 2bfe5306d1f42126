//! `gametape map`: the map of a recording, drawn as text or as a picture.

mod canvas;
mod geometry;
mod legend;
mod picture;
pub(super) mod scene;
pub(super) mod signs;
pub(super) mod sketch;

use std::collections::BTreeMap;

use gametape_minewars::{Grid, Replayed};

use crate::cities::{Place, places};
use crate::failure::{Failure, Outcome};
use crate::input::{Opened, RecordingArgs};
use crate::moment::{When, replay, warn_of_problems};
use crate::output::{Target, colours_show, print};
use crate::tape::{Content, view_at};
use crate::view_arg::{Names, ViewArg};
use picture::Picture;
use scene::Scene;

/// Draw the map of a recording, as text or as a PNG picture
///
/// Without --at it is the map as the match begins; with it, what the view knows at that time. In
/// text, each tile is a sign and its owner: the digits 1 to 9 and the letters a to f are players.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// When, such as 3:37.6, 217.6s, tick:4352, 50%, end, or -10s for ten seconds before the end
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    at: When,

    #[command(flatten)]
    view: ViewArg,

    /// Draw a picture into this file instead, `-` for standard output
    #[arg(long, value_name = "OUT.png")]
    png: Option<Target>,

    /// Width of a tile in the picture, in pixels; chosen by the size of the map if not given
    #[arg(long, value_name = "N", requires = "png", value_parser = clap::value_parser!(u16).range(2..=256))]
    scale: Option<u16>,
}

const EXAMPLES: &str = "\
Examples:
  gametape map match.minewars
  gametape map --at end --view 1 match.minewars | less -R
  gametape map --at 30000 --png map.png --scale 24 match.minewars";

/// The most pixels that a side of the drawn map may have.
const MAX_SIDE: u32 = 8192;
/// About what a map takes that no scale was given for.
const COMFORTABLE_SIDE: u32 = 1400;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let source = &self.recording.source;
        match self.recording.open()? {
            Opened::Whole(input) => {
                let file = input.minewars()?;
                let view = self.view.find(source, || Names::of_file(&file))?;
                self.draw(&places(&file), &replay(source, &file, view, self.at)?)
            }
            Opened::Tape(file) => {
                let (recording, content) = file.play()?;
                if content != Content::MineWars {
                    let problem = "this command is for MineWars recordings, and";
                    return Err(Failure::usage(format_args!("{problem} {source} holds a gamelog")));
                }
                let then = view_at(source, recording, &self.view, self.at)?;
                self.draw(&then.cities, &then.replayed)
            }
        }
    }

    fn draw(&self, cities: &BTreeMap<u8, Place>, replayed: &Replayed) -> Outcome {
        let (source, state) = (&self.recording.source, &replayed.state);
        let scene = Scene::new(state, cities, replayed.time);
        match &self.png {
            None => print(&sketch::draw(&scene, colours_show()))?,
            Some(target) => {
                let scale = scale(self.scale, state.grid(), state.radius())?;
                let png = Picture::draw(&scene, scale).ok_or_else(too_large)?;
                target.write(source, &png)?;
            }
        }
        Ok(warn_of_problems(source, &replayed.problems, replayed.problem_count))
    }
}

/// The scale that was asked for, unless it is too large, or one that suits the map.
fn scale(given: Option<u16>, grid: Grid, radius: u8) -> Result<u16, Failure> {
    let across = 2 * u32::from(radius) + 1;
    let most = MAX_SIDE / across;
    match given {
        Some(scale) if u32::from(scale) > most => Err(Failure::usage(format_args!(
            "--scale {scale} is too large: at most {most} on a {grid} map of radius {radius}"
        ))),
        Some(scale) => Ok(scale),
        None => Ok((COMFORTABLE_SIDE / across).clamp(6, 48) as u16),
    }
}

fn too_large() -> Failure {
    Failure::usage("the picture is too large to be drawn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_size_that_can_be_looked_at() {
        for radius in 0..=127 {
            let chosen = scale(None, Grid::Hex, radius).unwrap();
            assert!((6..=48).contains(&chosen));
            assert!(scale(Some(chosen), Grid::Hex, radius).is_ok());
        }
        assert!(scale(Some(256), Grid::Hex, 15).is_ok());
        assert!(scale(Some(256), Grid::Hex, 127).is_err());
    }
}
