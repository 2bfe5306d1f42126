//! `gametape state`: the state at a moment.

use gametape_cadre::show::print_tree;
use gametape_minewars::Replayed;
use gametape_replay::open::Format;
use gametape_replay::state_at::{GameAt, StateAt, StateRequest, ViewAt, simulation_at, state_at};
use gametape_wire::{Error, When};

use crate::failure::{Done, Failure, Outcome, note, warn_of_each, warn_of_loss};
use crate::games::GAMES;
use crate::input::{Opened, RecordingsArgs, Source};
use crate::many::OfFile;
use crate::output::{Output, print, print_json, print_pieces};
use crate::progress::waiting;
use crate::text::{Fields, hex, printable};
use crate::view_arg::ViewArg;

/// Show the state at a moment: what a MineWars view knows, or the game of a gamelog
///
/// Plays everything that the view receives up to and including the given time, or merges all deltas
/// up to and including the given one. A tape is entered at the last keyframe before that.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    /// When, such as 3:37.6, 217.6s, tick:4352, 50%, end, or -10s for ten seconds before the end; in
    /// a gamelog tick:12 is delta 12, counted from 0, and turn:3 is where that turn begins; a number
    /// alone is in milliseconds, in a gamelog a delta
    #[arg(long, value_name = "TIME", default_value = "end", allow_hyphen_values = true)]
    at: When,

    /// Run the match again from its orders, and show the state of the simulation: of tapes of games
    /// that are known here
    #[arg(long, conflicts_with = "given")]
    simulation: bool,

    #[command(flatten)]
    view: ViewArg,

    /// Show only what is at this path, such as gameObjects.7.hp (gamelogs)
    #[arg(long, value_name = "PATH", conflicts_with = "hash")]
    path: Option<String>,

    /// Replace references by the game objects that they refer to, at most DEPTH inside each other and
    /// none inside itself; 1 if no depth is given (gamelogs)
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "hash")]
    resolve: Option<u8>,

    /// Print one JSON value a line for each recording
    #[arg(long)]
    json: bool,

    /// Print the hash of the state and nothing else; of many recordings with their names
    #[arg(long, conflicts_with = "json")]
    hash: bool,
}

const EXAMPLES: &str = r##"With --json a gamelog's state is printed as canonical JSON: no white space, keys sorted by UTF-16
code unit, numbers as the log has them, holes of lists as null; then one end of line. "#7 Unit" in
the text is a reference to game object 7, a Unit. The hash is SHA-256 of the canonical JSON. Of many
gamelogs, {"file"} comes before the state of each.

With --json of MineWars, fields without a value are left out of tiles, players and cities:
  {"file","time","view","grid","radius","hash",
   "tiles":[{"y","x","kind","item","owner","digit","asterisk","structure","hp",
             "pending":{"kind","points","current","rate"},"flag","smoke"}],
   "players":[{"id","clients":[{"sub","name","rtt","gone"}],"lives","timeout","protected",
               "eliminated","surrendered"}],
   "cities":[{"id","y","x","name","owner","money","income","resources","export","import",
              "capturing":{"player","ms"},"contested_by"}],
   "votes":[{"id","text","ballots":[{"player","sub","ballot"}]}],"time_limit","problems"}
"time" is that of the last frame that was played, in milliseconds; "tiles" are those that are not as
at the start; "flag" is a player, or 16 where the format does not say whose; "hash" is SHA-256 of
the state's canonical bytes.

Examples:
  gametape state match.minewars
  gametape state --at 0:30 --view 1 --json match.minewars | jq .players
  gametape state --hash --at 50% matches/
  gametape state --at -10s --view Ana match.tape
  gametape state --at turn:12 --path gameObjects.7 --resolve game.json.gz
  gametape state --at tick:100 --json game.json.gz | jq .currentPlayer
  gametape state --at tick:4352 --simulation match.tape"##;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.recordings.files.each("read", |source| self.show(source))
    }

    fn show(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let opened = source.open_with(&self.recordings.format)?;
        if self.simulation {
            return self.show_simulation(source, opened);
        }
        let request = StateRequest::new(self.at).seen_by(self.view.given.as_ref());
        let found = waiting("seeking", || state_at(opened, &request, &GAMES)).map_err(failed)?;
        found.losses().iter().for_each(|loss| warn_of_loss(source, loss));
        match found {
            StateAt::View(view) => self.show_view(source, &view),
            StateAt::Game(game) => self.show_game(source, &game),
            _ => Err(source.unknown()),
        }
    }

    /// Shows the state of the simulation, which has the shape of the game's gamelog.
    fn show_simulation(&self, source: &Source, opened: Opened) -> Outcome {
        source.check_options(opened.format(), &[("--simulation", true, Format::Tape)])?;
        let Opened::Tape(file) = opened else { return Err(source.unknown()) };
        let found = waiting("simulating", || simulation_at(file, self.at, &GAMES));
        let found = found.map_err(|error| Failure::of(source, &error))?;
        found.losses.iter().for_each(|loss| warn_of_loss(source, loss));
        self.show_game(source, &found)
    }

    fn show_view(&self, source: &Source, view: &ViewAt) -> Outcome {
        let options = [("--path", self.path.is_some()), ("--resolve", self.resolve.is_some())];
        let options = options.map(|(option, given)| (option, given, Format::Gamelog));
        source.check_options(Format::MineWars, &options)?;
        if self.hash {
            self.print_hash(source, &hex(&view.replayed.state.hash()))?;
        } else {
            print_view(source, view, self.json)?;
        }
        if let Some(end) = view.end {
            note(source, format_args!("it ends at {end}; showing the end"));
        }
        let Replayed { problems, problem_count, damage_count, .. } = &view.replayed;
        warn_of_each(source, problems, *problem_count, "message");
        Ok(Done::lost_if(*damage_count > 0))
    }

    /// `HASH`, or `HASH  FILE` of many files, as checksum tools print it.
    fn print_hash(&self, source: &Source, hash: &str) -> Result<(), Failure> {
        match self.recordings.files.are_many() {
            true => print(&format!("{hash}  {}\n", printable(&source.to_string()))),
            false => print(&format!("{hash}\n")),
        }
    }

    fn show_game(&self, source: &Source, game: &GameAt) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        if self.hash {
            self.print_hash(source, &game.state().hash_hex())?;
            return Ok(Done::Fine);
        }
        let path = self.path.as_deref().unwrap_or_default();
        let node = game.state().get(path).ok_or_else(|| failed(game.nothing_at(path)))?;
        let follow = self.resolve.map_or(0, usize::from);
        if self.json {
            let json = match follow {
                0 => node.canonical(),
                depth => node.expanded(depth).map_err(failed)?,
            };
            let mut stdout = Output::stdout();
            if self.recordings.files.are_many() {
                let name = serde_json::json!({ "file": source.to_string() });
                stdout.put(format!("{name}\n").as_bytes())?;
            }
            stdout.put(&json)?;
            stdout.put(b"\n")?;
            stdout.finish()?;
        } else {
            // Only a whole state has a title: a value alone is easier to use.
            let title = self.path.is_none().then(|| format!("{source} {}", game.moment));
            print_pieces(source, |put| print_tree(title.as_deref(), node, follow, put))?;
        }
        Ok(Done::Fine)
    }
}

fn print_view(source: &Source, view: &ViewAt, json: bool) -> Result<(), Failure> {
    if json {
        return print_json(&OfFile::new(source, view.shape()));
    }
    let mut fields = Fields::new(&source.to_string());
    view.rows().iter().for_each(|(label, value)| fields.add(label, value.trim_end()));
    print(&fields.into_text())
}
