//! JSON text as part of a JSON result.

pub(crate) use gametape_cadre::show::embed;
