//! Parquet: columns in row groups, readable by any tool.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    StringBuilder, UInt8Builder, UInt16Builder, UInt32Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gametape_analysis::{
    AnalysisEvent, Column, ColumnType, MatchInfo, Names, RowSink, Table, Value,
};
use gametape_wire::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Rows that are collected before they are handed to the file.
const BATCH_ROWS: usize = 1 << 16;
/// Bytes of texts and lists that are collected before they are handed to the file: names repeat in
/// every row, and lists can be long.
const BATCH_BYTES: usize = 8 << 20;
/// What the file holds in memory of a row group before it ends it.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Writes one table as a Parquet file.
#[must_use]
pub struct ParquetTable<W: Write + Send> {
    table: Table,
    schema: SchemaRef,
    writer: ArrowWriter<W>,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    /// Bytes of texts and lists in these rows.
    bytes: usize,
}

impl<W: Write + Send> std::fmt::Debug for ParquetTable<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { table, rows, .. } = self;
        f.debug_struct("ParquetTable").field("table", table).field("rows", rows).finish()
    }
}

impl<W: Write + Send> ParquetTable<W> {
    /// Begins a file.
    pub fn new(table: Table, out: W) -> Result<Self> {
        let fields: Vec<Field> = table.columns().iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer =
            ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(refused)?;
        let columns = table.columns().iter().map(ColumnBuilder::new).collect();
        Ok(Self { table, schema, writer, columns, rows: 0, bytes: 0 })
    }

    /// Adds the row of an event; nothing for one that the table does not take.
    pub fn push<N: Names>(&mut self, event: &AnalysisEvent, info: &MatchInfo<N>) -> Result<()> {
        if !self.table.takes(event) {
            return Ok(());
        }
        if let Some(column) = self.table.kind_column() {
            self.columns[column].put(self.rows, Value::Text(event.kind().name()));
        }
        let indexes = self.table.columns_of(event.kind()).iter();
        let Self { columns, rows, bytes, .. } = self;
        info.values(event, &mut Cells { indexes, columns, row: *rows, bytes });
        *rows += 1;
        match *rows >= BATCH_ROWS || *bytes >= BATCH_BYTES {
            true => self.write_batch(),
            false => Ok(()),
        }
    }

    fn write_batch(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let arrays: Vec<ArrayRef> =
            self.columns.iter_mut().map(|column| column.finish(rows)).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays);
        let batch = batch.map_err(|error| Error::misuse("Parquet rows", error.to_string()))?;
        self.writer.write(&batch).map_err(refused)?;
        match self.writer.memory_size() >= ROW_GROUP_BYTES {
            true => self.writer.flush().map_err(refused),
            false => Ok(()),
        }
    }

    /// Ends the file, and gives back what it was written to.
    pub fn finish(mut self) -> Result<W> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        self.writer.into_inner().map_err(refused)
    }
}

impl ParquetTable<Vec<u8>> {
    /// The bytes of the file that were made since the last call.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.writer.inner_mut())
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn refused(error: parquet::errors::ParquetError) -> Error {
    Error::misuse("Parquet file", error.to_string())
}

fn field(column: &Column) -> Field {
    let list = |of| DataType::List(Arc::new(Field::new("item", of, true)));
    let data_type = match column.column_type {
        ColumnType::Bool => DataType::Boolean,
        ColumnType::U8 => DataType::UInt8,
        ColumnType::U16 => DataType::UInt16,
        ColumnType::U32 => DataType::UInt32,
        ColumnType::I32 => DataType::Int32,
        ColumnType::I64 => DataType::Int64,
        ColumnType::F64 => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::ListU32 => list(DataType::UInt32),
        ColumnType::ListI32 => list(DataType::Int32),
    };
    Field::new(&column.name, data_type, column.nullable)
}

struct Cells<'c> {
    indexes: std::slice::Iter<'static, usize>,
    columns: &'c mut [ColumnBuilder],
    row: usize,
    bytes: &'c mut usize,
}

impl RowSink for Cells<'_> {
    fn value(&mut self, value: Value<'_>) {
        *self.bytes += match value {
            Value::Text(text) => text.len(),
            Value::List(list) => list.len() * size_of::<u32>(),
            _ => 0,
        };
        if let Some(&index) = self.indexes.next() {
            self.columns[index].put(self.row, value);
        }
    }
}

/// Collects the values of one column. Rows that nobody gave a value are empty; they are added
/// together, when the next value comes: most columns of the wide table are empty in most rows.
enum ColumnBuilder {
    Bool(BooleanBuilder),
    U8(UInt8Builder),
    U16(UInt16Builder),
    U32(UInt32Builder),
    I32(Int32Builder),
    I64(Int64Builder),
    F64(Float64Builder),
    Text(StringBuilder),
    ListU32(ListBuilder<UInt32Builder>),
    ListI32(ListBuilder<Int32Builder>),
}

/// Does the same with whichever builder a column has.
macro_rules! with_builder {
    ($self:expr, $builder:ident => $do:expr) => {
        match $self {
            ColumnBuilder::Bool($builder) => $do,
            ColumnBuilder::U8($builder) => $do,
            ColumnBuilder::U16($builder) => $do,
            ColumnBuilder::U32($builder) => $do,
            ColumnBuilder::I32($builder) => $do,
            ColumnBuilder::I64($builder) => $do,
            ColumnBuilder::F64($builder) => $do,
            ColumnBuilder::Text($builder) => $do,
            ColumnBuilder::ListU32($builder) => $do,
            ColumnBuilder::ListI32($builder) => $do,
        }
    };
}

impl ColumnBuilder {
    fn new(column: &Column) -> Self {
        match column.column_type {
            ColumnType::Bool => Self::Bool(BooleanBuilder::new()),
            ColumnType::U8 => Self::U8(UInt8Builder::new()),
            ColumnType::U16 => Self::U16(UInt16Builder::new()),
            ColumnType::U32 => Self::U32(UInt32Builder::new()),
            ColumnType::I32 => Self::I32(Int32Builder::new()),
            ColumnType::I64 => Self::I64(Int64Builder::new()),
            ColumnType::F64 => Self::F64(Float64Builder::new()),
            ColumnType::Text => Self::Text(StringBuilder::new()),
            ColumnType::ListU32 => Self::ListU32(ListBuilder::new(UInt32Builder::new())),
            ColumnType::ListI32 => Self::ListI32(ListBuilder::new(Int32Builder::new())),
        }
    }

    /// Adds empty rows until there are this many.
    fn pad(&mut self, rows: usize) {
        with_builder!(self, builder => {
            let missing = rows - builder.len();
            if missing > 0 {
                builder.append_nulls(missing);
            }
        });
    }

    /// The value of row number `row`; nulls are left to be padded.
    fn put(&mut self, row: usize, value: Value<'_>) {
        if matches!(value, Value::Null) {
            return;
        }
        self.pad(row);
        match (self, value) {
            (Self::Bool(builder), Value::Bool(flag)) => builder.append_value(flag),
            (Self::U8(builder), Value::Unsigned(number)) => builder.append_value(number as u8),
            (Self::U16(builder), Value::Unsigned(number)) => builder.append_value(number as u16),
            (Self::U32(builder), Value::Unsigned(number)) => builder.append_value(number as u32),
            (Self::I32(builder), Value::Signed(number)) => builder.append_value(number as i32),
            (Self::I64(builder), Value::Signed(number)) => builder.append_value(number),
            (Self::F64(builder), Value::Float(number)) => builder.append_value(number),
            (Self::Text(builder), Value::Text(text)) => builder.append_value(text),
            (Self::ListU32(builder), Value::List(list)) => {
                builder.append_value(list.iter().map(|number| Some(number as u32)));
            }
            (Self::ListI32(builder), Value::List(list)) => {
                builder.append_value(list.iter().map(|number| Some(number as i32)));
            }
            // Columns and values come from the same field, so they agree.
            (column, _) => column.pad(row + 1),
        }
    }

    fn finish(&mut self, rows: usize) -> ArrayRef {
        self.pad(rows);
        with_builder!(self, builder => ArrayBuilder::finish(builder))
    }
}
