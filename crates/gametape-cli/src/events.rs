//! The events of tapes, for commands that look into them: nothing else of a tape is read.

use std::fs;
use std::ops::Range;
use std::path::Path;

use gametape_analysis::report::TextTable;
use gametape_analysis::{
    AnalysisEvent, EventStream, KindSet, MatchInfo, NameTable, TapeEvents, read_names,
};
use gametape_tape::{ChunkKind, Depth, Tape};
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, for_each, note};
use crate::input::Source;
use crate::moment::warn_of_problems;
use crate::tape::{TapeFile, is_tape, warn_of_losses};
use crate::text::count;

/// A recorded match, seen through its events.
pub(crate) struct Observed {
    file: TapeFile,
    pub(crate) tape: Tape,
    pub(crate) info: MatchInfo,
    problems: Vec<Error>,
}

impl Observed {
    /// Opens a tape and reads the names that its events use.
    pub(crate) fn open(source: &Source) -> Result<Self, Failure> {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        warn_of_losses(source, &tape);
        let mut problems: Vec<Error> = Vec::new();
        let names = read_names(&tape, &mut file);
        let names = names.unwrap_or_else(|error| {
            problems.push(error);
            NameTable::default()
        });
        let info = MatchInfo::of(&tape, source.to_string(), names);
        Ok(Self { file, tape, info, problems })
    }

    /// The same, but a tape without events is refused.
    pub(crate) fn open_with_events(source: &Source) -> Result<Self, Failure> {
        let observed = Self::open(source)?;
        match observed.has_events() {
            true => Ok(observed),
            false => Err(Failure::refused(source, "there are no events in this tape")),
        }
    }

    /// Are there events at all?
    pub(crate) fn has_events(&self) -> bool {
        let of_stream = |stream: EventStream| self.tape.stream(ChunkKind::EVENTS, stream.number());
        EventStream::ALL.into_iter().any(|stream| of_stream(stream).next().is_some())
    }

    /// Shows events to `visit`, ascending by tick. Blocks that cannot be read are reported and left
    /// out.
    pub(crate) fn visit(
        &mut self,
        kinds: KindSet,
        ticks: Range<u64>,
        mut visit: impl FnMut(&AnalysisEvent, &MatchInfo) -> Result<(), Failure>,
    ) -> Outcome {
        let Self { file, tape, info, problems } = self;
        let mut events = TapeEvents::new(tape, kinds, ticks, file);
        for event in &mut events {
            match event {
                Ok(event) => visit(&event, info)?,
                Err(problem) => problems.push(problem),
            }
        }
        let skipped = events.skipped();
        if skipped > 0 {
            let skipped = count(skipped, "event");
            note(&self.file.source, format_args!("passed over {skipped} of unknown kinds"));
        }
        Ok(warn_of_problems(&self.file.source, &self.problems, self.problems.len() as u64))
    }

    /// The tape itself.
    pub(crate) fn file(&mut self) -> (&mut TapeFile, &Tape) {
        (&mut self.file, &self.tape)
    }
}

/// Does the same to every tape, in their order. What is wrong with one is reported and the others
/// still have their turn; of several, the last line says how many were read.
pub(crate) fn for_each_tape(
    sources: &[Source],
    mut work: impl FnMut(&Source) -> Outcome,
) -> Outcome {
    let (mut read, mut damaged) = (0, 0);
    let outcome = for_each(sources, |source| {
        let done = work(source)?;
        read += 1;
        damaged += u64::from(done == Done::DataLost);
        Ok(done)
    });
    if sources.len() > 1 {
        let all = sources.len() as u64;
        let others = [(damaged, "of them damaged"), (all - read, "failed")];
        let others = others.iter().filter(|(number, _)| *number > 0);
        let others: String = others.map(|(number, what)| format!(", {number} {what}")).collect();
        note(&count(all, "tape"), format_args!("{read} read{others}"));
    }
    outcome
}

/// The tapes that are meant: files as they are, of folders every tape in them, by content, in the
/// order of their names.
pub(crate) fn tapes_in(sources: &[Source]) -> Result<Vec<Source>, Failure> {
    let mut tapes = Vec::new();
    for source in sources {
        match source {
            Source::File(path) if path.is_dir() => {
                let before = tapes.len();
                add_folder(path, &mut tapes)?;
                if tapes.len() == before {
                    return Err(Failure::refused(source, "there is no tape in this folder"));
                }
            }
            _ => tapes.push(source.clone()),
        }
    }
    Ok(tapes)
}

fn add_folder(folder: &Path, tapes: &mut Vec<Source>) -> Result<(), Failure> {
    let failed = |error| Failure::io(&folder.display(), &error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<_> = entries
        .map(|entry| entry.map(|entry| (entry.path(), entry.file_type())))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    paths.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, kind) in paths {
        // Links are not followed: they could lead around in a circle.
        let kind = kind.map_err(|error| Failure::io(&path.display(), &error))?;
        if kind.is_dir() {
            add_folder(&path, tapes)?;
        } else if kind.is_file() && begins_a_tape(&path) {
            tapes.push(Source::File(path));
        }
    }
    Ok(())
}

fn begins_a_tape(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    read.is_ok_and(|length| is_tape(&start[..length]))
}

/// A table, its heading dimmed.
pub(crate) fn table_text(table: &TextTable) -> String {
    let style = anstyle::Style::new().dimmed();
    let mut lines = table.lines().into_iter();
    let heading = lines.next().unwrap_or_default();
    let heading = format!("  {style}{heading}{style:#}\n");
    heading + &lines.map(|line| format!("  {line}\n")).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_searched_for_tapes_by_content_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/deep")).unwrap();
        let tape = b"\x89TAPE\r\n\x1a";
        for name in ["c.tape", "b/deep/no-extension", "a"] {
            fs::write(path(name), tape).unwrap();
        }
        fs::write(path("notes.tape"), "no tape at all").unwrap();
        let asked = [Source::File(path("c.tape")), Source::File(folder.path().to_owned())];
        let found = tapes_in(&asked).unwrap();
        let expected = ["c.tape", "a", "b/deep/no-extension", "c.tape"].map(path);
        assert_eq!(found, expected.map(Source::File));
        fs::create_dir(path("empty")).unwrap();
        assert!(tapes_in(&[Source::File(path("empty"))]).is_err());
    }
}
