//! JSON text as part of a JSON result.

pub(crate) use gametape_cadre::json::compact;
pub(crate) use gametape_replay::inspect::embed;
