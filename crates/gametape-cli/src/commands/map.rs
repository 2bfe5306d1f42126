//! `gametape map`: the board of a recording at a moment, drawn as text or as a picture.

use std::path::PathBuf;

use gametape_scene::draw::Overlay;
use gametape_scene::png::{self, PictureError};
use gametape_scene::{Heat, HeatKind, Scene, TextMap};
use gametape_wire::{Error, When};

use super::stage;
use crate::failure::{Failure, Outcome, note};
use crate::input::{RecordingsArgs, Source};
use crate::output::{Destination, Kind, Target, colours_show, path, print, print_json};
use crate::view_arg::ViewArg;

/// Draw the board of a recording at a moment, as text or as a PNG picture
///
/// Of a MineWars recording it is the map as a view knows it; of a gamelog what its state says of tiles,
/// pieces and their positions. In text, each tile is a sign and the sign of its owner.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(id = "picture", multiple = false, args = ["png", "out_dir"])]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    /// When: a time such as 3:37.6, 217.6s or -10s (before the end), tick:4352, turn:12, 50%, start,
    /// end; a number alone is in milliseconds, in a gamelog a delta
    ///
    /// [default: start; of a heat map, the end of its range]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Option<When>,

    #[command(flatten)]
    view: ViewArg,

    /// Draw how much of something was where: deaths, fights, ownership, or attention (where players
    /// looked). A player's view has what that player knows
    #[arg(long, value_name = "KIND")]
    heat: Option<HeatKind>,

    /// The heat map begins here
    #[arg(
        long,
        value_name = "TIME",
        default_value = "start",
        requires = "heat",
        allow_hyphen_values = true
    )]
    from: When,

    /// The heat map ends here
    #[arg(
        long,
        value_name = "TIME",
        default_value = "end",
        requires = "heat",
        allow_hyphen_values = true
    )]
    to: When,

    /// Draw a picture into this file instead, `-` for standard output
    #[arg(long, value_name = "OUT.png")]
    png: Option<Target>,

    /// Draw a picture of each recording into this folder, under its name and .png
    #[arg(long, value_name = "DIR", value_parser = path())]
    out_dir: Option<PathBuf>,

    /// Width of a tile in the picture, in pixels; chosen by the size of the board if not given
    #[arg(long, value_name = "N", requires = "picture", value_parser = clap::value_parser!(u16).range(2..=256))]
    scale: Option<u16>,

    /// Print the scene, or the heat map, as JSON instead, one object a line for each recording
    /// (`spec/scene.md`)
    #[arg(long, conflicts_with = "picture")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape map match.minewars
  gametape map --at end --view Ana match.tape | less -R
  gametape map --at 3:37.6 --png map.png --scale 24 match.minewars
  gametape map --at end --out-dir pictures matches/
  gametape map --at turn:12 game.json.gz
  gametape map --heat deaths --from 3:00 --to 5:00 --png deaths.png match.tape";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.png.is_some() && self.recordings.files.are_many() {
            return Err(Failure::usage("the pictures of several recordings need --out-dir DIR"));
        }
        if let Some(target) = &self.png {
            target.check_extension(Kind::Picture)?;
        }
        self.recordings.files.each("drawn", |source| self.draw(source))
    }

    fn draw(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let mut stage = stage::open(source, &self.recordings.format, &self.view)?;
        let at = self.at.unwrap_or(if self.heat.is_some() { self.to } else { When::Start });
        let moment = stage.find(at).map_err(failed)?;
        if let Some(end) = stage.end_before(at) {
            note(source, format_args!("it ends at {end}; showing the end"));
        }
        stage.seek(moment).map_err(failed)?;
        let heat = self.heat(&mut stage).map_err(failed)?;
        let mut scene = stage.scene();
        if self.json {
            scene.lines = stage.lines().map_err(failed)?;
            match &heat {
                Some(heat) => print_json(&self.recordings.files.row(source, heat))?,
                None => print_json(&self.recordings.files.row(source, &scene))?,
            }
            return Ok(stage::warn_of_problems(&stage, source));
        }
        if scene.board.is_none() {
            return Err(failed(stage::no_board()));
        }
        match self.picture(source)? {
            None => {
                let map = match &heat {
                    Some(heat) => TextMap::of_heat(&scene, heat),
                    None => TextMap::of(&scene),
                };
                self.recordings.files.title(source)?;
                print(&if colours_show() { map.coloured() } else { map.to_string() })?;
            }
            Some(target) => self.write_picture(source, &target, &scene, heat.as_ref())?,
        }
        Ok(stage::warn_of_problems(&stage, source))
    }

    /// The heat map that was asked for.
    fn heat(&self, stage: &mut stage::Stage) -> Result<Option<Heat>, Error> {
        let Some(kind) = self.heat else { return Ok(None) };
        if !stage.heat_kinds().contains(&kind) {
            let problem = format!("this recording does not say anything about {kind}");
            return Err(Error::misuse("heat map", problem));
        }
        let (from, to) = (stage.find(self.from)?, stage.find(self.to)?);
        stage.heat(kind, from, to).map(Some)
    }

    fn write_picture(
        &self,
        source: &Source,
        target: &Target,
        scene: &Scene,
        heat: Option<&Heat>,
    ) -> Result<(), Failure> {
        let options = png::Options::default().with_scale(self.scale);
        let picture = png::draw_over(scene, &options, Overlay::default().with_heat(heat));
        let picture = picture.map_err(|error| self.too_large(error))?;
        target.write(Kind::Picture, source, &picture)?;
        let missing = png::missing_letters(scene);
        if !missing.is_empty() {
            note(target, format_args!("the font has no {missing}: shown as boxes"));
        }
        Ok(())
    }

    /// Where the picture of a recording goes, if one is asked for.
    fn picture(&self, source: &Source) -> Result<Option<Target>, Failure> {
        let Some(folder) = &self.out_dir else { return Ok(self.png.clone()) };
        // Recordings of one name and several formats have pictures of several names.
        Ok(Some(Destination::in_folder(source, folder, ".png")?.target))
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
