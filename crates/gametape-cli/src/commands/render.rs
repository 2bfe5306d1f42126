//! `gametape render`: a range of a recording as moving pictures.

use std::str::FromStr;

use gametape_scene::HeatKind;
use gametape_scene::draw::Fonts;
use gametape_scene::film::{Filming, Gif, Shot};
use gametape_wire::{Error, When};
use serde::Serialize;

use super::stage::{self, Stage};
use crate::failure::{Failure, Outcome, note};
use crate::input::{FormatArgs, Source};
use crate::output::{Kind, Target, print_json};
use crate::progress::bar_of_pictures;
use crate::rewrite::{Written, check_apart};
use crate::view_arg::ViewArg;

/// Make a GIF or WebM of a range of a recording
///
/// Each picture has the heading, the time, the board as a view knows it, and the players. A GIF repeats;
/// its colours are chosen once, and of each picture only what changed is stored.
///
/// WebM (AV1) is made by a tool that was built with `--features webm`, which takes a while longer.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The recording to read, `-` for standard input
    #[arg(value_name = "RECORDING")]
    file: Source,

    /// Where the pictures go: a name that ends in .gif or .webm
    #[arg(value_name = "OUT")]
    out: Target,

    #[command(flatten)]
    format: FormatArgs,

    #[command(flatten)]
    view: ViewArg,

    /// Begin here: a time such as 3:37.6, 217.6s or -10s (before the end), tick:4352, turn:12, 50%,
    /// start, end
    #[arg(long, value_name = "TIME", default_value = "start", allow_hyphen_values = true)]
    from: When,

    /// End here
    #[arg(long, value_name = "TIME", default_value = "end", allow_hyphen_values = true)]
    to: When,

    /// How much faster than it was played [default: so that it takes at most 30 seconds]
    #[arg(long, value_name = "N")]
    speed: Option<f64>,

    /// Pictures a second
    #[arg(long, value_name = "N", default_value_t = 10)]
    fps: u32,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "800x600")]
    size: Size,

    /// Show how much of something was where in the range: deaths, fights, ownership, attention
    #[arg(long, value_name = "KIND")]
    heat: Option<HeatKind>,

    /// Print one JSON object that says what was made
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","frames","bytes","speed"}

Examples:
  gametape render match.tape match.gif
  gametape render match.tape fight.gif --from 3:30 --to 4:00 --speed 2 --view Ana
  gametape render game.json.gz game.webm --size 1280x720 --fps 25"#;

/// Seconds that the pictures take where no speed is given.
const USUAL_LENGTH: f64 = 30.0;

/// Width and height: `800x600`.
#[derive(Debug, Clone, Copy)]
struct Size(u32, u32);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', '×', 'X']);
        let parsed = sides.and_then(|(w, h)| Some(Self(w.parse().ok()?, h.parse().ok()?)));
        parsed.ok_or_else(|| "a size is written as 800x600".to_owned())
    }
}

/// What was made.
#[derive(Debug, Serialize)]
struct Made {
    frames: u64,
    bytes: usize,
    speed: f64,
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let (source, target) = (&self.file, &self.out);
        check_apart(target, self.json)?;
        target.check_extension(Kind::Film)?;
        target.check_apart(source)?;
        let is_webm = target.has_extension("webm");
        #[cfg(not(feature = "webm"))]
        if is_webm {
            return Err(Failure::usage(
                "this tool makes no WebM: name the file .gif, or build the tool with \
                 `cargo install --path crates/gametape-cli --features webm`",
            ));
        }
        let failed = |error: Error| Failure::of(source, &error);
        let mut stage = stage::open(source, &self.format, &self.view)?;
        let shot = self.shot(&mut stage).map_err(failed)?;
        if let Some(end) = stage.end_before(self.to).filter(|_| self.to != When::End) {
            note(source, format_args!("it ends at {end}; showing until then"));
        }
        let filming = Filming::new(shot, Fonts::own(), &mut stage).map_err(failed)?;
        let frames = filming.frames();
        let bytes = match is_webm {
            #[cfg(feature = "webm")]
            true => webm(filming, &mut stage).map_err(failed)?,
            _ => gif(filming, &mut stage).map_err(failed)?,
        };
        target.write(Kind::Film, source, &bytes)?;
        let made = Made { frames, bytes: bytes.len(), speed: shot.speed };
        if self.json {
            let (file, output) = (source.to_string(), target.to_string());
            print_json(&Written { file, output, result: &made })?;
        }
        Ok(stage::warn_of_problems(&stage, source))
    }

    /// What is filmed.
    fn shot(&self, stage: &mut Stage) -> Result<Shot, Error> {
        let (from, to) = (stage.find(self.from)?, stage.find(self.to)?);
        if let Some(kind) = self.heat.filter(|kind| !stage.heat_kinds().contains(kind)) {
            let problem = format!("this recording does not say anything about {kind}");
            return Err(Error::misuse("heat map", problem));
        }
        let ticks = to.next_tick().0.saturating_sub(from.next_tick().0) as f64;
        let seconds = ticks * f64::from(stage.tick_length().micros()) / 1e6;
        let usual = (seconds / USUAL_LENGTH).max(1.0);
        let shot = Shot::new(from, to).with_speed(self.speed.unwrap_or(usual)).with_fps(self.fps);
        Ok(shot.with_size((self.size.0, self.size.1)).with_heat(self.heat))
    }
}

fn gif(mut filming: Filming, stage: &mut Stage) -> Result<Vec<u8>, Error> {
    let shot = *filming.shot();
    let bar = bar_of_pictures(filming.frames());
    let swatches = filming.swatches(stage)?;
    let mut gif = Gif::new(shot.size, shot.fps, &swatches)?;
    while let Some(pixels) = filming.next(stage)? {
        gif.add(pixels)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    gif.finish()
}

#[cfg(feature = "webm")]
fn webm(mut filming: Filming, stage: &mut Stage) -> Result<Vec<u8>, Error> {
    let shot = *filming.shot();
    let bar = bar_of_pictures(filming.frames());
    let mut webm = gametape_scene::film::Webm::new(shot.size, shot.fps)?;
    while let Some(pixels) = filming.next(stage)? {
        webm.add(pixels)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    webm.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_with_an_x() {
        let size: Size = "640x480".parse().unwrap();
        assert_eq!((size.0, size.1), (640, 480));
        for wrong in ["640", "x", "640x", "-1x5", "640x480x2"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
