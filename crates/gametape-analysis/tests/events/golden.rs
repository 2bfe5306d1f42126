//! The examples and tables of `spec/events.md`.

use gametape_analysis::{
    AnalysisEvent, EventKind, EventStream, EventWriter, Events, kinds_table, types_tables,
};
use gametape_wire::Tick;

use crate::common::examples;

const SPEC: &str = include_str!("../../../../spec/events.md");

/// Event and body of every row of the table of examples.
fn example_rows() -> Vec<(&'static str, Vec<u8>)> {
    let (_, section) = SPEC.split_once("| event | body |\n|---|---|\n").unwrap();
    let rows = section.lines().take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let (event, body) = line.trim_matches(['|', ' ']).split_once(" | ").unwrap();
        (event, hex(body.trim_matches('`')))
    })
    .collect()
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

#[test]
fn every_example_has_the_bytes_of_the_specification() {
    let (rows, examples) = (example_rows(), examples());
    assert_eq!(rows.len(), examples.len());
    for ((text, body), event) in rows.iter().zip(&examples) {
        assert!(text.starts_with(event.kind().name()), "{text}: {event:?}");
        let mut block = vec![1, 0xAC, 0x02, event.kind().number(), body.len() as u8];
        block.extend(body);
        let mut writer = EventWriter::new();
        writer.push(event).unwrap();
        assert_eq!(writer.flush().unwrap()[0].bytes, block, "{text}");
        let read: Vec<_> = Events::new(&block, 0).unwrap().collect();
        assert_eq!(read, [Ok(event.clone())], "{text}");
    }
}

#[test]
fn every_kind_has_an_example() {
    for kind in EventKind::ALL {
        assert!(examples().iter().any(|event| event.kind() == *kind), "{}", kind.name());
    }
}

#[test]
fn the_block_of_the_specification_is_read_and_written() {
    let (_, section) = SPEC.split_once("```hex block\n").unwrap();
    let block = hex(section.split_once("```").unwrap().0);
    let at = |tick, event: &AnalysisEvent| crate::common::at_tick(event, tick);
    let examples = examples();
    let mut second = at(100, &examples[0]);
    if let AnalysisEvent::UnitCreated { tag, pos, .. } = &mut second {
        (tag.index, pos.x) = (8, 3072);
    }
    let expected = [at(100, &examples[0]), second, at(300, &examples[3])];

    let mut events = Events::new(&block, 0).unwrap().in_stream(EventStream::Simulation);
    let read: Result<Vec<_>, _> = events.by_ref().collect();
    assert_eq!(read.unwrap(), expected);
    assert_eq!((events.count_read(), events.skipped()), (4, 1));
    assert_eq!((events.first_tick(), events.last_tick()), (Some(Tick(100)), Tick(300)));

    let mut writer = EventWriter::new();
    writer.push(&expected[0]).unwrap();
    writer.push(&expected[1]).unwrap();
    writer.push_own(Tick(105), 99, &[0xAA, 0xBB]).unwrap();
    writer.push(&expected[2]).unwrap();
    let blocks = writer.flush().unwrap();
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].bytes, block);
    assert_eq!(
        (blocks[0].first_tick, blocks[0].last_tick, blocks[0].count),
        (Tick(100), Tick(300), 4)
    );
}

/// The tables of the specification are those of the code; `BLESS=1` writes them.
#[test]
fn the_tables_of_the_specification_are_those_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/events.md");
    let mut text = std::fs::read_to_string(path).unwrap();
    for (name, table) in [("types", types_tables()), ("kinds", kinds_table())] {
        let begin = format!("<!-- {name}: made from the table in the code -->\n");
        let end = format!("<!-- end of {name} -->");
        let start = text.find(&begin).unwrap() + begin.len();
        let stop = text.find(&end).unwrap();
        let expected = format!("\n{table}\n");
        if std::env::var_os("BLESS").is_some() {
            text.replace_range(start..stop, &expected);
            std::fs::write(path, &text).unwrap();
        }
        assert_eq!(&text[start..start + expected.len()], expected, "BLESS=1 writes it");
    }
}
