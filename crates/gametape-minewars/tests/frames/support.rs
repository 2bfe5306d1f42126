//! What the frame tests share.

use std::collections::BTreeMap;

use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation};
use gametape_wire::{View, ViewSet};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

pub(crate) fn view(number: u8) -> View {
    View::new(number).unwrap()
}

pub(crate) fn layout(generation: Generation, max_view: u8) -> FrameLayout {
    FrameLayout::new(generation, view(max_view)).unwrap()
}

/// What one view receives, as (time, bytes); fragments of one moment are joined.
pub(crate) fn received(frames: Frames<'_>, view: View) -> Vec<(u64, Vec<u8>)> {
    let mut moments: Vec<(u64, Vec<u8>)> = Vec::new();
    for frame in frames.map(Result::unwrap) {
        let bytes = frame.view(view).unwrap_or_default();
        match moments.last_mut() {
            _ if bytes.is_empty() => {}
            Some((time, joined)) if *time == frame.time() => joined.extend_from_slice(bytes),
            _ => moments.push((frame.time(), bytes.to_vec())),
        }
    }
    moments
}

/// What happens at one time: how much later than the moment before, and what views receive.
pub(crate) type Moment = (u64, BTreeMap<u8, Vec<u8>>);

/// Messages of the tests begin with their own length, 1 to 9.
fn message() -> impl Strategy<Value = Vec<u8>> {
    (1u8..=9, any::<u8>()).prop_map(|(length, fill)| {
        let mut message = vec![fill; length.into()];
        message[0] = length;
        message
    })
}

/// Mostly a few messages, now and then more than a frame holds.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let messages = prop_oneof![9 => vec(message(), 0..4), 1 => vec(message(), 50..200)];
    messages.prop_map(|messages| messages.concat())
}

/// Where messages end: what a writer asks when a payload is too long.
pub(crate) fn whole_messages(bytes: &[u8], limit: usize) -> usize {
    let mut end = 0;
    while end < bytes.len() && end + usize::from(bytes[end]) <= limit {
        end += usize::from(bytes[end]);
    }
    end
}

pub(crate) fn any_layout() -> impl Strategy<Value = FrameLayout> {
    prop_oneof![
        (0u8..=6).prop_map(|max| layout(Generation::V01, max)),
        (0u8..=15).prop_map(|max| layout(Generation::Current, max)),
    ]
}

/// Who receives something: all the same, each their own, or both mixed.
fn views_of_a_moment(max_view: u8) -> impl Strategy<Value = BTreeMap<u8, Vec<u8>>> {
    let own = btree_map(0..=max_view, payload(), 0..=usize::from(max_view) + 1);
    (own, any::<u16>(), payload()).prop_map(move |(mut views, same, shared)| {
        for number in (0..=max_view).filter(|number| same >> number & 1 != 0) {
            views.insert(number, shared.clone());
        }
        views
    })
}

fn gap(least: u64) -> impl Strategy<Value = u64> {
    prop_oneof![8 => least..2000, 1 => 32_760u64..32_770, 1 => 65_530u64..200_000]
}

/// A layout and moments for it, at least `least_gap` apart.
pub(crate) fn session(least_gap: u64) -> impl Strategy<Value = (FrameLayout, Vec<Moment>)> {
    any_layout().prop_flat_map(move |layout| {
        let views = views_of_a_moment(layout.max_view().number());
        (Just(layout), vec((gap(least_gap), views), 0..12))
    })
}

/// The stream of the given moments, as far as they are about `views`.
pub(crate) fn written(layout: FrameLayout, moments: &[Moment], views: ViewSet) -> Vec<u8> {
    let mut out = FrameWriter::new(layout);
    let mut time = 0;
    for (gap, payloads) in moments {
        time += gap;
        let parts: Vec<(View, &[u8])> = payloads
            .iter()
            .map(|(&number, payload)| (view(number), &payload[..]))
            .filter(|&(view, _)| views.contains(view))
            .collect();
        out.moment(time, &parts, whole_messages).unwrap();
    }
    out.into_bytes()
}
