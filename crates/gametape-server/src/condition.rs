//! Whether a client has something already: `If-None-Match` and `If-Range` (RFC 9110, section 13).

/// A strong tag of some bytes.
#[must_use]
pub fn tag(text: &str) -> String {
    format!("\"{text}\"")
}

/// Does a client have the bytes of this tag? Weak and strong tags are compared alike, as is right here.
#[must_use]
pub fn is_known(if_none_match: Option<&str>, tag: &str) -> bool {
    let Some(known) = if_none_match else { return false };
    let mut known = known.split(',').map(str::trim);
    known.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// Does a range that a client asks for belong to the bytes of this tag? Dates are never compared: none is sent.
#[must_use]
pub fn is_range_valid(if_range: Option<&str>, tag: &str) -> bool {
    if_range.is_none_or(|known| known.trim() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared() {
        let known = |header| is_known(Some(header), "\"a\"");
        assert!(known("\"a\"") && known("\"b\", \"a\"") && known("W/\"a\"") && known("*"));
        assert!(!known("\"b\"") && !known("a") && !known("") && !is_known(None, "\"a\""));
    }

    #[test]
    fn a_range_is_of_the_same_bytes() {
        let valid = |header| is_range_valid(header, "\"a\"");
        assert!(valid(None) && valid(Some("\"a\"")));
        // A weak tag does not say that every byte is the same.
        assert!(!valid(Some("W/\"a\"")) && !valid(Some("\"b\"")));
        assert!(!valid(Some("Wed, 21 Oct 2015 07:28:00 GMT")));
    }
}
