//! `gametape map`: the board of a recording at a moment, drawn as text or as a picture.

use gametape_scene::TextMap;
use gametape_scene::png::{self, PictureError};
use gametape_wire::{Error, When};

use super::stage;
use crate::failure::{Failure, Outcome};
use crate::input::RecordingArgs;
use crate::output::{Target, colours_show, print, print_json};
use crate::view_arg::ViewArg;

/// Draw the board of a recording at a moment, as text or as a PNG picture
///
/// Of a MineWars recording it is the map as a view knows it; of a gamelog what its state says of tiles,
/// pieces and their positions. In text, each tile is a sign and the sign of its owner.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recording: RecordingArgs,

    /// When: a time such as 3:37.6, 217.6s or -10s (before the end), tick:4352, turn:12, 50%, start,
    /// end
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    at: When,

    #[command(flatten)]
    view: ViewArg,

    /// Draw a picture into this file instead, `-` for standard output
    #[arg(long, value_name = "OUT.png")]
    png: Option<Target>,

    /// Width of a tile in the picture, in pixels; chosen by the size of the board if not given
    #[arg(long, value_name = "N", requires = "png", value_parser = clap::value_parser!(u16).range(2..=256))]
    scale: Option<u16>,

    /// Print the scene as JSON instead (`spec/scene.md`)
    #[arg(long, conflicts_with = "png")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape map match.minewars
  gametape map --at end --view Ana match.tape | less -R
  gametape map --at 3:37.6 --png map.png --scale 24 match.minewars
  gametape map --at turn:12 game.json.gz";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let source = &self.recording.source;
        let failed = |error: Error| Failure::of(source, &error);
        let mut stage = stage::open(&self.recording)?;
        stage::look_as(&mut stage, source, &self.view)?;
        let moment = stage.find(self.at).map_err(|error| Failure::usage(error.to_string()))?;
        stage.seek(moment).map_err(failed)?;
        let mut scene = stage.scene();
        if self.json {
            scene.lines = stage.lines().map_err(failed)?;
            print_json(&scene)?;
            return Ok(stage::warn_of_problems(&stage, source));
        }
        if scene.board.is_none() {
            return Err(failed(stage::no_board()));
        }
        match &self.png {
            None => {
                let map = TextMap::of(&scene);
                print(&if colours_show() { map.coloured() } else { map.to_string() })?;
            }
            Some(target) => {
                let options = png::Options::default().with_scale(self.scale);
                let picture = png::draw(&scene, &options);
                target.write(source, &picture.map_err(|error| self.too_large(error))?)?;
            }
        }
        Ok(stage::warn_of_problems(&stage, source))
    }

    fn too_large(&self, error: PictureError) -> Failure {
        match (error, self.scale) {
            (PictureError::ScaleTooLarge { .. }, Some(scale)) => {
                Failure::usage(format_args!("--scale {scale} is too large: {error}"))
            }
            _ => Failure::usage(error),
        }
    }
}
