//! Scenes of tapes whose game is not known: `spec/scene.md`, section 12.

use std::any::Any;

use gametape_replay::unknown::{UnknownState, payload_text};

use crate::model::{Player, Scene, Value};
use crate::visible::{Context, Visible};

impl Visible for UnknownState {
    fn scene(&self, context: &Context) -> Scene {
        let mut scene = Scene::new(context.game.as_deref().unwrap_or("unknown game"));
        let named = context.names.iter().filter(|(seat, _)| **seat > 0);
        let last = named.clone().map(|(seat, _)| *seat).max().unwrap_or(0);
        // Numbers of players are those of seats.
        scene.players = (1..=last)
            .map(|seat| {
                let name = context.names.get(&seat).cloned();
                Player::new(
                    seat,
                    seat.to_string(),
                    name.unwrap_or_else(|| format!("player {seat}")),
                )
            })
            .collect();
        scene.title.match_name.clone_from(&context.match_name);
        scene.title.players = named.map(|(_, name)| name.clone()).collect();
        let time = context.time.map(|time| Value::new("time", time.to_string()));
        let keyframe = self.keyframe().map(|tick| Value::new("keyframe", format!("tick {tick}")));
        let since = Value::new("updates since", self.updates() as i64);
        scene.facts = time.into_iter().chain(keyframe).chain([since]).collect();
        scene
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn disassemble(&self, change: &[u8], _: &Context) -> Vec<String> {
        vec![payload_text(change)]
    }
}
