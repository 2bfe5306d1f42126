//! Links: paths and queries that the viewer understands.

use std::fmt::Write;

/// Where a recording is, from the page: `recordings/3/final%20match.tape`.
#[must_use]
pub fn recording(number: usize, name: &str) -> String {
    format!("recordings/{number}/{}", encoded(name))
}

/// Where the picture of a recording is, from the page.
#[must_use]
pub fn picture(number: usize) -> String {
    format!("pictures/{number}.png")
}

/// A query of these names and values: `?src=a&t=3%3A37.6`; empty where there are none.
#[must_use]
pub fn query(values: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| format!("{name}={}", encoded_except(value, b"/"));
    let all: Vec<String> = values.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) }
}

/// The query that opens a recording, from a moment and a view on if they are given.
#[must_use]
pub fn opening(src: &str, at: Option<&str>, view: Option<&str>) -> String {
    let more = [("t", at), ("view", view)];
    let more = more.into_iter().filter_map(|(name, value)| Some((name, value?)));
    query(&std::iter::once(("src", src)).chain(more).collect::<Vec<_>>())
}

/// Text as one segment of a path.
#[must_use]
pub fn encoded(text: &str) -> String {
    encoded_except(text, b"")
}

fn encoded_except(text: &str, except: &[u8]) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let is_plain =
            byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || except.contains(&byte);
        let _ = if is_plain { write!(out, "{}", byte as char) } else { write!(out, "%{byte:02X}") };
    }
    out
}

/// The text of a segment; `None` where it is nothing that [`encoded`] writes, is empty, or no text.
#[must_use]
pub fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? * 16 + digit(rest.next()?)?,
            byte => byte,
        });
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.is_empty()).then_some(text)
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).and_then(|digit| digit.try_into().ok())
}

/// Is it an address of the web, rather than a file?
#[must_use]
pub fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// The last part of an address: what a recording there is called.
#[must_use]
pub fn name_of_url(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let path = path.split_once("://").map_or(path, |(_, path)| path);
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    decoded(name).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_a_link() {
        for name in
            ["final.tape", "a b", "100%.tape", "ä/ö", "..", "a?b#c&d=e+f", "\"<'>", "試合.json.gz"]
        {
            let segment = encoded(name);
            assert!(
                segment
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte))
            );
            assert_eq!(decoded(&segment).as_deref(), Some(name));
        }
        assert_eq!(recording(3, "a b"), "recordings/3/a%20b");
    }

    #[test]
    fn queries_hold_paths_and_times() {
        let found = query(&[("src", "recordings/0/a%20b"), ("t", "3:37.6"), ("view", "1+2")]);
        assert_eq!(found, "?src=recordings/0/a%2520b&t=3%3A37.6&view=1%2B2");
        assert_eq!(query(&[]), "");
        let own = opening(&recording(0, "a b.tape"), Some("3:37.6"), Some("2"));
        assert_eq!(own, "?src=recordings/0/a%2520b.tape&t=3%3A37.6&view=2");
        let other = opening("https://x.example/a?b=c", None, None);
        assert_eq!(other, "?src=https%3A//x.example/a%3Fb%3Dc");
    }

    #[test]
    fn addresses_of_the_web_are_recognised() {
        assert!(is_url("https://x/y.tape") && is_url("HTTP://x"));
        assert!(!is_url("file:///x") && !is_url("match.tape") && !is_url("a/http://x"));
        assert_eq!(name_of_url("https://x/y/final%20match.tape?z=1#t"), "final match.tape");
        assert_eq!(name_of_url("https://x"), "x");
    }
}
