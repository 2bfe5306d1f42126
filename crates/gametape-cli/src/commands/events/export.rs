//! Events as tables for other tools: one table with all columns, or one for each kind in a folder.

use std::fs;
use std::io::{self, Write};
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use gametape_analysis::{
    AnalysisEvent, CsvTable, EventKind, NameTable, ParquetTable, SOURCE_COLUMN, Table, json_line,
};
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
    /// Does a row say which tape it is from?
    is_labelled: bool,
    /// The present tape.
    label: String,
}

impl Export {
    /// Tables of these kinds, of all if there are none.
    pub(super) fn new(
        format: Format,
        target: &Target,
        kinds: &[EventKind],
        is_labelled: bool,
    ) -> Result<Self, Failure> {
        let folder = folder(target)?;
        let mut export =
            Self { format, folder, tables: Vec::new(), is_labelled, label: String::new() };
        if export.folder.is_none() {
            let table = match kinds {
                [kind] => Table::Kind(*kind),
                _ => Table::Wide,
            };
            export.tables.push(TableFile::create(format, table, target, is_labelled)?);
        }
        Ok(export)
    }

    /// What is added from now on is from this tape.
    pub(super) fn begin(&mut self, source: &str) {
        source.clone_into(&mut self.label);
        self.tables.iter_mut().for_each(|table| table.writer.begin(source));
    }

    pub(super) fn add(&mut self, event: &AnalysisEvent, names: &NameTable) -> Result<(), Failure> {
        let label = self.is_labelled.then(|| self.label.clone());
        let place = match self.tables.iter().position(|file| file.table.takes(event)) {
            Some(place) => place,
            None => self.create_for(event.kind())?,
        };
        self.tables[place].add(event, names, label.as_deref())
    }

    /// Makes the table of a kind that was not met before; says its place.
    fn create_for(&mut self, kind: EventKind) -> Result<usize, Failure> {
        let folder = self.folder.clone().unwrap_or_default();
        let path = folder.join(format!("{}.{}", kind.name(), self.format.extension()));
        let target = Target::File(path);
        let mut file =
            TableFile::create(self.format, Table::Kind(kind), &target, self.is_labelled)?;
        file.writer.begin(&self.label);
        self.tables.push(file);
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

impl Writer {
    fn begin(&mut self, source: &str) {
        match self {
            Self::Json => {}
            Self::Csv(table) => table.begin_source(source),
            Self::Parquet(table, _) => table.begin_source(source),
        }
    }
}

impl TableFile {
    fn create(
        format: Format,
        table: Table,
        target: &Target,
        is_labelled: bool,
    ) -> Result<Self, Failure> {
        let mut text = String::new();
        let writer = match format {
            Format::Json => Writer::Json,
            Format::Csv => {
                let mut table = CsvTable::new(table);
                if is_labelled {
                    table = table.with_source();
                }
                table.header(&mut text);
                Writer::Csv(table)
            }
            Format::Parquet => {
                let spool = Spool::default();
                let file = match is_labelled {
                    true => ParquetTable::with_source(table, spool.clone()),
                    false => ParquetTable::new(table, spool.clone()),
                };
                let file = file.map_err(|error| Failure::of(target, &error))?;
                Writer::Parquet(Box::new(file), spool)
            }
        };
        // Whether it is one of the inputs was checked for each of them.
        let out = target.open(&Source::Stdin)?;
        Ok(Self { table, writer, out, name: target.clone(), text })
    }

    fn add(
        &mut self,
        event: &AnalysisEvent,
        names: &NameTable,
        label: Option<&str>,
    ) -> Result<(), Failure> {
        match &mut self.writer {
            Writer::Json => {
                let start = self.text.len();
                json_line(event, names, &mut self.text);
                if let Some(label) = label {
                    let label = serde_json::Value::from(label);
                    self.text.insert_str(start + 1, &format!("\"{SOURCE_COLUMN}\":{label},"));
                }
            }
            Writer::Csv(table) => table.row(event, names, &mut self.text),
            Writer::Parquet(table, spool) => {
                let failed = |error: Error| Failure::of(&self.name, &error);
                table.push(event, names).map_err(failed)?;
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
