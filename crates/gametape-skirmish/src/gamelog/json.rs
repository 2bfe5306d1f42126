//! Pieces of JSON.

use gametape_wire::json;

/// The key that says how long a list is.
pub(super) const LENGTH: &str = "&LEN";

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    json::push_str(text, &mut out);
    out
}

/// A reference to a game object.
pub(super) fn reference(id: u32) -> String {
    format!(r#"{{"id":"{id}"}}"#)
}

/// The value, or null.
pub(super) fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}

/// An object of these entries, whose values are JSON.
pub(crate) fn object<N: AsRef<str>>(entries: &[(N, String)]) -> String {
    let entry = |(name, value): &(N, String)| format!("{}:{value}", quoted(name.as_ref()));
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
}

/// A list of references, as a delta says it.
pub(super) fn list(ids: impl IntoIterator<Item = u32>) -> String {
    changed_list(&[], &ids.into_iter().collect::<Vec<_>>())
}

/// What makes a list of references another one.
pub(super) fn changed_list(old: &[u32], new: &[u32]) -> String {
    let changed = new.iter().enumerate().filter(|(index, id)| old.get(*index) != Some(id));
    let mut entries: Vec<(String, String)> =
        changed.map(|(index, id)| (index.to_string(), reference(*id))).collect();
    entries.push((LENGTH.to_owned(), new.len().to_string()));
    object(&entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_say_what_changed_and_how_long_they_are() {
        assert_eq!(list([3, 4]), r#"{"0":{"id":"3"},"1":{"id":"4"},"&LEN":2}"#);
        assert_eq!(changed_list(&[3, 4, 5], &[3, 6]), r#"{"1":{"id":"6"},"&LEN":2}"#);
        assert_eq!(list([]), r#"{"&LEN":0}"#);
    }
}
