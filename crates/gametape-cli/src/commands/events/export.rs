//! Events as tables for other tools: one table with all columns, or one for each kind in a folder.

use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use gametape_analysis::{AnalysisEvent, EventKind, MatchInfo, Table};
use gametape_library::{EventTable, TableFormat};
use gametape_wire::Error;

use crate::failure::Failure;
use crate::input::Source;
use crate::output::{Kind, Output, Target, make_folder};
use gametape_files::streams::wait_for_turn;

/// Events of one tape on their way into tables.
pub(super) struct Rows {
    info: MatchInfo,
    events: Vec<AnalysisEvent>,
    /// What the events take in memory.
    bytes: usize,
}

impl Rows {
    pub(super) fn new(info: MatchInfo) -> Self {
        Self { info, events: Vec::new(), bytes: 0 }
    }
}

/// More events of one tape than this are not held: they wait for the turn of the tape.
const MOST_ROWS: usize = 1 << 14;
/// The same for the memory that they take: their lists can be long.
const MOST_BYTES: usize = 4 << 20;

/// Tables that are being written, in the order of the tapes.
pub(super) struct Export {
    format: TableFormat,
    target: Target,
    /// Where tables of single kinds go.
    folder: Option<PathBuf>,
    tables: Mutex<Vec<TableFile>>,
}

impl Export {
    /// Tables of these kinds, of all if there are none.
    pub(super) fn new(
        format: TableFormat,
        target: &Target,
        kinds: &[EventKind],
    ) -> Result<Self, Failure> {
        let (target, folder) = (target.clone(), folder(target)?);
        if folder.is_none() {
            target.check_extension(Kind::Table(format.extensions()))?;
        }
        let mut tables = Vec::new();
        if folder.is_none() {
            let table = match kinds {
                [kind] => Table::Kind(*kind),
                _ => Table::Wide,
            };
            tables.push(TableFile::create(format, table, &target)?);
        }
        Ok(Self { format, target, folder, tables: Mutex::new(tables) })
    }

    /// Refuses a tape that a table would replace; then none is written.
    pub(super) fn check_apart(&self, source: &Source) -> Result<(), Failure> {
        self.target.check_apart(source).inspect_err(|_| self.lock().clear())
    }

    /// Takes an event of a tape. Where there are many, they are written in the turn of the tape.
    pub(super) fn hold(&self, rows: &mut Rows, event: &AnalysisEvent) -> Result<(), Failure> {
        let event = event.clone();
        rows.bytes += event.memory();
        rows.events.push(event);
        if rows.events.len() < MOST_ROWS && rows.bytes < MOST_BYTES {
            return Ok(());
        }
        match wait_for_turn() {
            true => self.add(rows),
            false => Err(Failure::io(&self.target, &io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Writes the events of the tape whose turn it is.
    pub(super) fn add(&self, rows: &mut Rows) -> Result<(), Failure> {
        let mut tables = self.lock();
        rows.bytes = 0;
        for event in take(&mut rows.events) {
            let takes = |file: &TableFile| file.table.table().takes(&event);
            let index = match (tables.iter().position(takes), &self.folder) {
                (Some(index), _) => index,
                (None, Some(folder)) => {
                    let kind = event.kind();
                    let name = format!("{}.{}", kind.name(), self.format.extension());
                    let target = Target::File(folder.join(name));
                    tables.push(TableFile::create(self.format, Table::Kind(kind), &target)?);
                    tables.len() - 1
                }
                (None, None) => continue,
            };
            tables[index].add(&event, &rows.info)?;
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<TableFile>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes all files.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let tables = self.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
        tables.into_iter().try_for_each(TableFile::finish)
    }
}

/// The folder that a target is, made if its name says that it is one.
fn folder(target: &Target) -> Result<Option<PathBuf>, Failure> {
    let Target::File(path) = target else { return Ok(None) };
    let says_so = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if says_so {
        make_folder(path)?;
    }
    Ok((says_so || path.is_dir()).then(|| path.clone()))
}

/// One table on its way into a file.
struct TableFile {
    table: EventTable,
    out: Output,
    name: Target,
}

impl TableFile {
    fn create(format: TableFormat, table: Table, target: &Target) -> Result<Self, Failure> {
        let table = EventTable::new(format, table);
        let table = table.map_err(|error| Failure::of(target, &error))?;
        // Whether it is one of the inputs is checked for each of them.
        Ok(Self {
            table,
            out: target.open(Kind::Table(format.extensions()), &Source::Stdin)?,
            name: target.clone(),
        })
    }

    fn add(&mut self, event: &AnalysisEvent, info: &MatchInfo) -> Result<(), Failure> {
        let failed = |error: Error| Failure::of(&self.name, &error);
        self.table.push(event, info).map_err(failed)?;
        self.out.put(&self.table.take())
    }

    fn finish(mut self) -> Result<(), Failure> {
        let end = self.table.finish().map_err(|error| Failure::of(&self.name, &error))?;
        self.out.put(&end)?;
        self.out.finish()
    }
}
