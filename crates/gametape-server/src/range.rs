//! Which bytes a request asks for: the header `Range` (RFC 9110, section 14).

use std::ops::Range;

/// What a request asks for of something that has a length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// All of it. Also where the header cannot be read, has another unit or several ranges: a server may ignore
    /// it.
    All,
    /// These bytes, at least one.
    Part(Range<u64>),
    /// Bytes that are not there.
    Outside,
}

/// What a header `Range` asks for.
#[must_use]
pub fn asked(header: &str, length: u64) -> Asked {
    let Some((first, last)) = bounds(header) else { return Asked::All };
    let range = match (first, last) {
        (Some(first), Some(last)) if last < first => return Asked::All,
        (Some(first), last) => {
            let end = last.map_or(length, |last| last.saturating_add(1));
            first..end.min(length)
        }
        (None, Some(many)) => length.saturating_sub(many)..length,
        (None, None) => return Asked::All,
    };
    if range.is_empty() { Asked::Outside } else { Asked::Part(range) }
}

/// The two numbers around the hyphen.
fn bounds(header: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, range) = header.split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    Some((number(first.trim())?, number(last.trim())?))
}

/// A number, or none where there is no text; outer `None` where it is something else. One that is too large is
/// the largest.
fn number(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Some(text.parse().unwrap_or(u64::MAX)))
}

/// The header `Content-Range` of some bytes, or of none.
#[must_use]
pub fn content_range(range: Option<&Range<u64>>, length: u64) -> String {
    match range {
        Some(range) => format!("bytes {}-{}/{length}", range.start, range.end.saturating_sub(1)),
        None => format!("bytes */{length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_rfc_says() {
        for (header, wanted) in [
            ("bytes=0-0", Asked::Part(0..1)),
            ("bytes=0-99", Asked::Part(0..100)),
            ("bytes=0-100", Asked::Part(0..100)),
            ("bytes=10-", Asked::Part(10..100)),
            ("bytes=99-", Asked::Part(99..100)),
            ("bytes=-1", Asked::Part(99..100)),
            ("bytes=-1000", Asked::Part(0..100)),
            ("Bytes = 5-9", Asked::Part(5..10)),
            ("bytes=0-99999999999999999999999", Asked::Part(0..100)),
            ("bytes=18446744073709551615-", Asked::Outside),
            ("bytes=99999999999999999999999-", Asked::Outside),
            ("bytes=100-", Asked::Outside),
            ("bytes=100-200", Asked::Outside),
            ("bytes=-0", Asked::Outside),
            ("bytes=9-5", Asked::All),
            ("bytes=0-1,3-4", Asked::All),
            ("bytes=-", Asked::All),
            ("bytes=", Asked::All),
            ("bytes=a-b", Asked::All),
            ("bytes=+1-2", Asked::All),
            ("bytes=0x1-2", Asked::All),
            ("bytes=1--2", Asked::All),
            ("items=0-1", Asked::All),
            ("", Asked::All),
        ] {
            assert_eq!(asked(header, 100), wanted, "{header}");
        }
    }

    #[test]
    fn nothing_has_no_bytes() {
        for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            assert_eq!(asked(header, 0), Asked::Outside, "{header}");
        }
        let all = asked("bytes=0-18446744073709551615", u64::MAX);
        assert_eq!(all, Asked::Part(0..u64::MAX));
    }

    #[test]
    fn answers_name_the_last_byte() {
        assert_eq!(content_range(Some(&(5..10)), 100), "bytes 5-9/100");
        assert_eq!(content_range(None, 100), "bytes */100");
    }
}
