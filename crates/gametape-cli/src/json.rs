//! JSON text as part of a JSON result.

use serde_json::value::{RawValue, to_raw_value};

pub(crate) use gametape_cadre::json::compact;

/// JSON text as part of a JSON result; as a string if it is no JSON after all.
pub(crate) fn embed(json: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8(compact(json)).ok()?;
    RawValue::from_string(text).or_else(|_| to_raw_value(&String::from_utf8_lossy(json))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_json_becomes_a_string() {
        assert_eq!(embed(b"[1, \"\\ud800\"]").unwrap().get(), "[1,\"\\ud800\"]");
        assert_eq!(embed(b"[1,,]").unwrap().get(), "\"[1,,]\"");
    }
}
