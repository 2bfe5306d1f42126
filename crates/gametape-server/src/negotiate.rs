//! In which encoding an answer goes out: the header `Accept-Encoding` (RFC 9110, section 12.5.3).

/// How the bytes of an answer are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Smallest, understood by every current browser on a secure connection or on loopback.
    Brotli,
    /// Understood everywhere.
    Gzip,
    /// As they are.
    Identity,
}

impl Encoding {
    /// From the smallest.
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Identity];

    /// Its name in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }
}

/// The encoding that a client likes best of those that there are, and of several the smallest. Bytes as they
/// are where it likes none: an answer is better than none.
#[must_use]
pub fn best(accepted: Option<&str>, there: &[Encoding]) -> Encoding {
    let Some(accepted) = accepted else { return Encoding::Identity };
    let there = Encoding::ALL.into_iter().filter(|encoding| there.contains(encoding));
    let liked = there.map(|encoding| (quality(accepted, encoding), encoding));
    // Of equal ones the first is kept.
    let liked =
        liked.fold((0, Encoding::Identity), |best, one| if one.0 > best.0 { one } else { best });
    liked.1
}

/// How much a client likes an encoding, in thousandths.
fn quality(accepted: &str, encoding: Encoding) -> u16 {
    let rows = || accepted.split(',').map(row);
    let of = |wanted: &str| {
        rows().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, quality)| quality)
    };
    let named = match encoding {
        Encoding::Gzip => of("gzip").or_else(|| of("x-gzip")),
        encoding => of(encoding.name()),
    };
    // What is not named is accepted as it is, a little less than anything that is named.
    let unnamed = if encoding == Encoding::Identity { 1 } else { 0 };
    named.or_else(|| of("*")).unwrap_or(unnamed)
}

/// `gzip;q=0.5`
fn row(text: &str) -> (&str, u16) {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let quality = parts.find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case("q").then(|| thousandths(value.trim()))
    });
    (name, quality.unwrap_or(1000))
}

/// `0.5` as 500; 0 for what is no quality.
fn thousandths(text: &str) -> u16 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part = || format!("{part:0<3}").parse().unwrap_or(0);
    match whole {
        "1" if is_number => 1000,
        "0" if is_number => part(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_what_is_liked_best_is_chosen() {
        use Encoding::{Brotli, Gzip, Identity};
        for (accepted, wanted) in [
            ("gzip, deflate, br, zstd", Brotli),
            ("gzip, deflate", Gzip),
            ("x-gzip", Gzip),
            ("BR", Brotli),
            ("br;q=0.5, gzip;q=0.9", Gzip),
            ("br;q=0, gzip", Gzip),
            ("br;q=0, gzip;q=0", Identity),
            ("*", Brotli),
            ("*;q=0", Identity),
            ("identity", Identity),
            ("identity, gzip;q=0.5", Identity),
            ("gzip;q=0.001, identity;q=0", Gzip),
            ("", Identity),
            ("deflate", Identity),
            ("br;q=nonsense", Identity),
            ("br;q=2", Identity),
            ("br ; q = 0.3 , gzip ; q=0.30", Brotli),
            (",,;;q=,br", Brotli),
        ] {
            assert_eq!(best(Some(accepted), &Encoding::ALL), wanted, "{accepted}");
        }
        assert_eq!(best(None, &Encoding::ALL), Identity);
    }

    #[test]
    fn only_what_there_is_can_be_chosen() {
        assert_eq!(best(Some("br, gzip"), &[Encoding::Gzip, Encoding::Identity]), Encoding::Gzip);
        assert_eq!(best(Some("br, gzip"), &[Encoding::Identity]), Encoding::Identity);
    }
}
