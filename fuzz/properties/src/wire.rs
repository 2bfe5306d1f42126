//! The byte cursor: any reads in any order.

use crate::Seed;
use gametape_wire::{Error, ErrorClass, Reader, Result, Writer};

/// Where the bytes of [`cursor`] are in the imagined whole input.
const BASE: u64 = 1 << 40;

/// Any sequence of reads gives exactly the bytes in their order or a truncation error at the right
/// offset that leaves the reader where it was; writing what was read gives the same bytes.
///
/// The input is a byte with the number of operations, the operations, then the bytes that they
/// read.
pub fn cursor(data: &[u8]) {
    let Some((&operations, data)) = data.split_first() else { return };
    let (operations, bytes) = data.split_at(usize::from(operations).min(data.len()));
    let start = Reader::with_base(bytes, BASE);
    let mut reader = start.clone();
    let mut writer = Writer::with_base(BASE);
    for &operation in operations {
        step(&mut reader, &mut writer, bytes, operation);
    }
    assert_eq!(writer.as_bytes(), reader.since(&start), "written is what was read");
    assert_eq!(writer.offset(), reader.offset());
    assert_eq!(reader.finish("rest").is_ok(), reader.is_empty());
}

/// One operation, and all that must be true after it.
fn step(reader: &mut Reader<'_>, writer: &mut Writer, bytes: &[u8], operation: u8) {
    let before = reader.clone();
    let operate = OPERATIONS[usize::from(operation & 7)];
    let (needed, failure) = operate(reader, writer, count(operation >> 3));
    match failure {
        None => assert_eq!(reader.since(&before), &before.rest()[..needed]),
        Some(error) => {
            assert!(needed > before.remaining(), "{error}");
            assert_eq!(error.class(), ErrorClass::Truncated);
            assert_eq!(error.offset(), Some(before.offset()));
            assert_eq!(reader.rest(), before.rest(), "a failed read moves nothing");
        }
    }
    let position = bytes.len() - reader.remaining();
    assert_eq!(reader.offset(), BASE + position as u64);
    assert_eq!(reader.rest(), &bytes[position..]);
    assert_eq!(reader.is_empty(), reader.remaining() == 0);
}

/// Reads, and writes what it read. Says how many bytes it asked for, and what went wrong.
type Operation = fn(&mut Reader<'_>, &mut Writer, usize) -> (usize, Option<Error>);

/// The low three bits of an operation byte choose one of these, the others its [count].
const OPERATIONS: [Operation; 8] = [
    |r, w, _| (1, r.u8("u8").map(|value| w.u8(value)).err()),
    |r, w, _| (2, r.u16_be("u16").map(|value| w.u16_be(value)).err()),
    |r, w, _| (4, r.u32_be("u32").map(|value| w.u32_be(value)).err()),
    |r, w, _| (8, r.u64_be("u64").map(|value| w.u64_be(value)).err()),
    |r, w, _| (3, r.array::<3>("array").map(|value| w.bytes(&value)).err()),
    |r, w, count| (count, r.take(count, "take").map(|value| w.bytes(value)).err()),
    chunks::<2>,
    chunks::<5>,
];

fn chunks<const N: usize>(
    r: &mut Reader<'_>,
    w: &mut Writer,
    count: usize,
) -> (usize, Option<Error>) {
    let read = r.chunks::<N>(count, "chunks");
    (count.saturating_mul(N), read.map(|value| w.bytes(value.as_flattened())).err())
}

/// Small counts, and those that a hostile length field would ask for.
fn count(selector: u8) -> usize {
    match selector {
        28 => 1 << 16,
        29 => usize::MAX / 2 + 1,
        30 => usize::MAX / 5 + 1,
        31.. => usize::MAX,
        small => usize::from(small),
    }
}

/// Inputs of [`cursor`] that use every operation.
pub fn seeds() -> Result<Vec<Seed>> {
    let bytes: Vec<u8> = (1..=200).collect();
    let every_operation_with =
        |count: u8| -> Vec<u8> { (0..8).map(|op| op | count << 3).collect() };
    let every_count: Vec<u8> = (0..32).map(|count| 5 | count << 3).collect();
    Ok(vec![
        Seed::new("every-operation", input(&every_operation_with(3), &bytes)),
        Seed::new("every-count", input(&every_count, &bytes)),
        Seed::new("reads-of-nothing", input(&every_operation_with(0), &[])),
        Seed::new("huge-counts", input(&every_operation_with(31), &bytes[..9])),
        Seed::new("ends-inside-a-number", input(&[3, 3, 0], &bytes[..15])),
    ])
}

/// An input of [`cursor`] with these operations over these bytes.
fn input(operations: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.u8(operations.len() as u8).bytes(operations).bytes(bytes);
    writer.into_bytes()
}
