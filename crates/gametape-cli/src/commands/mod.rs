//! The subcommands: one file each, one line each in the table below.

mod anonymize;
mod asm;
mod chunks;
mod completions;
mod convert;
mod cut;
mod diff;
mod disasm;
mod events;
mod export;
mod find;
mod highlights;
mod info;
mod keygen;
mod log;
mod man;
mod map;
mod merge;
mod pack;
mod pass;
mod play;
mod publish;
mod record;
mod recover;
mod render;
mod resim;
mod serve;
mod sign;
mod stage;
mod state;
mod stats;
mod verify;
mod view;
mod watch;

use crate::failure::Outcome;

/// Makes the enum that the command line is parsed into, and runs the command that was given.
///
/// A row is `Name(module::Args)`; `Args` derives `clap::Args`, its doc comment is the help, and it
/// has `fn run(self) -> Outcome`.
macro_rules! commands {
    ($($name:ident($args:ty),)*) => {
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Command {
            $($name($args),)*
        }

        impl Command {
            pub(crate) fn run(self) -> Outcome {
                match self {
                    $(Self::$name(args) => args.run(),)*
                }
            }
        }
    };
}

commands! {
    Info(info::Args),
    Disasm(disasm::Args),
    Asm(asm::Args),
    State(state::Args),
    Map(map::Args),
    Render(render::Args),
    Play(play::Args),
    View(view::Args),
    Serve(serve::Args),
    Export(export::Args),
    Log(log::Args),
    Find(find::Args),
    Diff(diff::Args),
    Verify(verify::Args),
    Recover(recover::Args),
    Convert(convert::Args),
    Cut(cut::Args),
    Merge(merge::Args),
    Pack(pack::Args),
    Chunks(chunks::Args),
    Watch(watch::Args),
    Publish(publish::Args),
    Anonymize(anonymize::Args),
    Keygen(keygen::Args),
    Sign(sign::Args),
    Pass(pass::Args),
    Record(record::Args),
    Resim(resim::Args),
    Events(events::Args),
    Stats(stats::Args),
    Highlights(highlights::Args),
    Completions(completions::Args),
    Man(man::Args),
}
