//! The same values in every export.

use std::collections::BTreeMap;

use gametape_analysis::{AnalysisEvent, sample};
use gametape_analysis::{
    Column, ColumnType, CsvTable, EventKind, MatchInfo, NameId, Names, RowSink, Table, Value,
    json_line,
};

use gametape_wire::{Tick, TickLength};

use crate::common::{NAMES, examples};

/// A row as JSON values by column, made from the columns' own values.
pub(crate) fn expected_row(event: &AnalysisEvent) -> BTreeMap<String, serde_json::Value> {
    struct Sink<'a>(std::slice::Iter<'a, Column>, BTreeMap<String, serde_json::Value>);
    impl RowSink for Sink<'_> {
        fn value(&mut self, value: Value<'_>) {
            let column = self.0.next().unwrap();
            let json = match value {
                Value::Null => {
                    assert!(column.nullable, "{}", column.name);
                    return;
                }
                Value::Bool(flag) => flag.into(),
                Value::Unsigned(number) => number.into(),
                Value::Signed(number) => number.into(),
                Value::Float(number) => number.into(),
                Value::Text(text) => text.into(),
                Value::List(list) => list.iter().collect::<Vec<_>>().into(),
                other => panic!("{other:?}"),
            };
            self.1.insert(column.name.clone(), json);
        }
    }
    let mut sink = Sink(Table::Kind(event.kind()).columns().iter(), BTreeMap::new());
    info().values(event, &mut sink);
    assert_eq!(sink.0.next(), None, "a value for every column");
    sink.1
}

fn named<N: Names>(names: N) -> MatchInfo<N> {
    let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), names);
    info.id = "00ff".to_owned();
    info.source = "a.tape".to_owned();
    info.players = [(1, "Ana".to_owned()), (2, "Ben".to_owned())].into();
    info
}

fn info() -> MatchInfo<[&'static str; NAMES.len()]> {
    named(NAMES)
}

fn chance() -> Vec<AnalysisEvent> {
    let mut random = sample::Random::new(5);
    let all = EventKind::ALL.iter().cycle().take(22 * 20);
    examples()
        .into_iter()
        .chain(all.map(|&kind| sample::event(kind, Tick(7), &mut random)))
        .collect()
}

#[test]
fn json_lines_are_golden() {
    let lines: String = examples().iter().fold(String::new(), |mut text, event| {
        json_line(event, &info(), &mut text);
        text
    });
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(
        lines[0],
        r#"{"kind":"UnitCreated","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"tag":65543,"unit_type":"tank","owner":1,"owner_name":"Ana","pos_x":2048,"pos_y":-1024,"pos_z":0}"#
    );
    assert_eq!(
        lines[3],
        r#"{"kind":"UnitDestroyed","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"tag":65543,"killer_tag":9,"killer_owner":2,"killer_owner_name":"Ben","owner":1,"owner_name":"Ana","unit_type":"tank","pos_x":2048,"pos_y":-1024,"pos_z":0,"value":300,"traits_structure":true,"traits_technology":true,"traits_superweapon":false}"#
    );
    assert_eq!(
        lines[4],
        r#"{"kind":"UnitPositionSample","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"positions_tag":[65543,65544],"positions_x":[2048,2050],"positions_y":[-1024,-1024],"positions_z":[0,0]}"#
    );
    assert_eq!(
        lines[13],
        r#"{"kind":"MatchEnded","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"outcome":"Completed","outcome_winner":2,"outcome_winner_name":"Ben","outcome_reason":"last one standing"}"#
    );
    assert_eq!(
        lines[18],
        r##"{"kind":"VoteEvent","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"event":"Proposed","event_id":1,"event_kind":"#9","event_proposer":2,"event_proposer_name":"Ben"}"##
    );
    assert_eq!(
        lines[27],
        r#"{"kind":"GameEvent","match_id":"00ff","tape":"a.tape","tick":300,"seconds":15.0,"what":"timeout","player":1,"player_name":"Ana","pos_x":2048,"pos_y":-1024,"pos_z":0,"value":100}"#
    );
}

#[test]
fn json_lines_have_the_values_of_the_columns() {
    for event in chance() {
        let mut line = String::new();
        json_line(&event, &info(), &mut line);
        assert!(line.ends_with("}\n") && line.matches('\n').count() == 1);
        let mut read: BTreeMap<String, serde_json::Value> = serde_json::from_str(&line).unwrap();
        assert_eq!(read.remove("kind"), Some(event.kind().name().into()));
        assert_eq!(read, expected_row(&event));
    }
}

#[test]
fn text_is_escaped() {
    let event = AnalysisEvent::UpgradeCompleted { tick: Tick(1), player: 1, upgrade_id: NameId(0) };
    let name = "a \"b\", \\c\n\u{1}é";
    let mut line = String::new();
    json_line(&event, &named([name]), &mut line);
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(read["upgrade_id"], name);
    let mut row = String::new();
    CsvTable::new(Table::Kind(EventKind::UpgradeCompleted)).row(&event, &named([name]), &mut row);
    assert_eq!(row, "00ff,a.tape,1,0.05,1,Ana,\"a \"\"b\"\", \\c\n\u{1}é\"\n");
    row.clear();
    CsvTable::new(Table::Kind(EventKind::UpgradeCompleted)).row(&event, &named([""]), &mut row);
    assert_eq!(row, "00ff,a.tape,1,0.05,1,Ana,\"\"\n");
}

/// The cells of a CSV line; the texts of these tests need no quotes.
fn cells(line: &str) -> Vec<&str> {
    line.trim_end_matches('\n').split(',').collect()
}

fn as_csv(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(list) => {
            list.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

#[test]
fn csv_has_the_values_of_the_columns() {
    let mut wide = CsvTable::new(Table::Wide);
    for event in chance() {
        let kind = event.kind();
        let mut expected = expected_row(&event);
        let mut row = String::new();
        CsvTable::new(Table::Kind(kind)).row(&event, &info(), &mut row);
        let columns = Table::Kind(kind).columns().iter();
        let by_kind =
            columns.map(|column| expected.get(&column.name).map_or(String::new(), as_csv));
        assert!(by_kind.eq(cells(&row)));

        row.clear();
        wide.row(&event, &info(), &mut row);
        expected.insert("kind".to_owned(), kind.name().into());
        let columns = Table::Wide.columns().iter();
        let in_wide =
            columns.map(|column| expected.get(&column.name).map_or(String::new(), as_csv));
        assert!(in_wide.eq(cells(&row)));
        let other = EventKind::ALL.iter().find(|other| **other != kind).unwrap();
        row.clear();
        CsvTable::new(Table::Kind(*other)).row(&event, &info(), &mut row);
        assert_eq!(row, "");
    }
}

#[test]
fn a_column_has_one_type_everywhere() {
    let mut types: BTreeMap<&str, ColumnType> = BTreeMap::new();
    for table in Table::all() {
        let mut names: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
        for column in table.columns() {
            let known = types.entry(&column.name).or_insert(column.column_type);
            assert_eq!(*known, column.column_type, "{} in {}", column.name, table.name());
        }
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", table.name());
    }
    assert_eq!(types.len(), Table::Wide.columns().len());
    assert!(Table::Wide.columns()[5..].iter().all(|column| column.nullable));
}

/// Readers depend on these: a change here breaks them.
#[test]
fn schemas_are_stable() {
    let mut header = String::new();
    CsvTable::new(Table::Wide).header(&mut header);
    let expected = "match_id,tape,tick,seconds,kind,tag,unit_type,owner,owner_name,pos_x,pos_y,pos_z,killer_tag,killer_owner,killer_owner_name,value,\
        traits_structure,traits_technology,traits_superweapon,positions_tag,positions_x,positions_y,\
        positions_z,player,player_name,stats_credits,stats_income,stats_army_value,stats_structures,stats_units,\
        stats_territory,stats_kills,stats_losses,stats_value_killed,stats_value_lost,\
        stats_actions_per_minute,resource_type,amount,upgrade_id,viewport_center_x,\
        viewport_center_y,viewport_center_z,zoom_level,added,removed,group,action,ability_id,target_x,\
        target_y,target_z,paused,outcome,outcome_winner,outcome_winner_name,outcome_reason,outcome_leaver,outcome_leaver_name,\
        outcome_first_tick,event,event_id,event_kind,event_proposer,event_proposer_name,event_voter,event_voter_name,event_yes,\
        event_passed,center_pos_x,center_pos_y,center_pos_z,friendly_units,enemy_units,\
        value_friendly,value_enemy,engagement_id,friendly_losses,enemy_losses,friendly_survivors,\
        enemy_survivors,duration_ticks,weapon_type,target_pos_x,target_pos_y,target_pos_z,\
        units_affected,buildings_affected,buildings_lost,units_lost,total_value_lost,\
        percentage_of_army,deficit_before,advantage_after,swing_value,what\n";
    assert_eq!(header, expected);
}
