//! What happened in a recording as a whole: markers, best moments, curves. Only what the present view may know.

use std::collections::BTreeMap;

use gametape_analysis::report::{event_words, highlight_rows};
use gametape_analysis::{
    AnalysisEvent, EventStream, HighlightFinder, KindSet, MatchInfo, NameReader,
    StatisticsCollector, TapeEvents, WHOLE, is_own,
};
use gametape_tape::Tape;
use gametape_wire::{Arrange, Moment, Result, SortedMap, Source, Tick, View, ViewSet};
use serde::Serialize;

use super::Stage;
use crate::model::{Datum, Scene};
use crate::palette::{Colour, Palette};

/// More markers are not listed: then those of the kinds with the fewest are.
const MOST_MARKERS: usize = 1500;
/// More best moments are not listed.
const MOST_HIGHLIGHTS: usize = 20;
/// Moments at which the values of players are looked at for curves.
const SAMPLES: u64 = 64;
/// More curves are not made.
const MOST_CURVES: usize = 12;

/// What happened in a recording, as far as a view may know it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Story {
    /// What happened when, ascending.
    pub markers: Vec<StoryMarker>,
    /// What is worth watching, best first.
    pub highlights: Vec<StoryHighlight>,
    /// Values of players over time.
    pub curves: Vec<Curve>,
    /// Of which share of the recording there are markers, 0 to 1: more come while it is reported.
    pub reported: f64,
    /// How many lines of what was reported are markers already.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    taken: usize,
}

impl Story {
    /// The story with no more markers than can be shown: those of the kinds with the fewest.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self { markers: fewest(self.markers.clone()), ..self.clone() }
    }

    /// The recording has grown: there may be more to report.
    pub fn grow(&mut self) {
        self.reported = self.reported.min(0.999);
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StoryMarker {
    /// The moment after it, as the number of its next tick.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub moment: u64,
    /// When, for people.
    pub time: String,
    /// What it is about, for filters.
    pub kind: String,
    /// The player that it is about most.
    pub player: Option<u8>,
    /// A sentence with names.
    pub text: String,
}

/// A moment that is worth watching.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StoryHighlight {
    /// From 1 on.
    pub rank: usize,
    /// The moment after it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub moment: u64,
    /// What to play: from this moment
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub start: u64,
    /// up to this one.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub end: u64,
    /// When, for people.
    pub time: String,
    /// What it is, in words.
    pub text: String,
    /// What its score is made of.
    pub why: Vec<WhyPart>,
    /// The player that it is about.
    pub player: Option<u8>,
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WhyPart {
    /// Which.
    pub name: &'static str,
    /// 0 to 100.
    pub percent: u32,
}

/// A value of all players over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Curve {
    /// What it is: `land`, `income`.
    pub name: String,
    /// One for each player.
    pub players: Vec<CurveOfPlayer>,
}

/// A value of a player over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CurveOfPlayer {
    /// Who, from 1 on.
    pub player: u8,
    /// Their name.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// Moments and values, ascending.
    #[cfg_attr(feature = "ts", ts(type = "[number, number][]"))]
    pub points: Vec<(u64, f64)>,
}

impl<S: Source> Stage<S> {
    /// What happened in the recording, as far as the present view may know it. The position stays.
    ///
    /// Of a tape, the all-seeing view has what the events of the match say; a player has their own events. Curves are
    /// those of the statistics, or else the values of players in scenes of the view, where the recording
    /// [can be reported](Self::can_be_reported).
    pub fn story(&mut self) -> Result<Story> {
        let seen = self.seen();
        let mut story = match seen.contains(View::SPECTATOR) {
            _ if self.is_gamelog() => Story::default(),
            true => self.story_of_events(None)?,
            false => self.story_of_events(Some(seen))?,
        };
        // All of its events are reported, not only those that have words of their own.
        if self.is_unknown() && self.can_be_reported() {
            story.markers.clear();
        }
        // Samples of a long tape would be most of it.
        if story.curves.is_empty() && self.can_be_reported() {
            story.curves = self.curves_of_scenes()?;
        }
        // Where everything is known from events, nothing more is reported.
        let is_reported = seen.contains(View::SPECTATOR) && !story.markers.is_empty();
        story.reported = if is_reported || !self.can_be_reported() { 1.0 } else { 0.0 };
        Ok(story)
    }

    /// Reports the story further, about as much as `effort` bytes of changes: what was said to the view becomes markers.
    pub fn extend_story(&mut self, story: &mut Story, effort: usize) -> Result<()> {
        if story.reported >= 1.0 {
            return Ok(());
        }
        self.report_more(effort)?;
        // Of several views together lines come in order only at the end.
        if self.seen().len() > 1 && self.reported_share() < 1.0 {
            story.reported = self.reported_share();
            return Ok(());
        }
        let new = self.reported().iter().skip(story.taken).map(|reported| {
            let tick = reported.moment.last_tick().unwrap_or_default();
            StoryMarker {
                moment: reported.moment.next_tick().0,
                time: match self.is_gamelog() {
                    true => format!("delta {tick}"),
                    false => self.tick_length().time_of(tick).to_string(),
                },
                kind: reported.line.kind.clone(),
                player: reported.line.players.first().copied(),
                text: reported.line.text.clone(),
            }
        });
        story.markers.extend(new);
        story.markers.arrange_by_key(|marker| marker.moment);
        (story.taken, story.reported) = (self.reported().len(), self.reported_share());
        Ok(())
    }

    fn story_of_events(&mut self, own: Option<ViewSet>) -> Result<Story> {
        let scene = self.scene();
        let Some((tape, source)) = self.tape() else { return Ok(Story::default()) };
        let mut names = NameReader::new(tape);
        names.read_from(source)?;
        let info = MatchInfo::of(tape, "", names.finish());
        let mut collected = Collected::new(tape, own);
        let kinds = KindSet::of_stream(EventStream::Simulation);
        for event in TapeEvents::new(tape, kinds, Tick::ZERO..Tick::MAX, source) {
            collected.add(&event?, &info);
        }
        Ok(collected.finish(tape, &info, &scene))
    }

    /// The numbers of players in scenes at moments that are evenly apart.
    fn curves_of_scenes(&mut self) -> Result<Vec<Curve>> {
        let here = self.position();
        let (begin, end) = (self.begin().next_tick().0, self.end().next_tick().0);
        let span = end.saturating_sub(begin);
        let mut curves = SceneCurves::default();
        for sample in 0..=SAMPLES.min(span) {
            let moment = begin + span * sample / SAMPLES.min(span).max(1);
            self.seek(Moment::before(Tick(moment)))?;
            curves.add(moment, &self.scene());
        }
        self.seek(here)?;
        Ok(curves.finish())
    }
}

/// The events of a match, as they come.
struct Collected {
    own: Option<ViewSet>,
    markers: Vec<StoryMarker>,
    finder: HighlightFinder,
    statistics: StatisticsCollector,
}

impl Collected {
    fn new(tape: &Tape, own: Option<ViewSet>) -> Self {
        Self {
            own,
            markers: Vec::new(),
            finder: HighlightFinder::new(tape.header.tick_length),
            statistics: StatisticsCollector::new(tape.header.tick_length),
        }
    }

    fn add(&mut self, event: &AnalysisEvent, info: &MatchInfo) {
        if self.own.is_some_and(|views| !is_own(event, views)) {
            return;
        }
        self.finder.add(event);
        self.statistics.add(event, &info.names);
        let Some(words) = event_words(event, info) else { return };
        self.markers.push(StoryMarker {
            moment: Moment::after(event.tick()).next_tick().0,
            time: info.time(event.tick()).to_string(),
            kind: words.kind.to_owned(),
            player: words.player,
            text: words.text,
        });
    }

    fn finish(self, tape: &Tape, info: &MatchInfo, scene: &Scene) -> Story {
        // What is worth watching follows from what all players did: nobody but the all-seeing view may know it.
        let found = match self.own {
            None => self.finder.finish(tape.summary.end_tick),
            Some(_) => Vec::new(),
        };
        let rows = highlight_rows(info, &found);
        let moment = |tick: Tick| Moment::after(tick).next_tick().0;
        let highlights = rows.into_iter().take(MOST_HIGHLIGHTS).map(|row| {
            let parts = [
                ("fighting", row.why.engagement),
                ("momentum", row.why.momentum),
                ("unusual", row.why.anomaly),
                ("rarity", row.why.rarity),
            ];
            let percent = |part: u32| part / (WHOLE / 100).max(1);
            StoryHighlight {
                rank: row.rank,
                moment: moment(row.tick),
                start: moment(row.start_tick),
                end: moment(row.end_tick),
                time: row.times[0].clone(),
                text: row.what.unwrap_or_else(|| "fight".to_owned()),
                why: parts.map(|(name, part)| WhyPart { name, percent: percent(part) }).to_vec(),
                player: row.player,
            }
        });
        let statistics = self.statistics.finish();
        let mut curves: BTreeMap<&str, Vec<CurveOfPlayer>> = BTreeMap::new();
        for series in statistics.all_series() {
            let points = series.points.iter();
            let points: Vec<(u64, f64)> =
                points.map(|(tick, value)| (moment(*tick), *value as f64)).collect();
            if points.iter().any(|point| point.1 != 0.0) {
                curves.entry(series.stat).or_default().push(of_player(
                    series.player,
                    scene,
                    points,
                ));
            }
        }
        // Who has how much of the map is what most want to see first.
        let mut curves: Vec<_> = curves.into_iter().collect();
        curves.arrange_by_key(|(name, _)| (*name != "territory", *name));
        let curves = curves.into_iter().take(MOST_CURVES);
        Story {
            markers: self.markers,
            highlights: highlights.collect(),
            curves: curves.map(|(name, players)| Curve { name: words_of(name), players }).collect(),
            ..Story::default()
        }
    }
}

/// `units_alive` as `units alive`.
fn words_of(stat: &str) -> String {
    stat.replace('_', " ")
}

fn of_player(player: u8, scene: &Scene, points: Vec<(u64, f64)>) -> CurveOfPlayer {
    let found = scene.player(player);
    let name = found.map_or_else(|| format!("player {player}"), |found| found.name.clone());
    let colour = found.map_or_else(|| Palette::player(player), |found| found.colour);
    CurveOfPlayer { player, name, colour, points }
}

/// Leaves out the kinds with the most markers where there are too many.
fn fewest(mut markers: Vec<StoryMarker>) -> Vec<StoryMarker> {
    while markers.len() > MOST_MARKERS {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        markers.iter().for_each(|marker| *counts.entry(&marker.kind).or_default() += 1);
        let most =
            counts.iter().max_by_key(|(_, count)| **count).map(|(kind, _)| (*kind).to_owned());
        let Some(most) = most.filter(|_| counts.len() > 1) else {
            markers.truncate(MOST_MARKERS);
            break;
        };
        markers.retain(|marker| marker.kind != most);
    }
    markers
}

/// Curves of the values of players in scenes.
#[derive(Default)]
struct SceneCurves {
    /// By name of the value, then by number of the player.
    points: BTreeMap<String, SortedMap<u8, Vec<(u64, f64)>>>,
    /// Names in the order in which scenes have them.
    order: Vec<String>,
    /// The players of the last scene.
    last: Option<Scene>,
}

impl SceneCurves {
    fn add(&mut self, moment: u64, scene: &Scene) {
        for (player, number) in scene.players.iter().zip(1..) {
            let numbers = player.values.iter().filter_map(|value| match value.value {
                Datum::Integer(number) => Some((&value.name, number as f64)),
                Datum::Number(number) => Some((&value.name, number)),
                _ => None,
            });
            for (name, value) in numbers {
                if !self.points.contains_key(name) {
                    self.order.push(name.clone());
                }
                let players = self.points.entry(name.clone()).or_default();
                players.or_default(number).push((moment, value));
            }
        }
        self.last = Some(Scene { players: scene.players.clone(), ..Scene::default() });
    }

    fn finish(mut self) -> Vec<Curve> {
        let Some(scene) = self.last else { return Vec::new() };
        let mut curves = Vec::new();
        for name in self.order {
            let players = self.points.remove(&name).unwrap_or_default();
            let changes =
                |points: &[(u64, f64)]| points.windows(2).any(|pair| pair[0].1 != pair[1].1);
            if players.values().any(|points| changes(points)) {
                let players = players.into_iter();
                let players =
                    players.map(|(player, points)| of_player(player, &scene, points)).collect();
                curves.push(Curve { name, players });
            }
        }
        curves.truncate(MOST_CURVES);
        curves
    }
}
