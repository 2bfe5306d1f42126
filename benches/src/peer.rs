//! The messages of a crowd in an MCAP file: what the tape is compared with.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Cursor;

use mcap::records::{MessageHeader, Record, op};
use mcap::sans_io::indexed_reader::{IndexedReadEvent, IndexedReader, IndexedReaderOptions};
use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader};
use mcap::{Compression, Summary, WriteOptions};

use crate::crowd::{MESSAGE_BYTES, TICK_BYTES, taste};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TICK_NANOSECONDS: u64 = 50_000_000;

/// The usual settings, with LZ4.
#[must_use]
pub fn usual() -> WriteOptions {
    WriteOptions::new().compression(Some(Compression::Lz4))
}

/// The settings for seeking: chunks of 64 KiB.
#[must_use]
pub fn for_seeking() -> WriteOptions {
    usual().chunk_size(Some(64 << 10))
}

/// A file of messages, each a message of its own.
pub fn write(messages: &[u8], options: WriteOptions) -> Outcome<Vec<u8>> {
    write_in_pieces(messages, MESSAGE_BYTES, options)
}

/// A file in which all messages of a tick are one: not how such files are meant, but how a tape is.
pub fn write_ticks(messages: &[u8], options: WriteOptions) -> Outcome<Vec<u8>> {
    write_in_pieces(messages, TICK_BYTES, options)
}

fn write_in_pieces(messages: &[u8], length: usize, options: WriteOptions) -> Outcome<Vec<u8>> {
    let file = Cursor::new(Vec::with_capacity(3 * messages.len()));
    let mut writer = options.create(file)?;
    let channel_id = writer.add_channel(0, "units", "", &BTreeMap::new())?;
    let mut sequence = 0;
    for (tick, tick_messages) in (0..).zip(messages.chunks_exact(TICK_BYTES)) {
        let time = tick * TICK_NANOSECONDS;
        for message in tick_messages.chunks_exact(length) {
            let header = MessageHeader { channel_id, sequence, log_time: time, publish_time: time };
            writer.write_to_known_channel(&header, message)?;
            sequence += 1;
        }
    }
    writer.finish()?;
    Ok(writer.into_inner().into_inner())
}

/// Reads every message the fastest way there is: record by record.
pub fn read(file: &[u8]) -> Outcome<u64> {
    let mut reader = LinearReader::new();
    let (mut rest, mut sum) = (file, 0);
    while let Some(event) = reader.next_event() {
        match event? {
            LinearReadEvent::ReadRequest(need) => {
                let (given, left) = rest.split_at(need.min(rest.len()));
                reader.insert(given.len()).copy_from_slice(given);
                reader.notify_read(given.len());
                rest = left;
            }
            LinearReadEvent::Record { opcode: op::MESSAGE, data } => {
                if let Record::Message { data, .. } = mcap::parse_record(op::MESSAGE, data)? {
                    sum = data.chunks_exact(MESSAGE_BYTES).fold(sum, taste);
                }
            }
            LinearReadEvent::Record { .. } => {}
        }
    }
    Ok(sum)
}

/// Reads every message the way the front page of the crate shows.
pub fn stream(file: &[u8]) -> Outcome<u64> {
    let mut sum = 0;
    for message in mcap::MessageStream::new(file)? {
        sum = taste(sum, &message?.data);
    }
    Ok(sum)
}

/// The index of a file.
pub fn summary(file: &[u8]) -> Outcome<Summary> {
    Ok(Summary::read(file)?.ok_or("there is no summary")?)
}

/// Reaches the first message of a tick by the index, the fastest way there is; returns its size.
pub fn reach(summary: &Summary, file: &[u8], tick: u64) -> Outcome<usize> {
    let time = tick * TICK_NANOSECONDS;
    let options = IndexedReaderOptions::new().starting_at(time).ending_before(time + 1);
    let mut reader = IndexedReader::new_with_options(summary, options)?;
    while let Some(event) = reader.next_event() {
        match event? {
            IndexedReadEvent::ReadChunkRequest { offset, length } => {
                let start = offset as usize;
                reader.insert_chunk_record_data(offset, &file[start..start + length])?;
            }
            IndexedReadEvent::Message { data, .. } => return Ok(data.len()),
        }
    }
    Err("there is no such message".into())
}

/// Reaches the first message of a tick through its chunk, whose checksum is part of the way.
pub fn reach_by_chunk(summary: &Summary, file: &[u8], tick: u64) -> Outcome<usize> {
    let time = tick * TICK_NANOSECONDS;
    let chunks = &summary.chunk_indexes;
    let index = chunks.partition_point(|chunk| chunk.message_end_time < time);
    for message in summary.stream_chunk(file, chunks.get(index).ok_or("there is no such tick")?)? {
        let message = message?;
        if message.log_time >= time {
            return Ok(message.data.len());
        }
    }
    Err("there is no such message".into())
}
