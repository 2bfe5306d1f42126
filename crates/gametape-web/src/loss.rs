//! What a recording lacks, in words and on the bar.

use gametape_replay::inspect::gap_lines;
use gametape_replay::open::KeptStart;
use gametape_replay::{MarkerKind, PlayRule};
use gametape_scene::stage::Stage;
use gametape_wire::text::count;
use gametape_wire::{Finding, Moment};

use crate::blocks::Blocks;
use crate::session::{number, time_of};
use crate::shapes::Loss;

/// What is missing: first what has a time, of which nothing is said twice, then the rest.
pub(crate) fn losses(stage: &Stage<KeptStart<Blocks>>) -> Vec<Loss> {
    let lost = stage.markers().iter().filter_map(|marker| match marker.kind {
        MarkerKind::Lost { until } => Some((marker.moment, until)),
        _ => None,
    });
    let placed = joined(lost).into_iter().map(|(from, until)| placed(stage, from, until));
    let in_words = stage.losses().iter().cloned().chain(gap_lines(stage.gaps()));
    let unplaced = in_words.map(|text| Loss { text, start: None, end: None });
    placed.chain(unplaced).collect()
}

/// What was lost on the way, as far as playing found it. Keyframes that cannot be used are played around, and input that
/// cannot be applied was so when it was recorded.
pub(crate) fn damage(stage: &Stage<KeptStart<Blocks>>) -> Vec<Loss> {
    let of_finding = |finding: &Finding| {
        let moment = Moment::before(finding.tick?);
        match finding.rule {
            PlayRule::LOST_INPUT => Some(placed(stage, moment, Moment::before(finding.until?))),
            PlayRule::DIVERGENCE => {
                let text =
                    format!("the state at {} is not the recorded one", time_at(stage, moment));
                Some(Loss { text, start: Some(number(moment)), end: None })
            }
            _ => None,
        }
    };
    stage.report().findings().iter().filter_map(of_finding).collect()
}

/// Spans in the order of time, those that touch as one.
fn joined(spans: impl Iterator<Item = (Moment, Moment)>) -> Vec<(Moment, Moment)> {
    let mut spans: Vec<_> = spans.collect();
    spans.sort_unstable();
    spans.dedup_by(|next, kept| {
        let touches = next.0 <= kept.1;
        if touches {
            kept.1 = kept.1.max(next.1);
        }
        touches
    });
    spans
}

fn placed(stage: &Stage<KeptStart<Blocks>>, from: Moment, until: Moment) -> Loss {
    let ticks = number(until).saturating_sub(number(from));
    let length = match stage.is_gamelog() {
        true => count(ticks, "delta"),
        false => duration(ticks * u64::from(stage.tick_length().micros())),
    };
    let text = format!("{length} lost at {}", time_at(stage, from));
    Loss { text, start: Some(number(from)), end: Some(number(until)) }
}

/// The time of the first tick that is applied after a moment.
fn time_at(stage: &Stage<KeptStart<Blocks>>, moment: Moment) -> String {
    time_of(stage, Moment::after(moment.next_tick()))
}

/// A length for people: `0.05 s`, `3 s`, `4.5 s`, `12 min`.
fn duration(micros: u64) -> String {
    let hundredths = micros.div_ceil(10_000);
    match hundredths {
        0..1_000 if hundredths.is_multiple_of(100) => format!("{} s", hundredths / 100),
        0..100 => format!("0.{hundredths:02} s"),
        100..1_000 => format!("{}.{} s", hundredths / 100, hundredths % 100 / 10),
        1_000..12_000 => format!("{} s", (hundredths + 50) / 100),
        _ => format!("{} min", (hundredths + 3_000) / 6_000),
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::Tick;

    use super::*;

    #[test]
    fn lengths_are_short() {
        let cases = [
            (0, "0 s"),
            (50_000, "0.05 s"),
            (1_000_000, "1 s"),
            (4_550_000, "4.5 s"),
            (14_950_000, "15 s"),
            (119_990_000, "120 s"),
            (720_000_000, "12 min"),
        ];
        for (micros, text) in cases {
            assert_eq!(duration(micros), text);
        }
    }

    #[test]
    fn what_touches_is_said_once() {
        let span = |from, until| (Moment::before(Tick(from)), Moment::before(Tick(until)));
        let spans = [span(30, 40), span(10, 16), span(10, 12), span(16, 20)];
        assert_eq!(joined(spans.into_iter()), [span(10, 20), span(30, 40)]);
        assert_eq!(joined(std::iter::empty()), []);
    }
}
