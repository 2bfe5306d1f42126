//! Where the cities of a recording are, and what they are called.

pub(crate) use gametape_scene::minewars::{Place, places, places_of};
