//! Converting to a tape, and back.

use gametape_replay::{ConvertOptions, cadre, minewars};
use gametape_wire::Error;

use super::{Args, Form};
use crate::failure::{Failure, Outcome};
use crate::input::{Input, Recording, refuse};
use crate::progress::waiting;
use crate::rewrite::Told;
use crate::tape::{Content, TapeFile, id_of};
use crate::text::count;

impl Args {
    /// Is the result a tape?
    pub(super) fn wants_tape(&self) -> bool {
        let by_name = || self.result.extension().is_some_and(|extension| extension == "tape");
        self.to.map_or_else(by_name, |to| to == Form::Tape)
    }

    /// Converts a MineWars recording or a gamelog to a tape.
    pub(super) fn make_tape(&self, input: &Input) -> Outcome {
        self.refuse_storage()?;
        let target = self.result.target()?;
        let options = ConvertOptions::new(id_of(&input.bytes));
        let tape = match input.recording()? {
            Recording::MineWars(file) => {
                waiting("converting", || minewars::to_tape(&file, &options))
            }
            Recording::Gamelog(log) => {
                let log = log.log()?;
                waiting("converting", || cadre::to_tape(&log, &options))
            }
        };
        let tape = tape.map_err(|error| Failure::of_all(&input.source, &[error]))?;
        target.write(&input.source, &tape)?;
        Told::new(&input.source, Some(target)).tell(self.result.json)
    }

    fn refuse_storage(&self) -> Result<(), Failure> {
        let [pretty, lines, drop_data] = self.layout.options();
        let options = [("--compress", self.compress.is_some()), pretty, lines, drop_data];
        refuse(&options, |option| Failure::usage(format_args!("{option} is not for a new tape")))
    }

    /// Converts a tape to what it holds.
    pub(super) fn convert_tape(&self, file: TapeFile) -> Outcome {
        let source = file.source.clone();
        if self.wants_tape() {
            let problem = "is a tape already: see `gametape pack`, `cut` and `recover`";
            return Err(Failure::usage(format_args!("{source} {problem}")));
        }
        let (mut recording, content) = file.play()?;
        if self.wants_gamelog_of(&recording) {
            return self.make_gamelog(&source, recording);
        }
        let failed = |error: Error| Failure::of(&source, &error);
        if content == Content::Gamelog || self.compress.is_some() {
            // As any other recording of its kind.
            return self.convert_whole(&recording.into_source().into_recording()?);
        }
        if self.to == Some(Form::Gamelog) {
            return Err(Failure::usage(format_args!("{source} holds no gamelog")));
        }
        refuse(&self.layout.options(), |option| {
            Failure::usage(format_args!("{option} is for gamelogs, and {source} holds none"))
        })?;
        let target = self.result.target()?;
        let generation = self.to.and_then(Form::generation);
        let made = waiting("converting", || minewars::from_tape(&mut recording, generation));
        let made = made.map_err(failed)?;
        target.write(&source, &made.bytes)?;
        let mut told = Told::new(&source, Some(target));
        let losses = made.losses.to_string();
        told.lost = losses.lines().map(ToOwned::to_owned).collect();
        if made.left_out > 0 {
            let payloads = count(made.left_out, "payload");
            told.lost.push(format!("{payloads} for views that the setup does not have"));
        }
        told.lost.extend(recording.gaps().iter().map(|gap| {
            let ticks = count(gap.tick_count.into(), "tick");
            format!("a gap of the tape, {ticks} from {} on", gap.first_tick)
        }));
        told.tell(self.result.json)
    }
}
