//! Events as tables for other tools: one table with all columns, or one for each kind in a folder.

use std::fs;
use std::io::{self, Write};
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gametape_analysis::{AnalysisEvent, CsvTable, EventKind, MatchInfo, Table, json_line};
use gametape_library::ParquetTable;
use gametape_wire::Error;

use crate::failure::Failure;
use crate::input::Source;
use crate::output::{Output, Target};

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv,
    Parquet,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Json => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// Tables that are being written.
pub(super) struct Export {
    format: Format,
    /// Where tables of single kinds go.
    folder: Option<PathBuf>,
    tables: Vec<TableFile>,
}

impl Export {
    /// Tables of these kinds, of all if there are none.
    pub(super) fn new(
        format: Format,
        target: &Target,
        kinds: &[EventKind],
    ) -> Result<Self, Failure> {
        let mut export = Self { format, folder: folder(target)?, tables: Vec::new() };
        if export.folder.is_none() {
            let table = match kinds {
                [kind] => Table::Kind(*kind),
                _ => Table::Wide,
            };
            export.tables.push(TableFile::create(format, table, target)?);
        }
        Ok(export)
    }

    pub(super) fn add(&mut self, event: &AnalysisEvent, info: &MatchInfo) -> Result<(), Failure> {
        let place = match self.tables.iter().position(|file| file.table.takes(event)) {
            Some(place) => place,
            None => self.create_for(event.kind())?,
        };
        self.tables[place].add(event, info)
    }

    /// Makes the table of a kind that was not met before; returns its index.
    fn create_for(&mut self, kind: EventKind) -> Result<usize, Failure> {
        let folder = self.folder.clone().unwrap_or_default();
        let path = folder.join(format!("{}.{}", kind.name(), self.format.extension()));
        let target = Target::File(path);
        self.tables.push(TableFile::create(self.format, Table::Kind(kind), &target)?);
        Ok(self.tables.len() - 1)
    }

    /// Puts all files into their places.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.tables.into_iter().try_for_each(TableFile::finish)
    }
}

/// The folder that a target is, made if its name says that it is one.
fn folder(target: &Target) -> Result<Option<PathBuf>, Failure> {
    let Target::File(path) = target else { return Ok(None) };
    let says_so = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if says_so {
        fs::create_dir_all(path).map_err(|error| Failure::io(target, &error))?;
    }
    Ok((says_so || path.is_dir()).then(|| path.clone()))
}

/// One table on its way into a file.
struct TableFile {
    table: Table,
    writer: Writer,
    out: Output,
    name: Target,
    /// Text that was not handed on yet.
    text: String,
}

enum Writer {
    Json,
    Csv(CsvTable),
    Parquet(Box<ParquetTable<Spool>>, Spool),
}

impl TableFile {
    fn create(format: Format, table: Table, target: &Target) -> Result<Self, Failure> {
        let mut text = String::new();
        let writer = match format {
            Format::Json => Writer::Json,
            Format::Csv => {
                let table = CsvTable::new(table);
                table.header(&mut text);
                Writer::Csv(table)
            }
            Format::Parquet => {
                let spool = Spool::default();
                let file = ParquetTable::new(table, spool.clone());
                let file = file.map_err(|error| Failure::of(target, &error))?;
                Writer::Parquet(Box::new(file), spool)
            }
        };
        // Whether it is one of the inputs was checked for each of them.
        let out = target.open(&Source::Stdin)?;
        Ok(Self { table, writer, out, name: target.clone(), text })
    }

    fn add(&mut self, event: &AnalysisEvent, info: &MatchInfo) -> Result<(), Failure> {
        match &mut self.writer {
            Writer::Json => json_line(event, info, &mut self.text),
            Writer::Csv(table) => table.row(event, info, &mut self.text),
            Writer::Parquet(table, spool) => {
                let failed = |error: Error| Failure::of(&self.name, &error);
                table.push(event, info).map_err(failed)?;
                return self.out.put(&spool.take());
            }
        }
        self.out.put(take(&mut self.text).as_bytes())
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.out.put(self.text.as_bytes())?;
        if let Writer::Parquet(table, _) = self.writer {
            let end = table.finish().map_err(|error| Failure::of(&self.name, &error))?;
            self.out.put(&end.take())?;
        }
        self.out.finish()
    }
}

/// Bytes of a Parquet file on their way to the output.
#[derive(Clone, Default)]
struct Spool(Arc<Mutex<Vec<u8>>>);

impl Spool {
    fn take(&self) -> Vec<u8> {
        take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
