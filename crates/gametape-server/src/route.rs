//! What a request is for, by its path.

use gametape_live::{MatchName, SegmentFile};
use gametape_wire::View;

use crate::link::decoded;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The address without the slash at its end, which relative links need.
    Redirect,
    /// A file of the viewer.
    Asset(String),
    /// The list of matches.
    Matches,
    /// A recording by number; its name is in the path for people who save it.
    Recording(usize, String),
    /// A picture of a recording.
    Picture(usize),
    /// Something live.
    Live(LiveRoute),
    /// Figures about the server.
    Metrics,
    /// Nothing, or the secret is wrong: a stranger cannot see which.
    Nothing,
}

/// What a path below `live` means: `spec/live.md`, section 14.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveRoute {
    /// The list of live matches.
    Matches,
    /// What the server speaks.
    Server,
    /// A WebSocket for a session.
    Session,
    /// A WebSocket that shares what a caster of a match shows.
    Cast(MatchName, String),
    /// A segment of a view.
    File(MatchName, View, SegmentFile),
}

impl LiveRoute {
    fn of(segments: &[&str]) -> Option<Self> {
        Some(match *segments {
            [] => Self::Session,
            ["matches.json"] => Self::Matches,
            ["server.json"] => Self::Server,
            [name, "cast", caster] => {
                // A caster is called as a match is.
                let caster: MatchName = caster.parse().ok()?;
                Self::Cast(name.parse().ok()?, caster.to_string())
            }
            [name, view, ref file @ ..] => {
                let view = View::new(u8::try_from(number(view)?).ok()?)?;
                Self::File(name.parse().ok()?, view, file.join("/").parse().ok()?)
            }
            _ => return None,
        })
    }
}

impl Route {
    /// What a path means where everything is below `/SECRET/`, or below `/` without a secret.
    ///
    /// Nothing is ever resolved: a path with an empty segment or with dots in it means nothing.
    #[must_use]
    pub fn of(path: &str, secret: Option<&str>) -> Self {
        let Some(path) = path.strip_prefix('/') else { return Self::Nothing };
        let inside = match (secret, path.split_once('/')) {
            (None, _) => path,
            (Some(secret), Some((first, rest))) if is_same(first, secret) => rest,
            (Some(secret), None) if is_same(path, secret) => return Self::Redirect,
            _ => return Self::Nothing,
        };
        Self::inside(inside).unwrap_or(Self::Nothing)
    }

    fn inside(path: &str) -> Option<Self> {
        let segments: Vec<&str> = path.split('/').collect();
        Some(match *segments {
            [""] => Self::Asset("index.html".to_owned()),
            ["matches.json"] => Self::Matches,
            ["metrics"] => Self::Metrics,
            ["live", ref rest @ ..] => Self::Live(LiveRoute::of(rest)?),
            [name] => Self::Asset(decoded(name)?),
            ["pictures", name] => Self::Picture(number(name.strip_suffix(".png")?)?),
            ["recordings", place, name] => Self::Recording(number(place)?, decoded(name)?),
            _ => Self::Nothing,
        })
    }
}

/// A number as we write it: one way for each.
fn number(text: &str) -> Option<usize> {
    let is_plain = text == "0" || !text.starts_with('0');
    let is_number = is_plain && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Are they the same? Takes as long however many bytes are right.
fn is_same(given: &str, secret: &str) -> bool {
    let difference = given.bytes().zip(secret.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == secret.len() && std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_below_the_secret() {
        let route = |path| Route::of(path, Some("s3cret"));
        assert_eq!(route("/s3cret"), Route::Redirect);
        assert_eq!(route("/s3cret/"), Route::Asset("index.html".into()));
        assert_eq!(route("/s3cret/app.js"), Route::Asset("app.js".into()));
        assert_eq!(route("/s3cret/matches.json"), Route::Matches);
        assert_eq!(
            route("/s3cret/recordings/12/a%20b.tape"),
            Route::Recording(12, "a b.tape".into())
        );
        assert_eq!(route("/s3cret/pictures/0.png"), Route::Picture(0));
        for path in
            ["/", "", "/app.js", "/s3cre/", "/s3crets/", "/S3CRET/", "/x/../s3cret/", "//s3cret/"]
        {
            assert_eq!(route(path), Route::Nothing, "{path}");
        }
    }

    #[test]
    fn without_a_secret_it_is_below_the_root() {
        assert_eq!(Route::of("/", None), Route::Asset("index.html".into()));
        assert_eq!(Route::of("/matches.json", None), Route::Matches);
    }

    #[test]
    fn what_is_live_has_a_path() {
        let name: MatchName = "m-1".parse().unwrap();
        let file = |file| Route::Live(LiveRoute::File(name.clone(), View::new(2).unwrap(), file));
        assert_eq!(Route::of("/live", None), Route::Live(LiveRoute::Session));
        assert_eq!(Route::of("/live/matches.json", None), Route::Live(LiveRoute::Matches));
        assert_eq!(Route::of("/live/m-1/2/now", None), file(SegmentFile::Now));
        assert_eq!(Route::of("/live/m-1/2/delta/17", None), file(SegmentFile::Delta(17)));
        assert_eq!(Route::of("/live/m-1/2/keyframe/0", None), file(SegmentFile::Keyframe(0)));
        assert_eq!(Route::of("/live/m-1/2/entry", None), file(SegmentFile::Entry));
        let cast = Route::Live(LiveRoute::Cast(name, "Eve".into()));
        assert_eq!(Route::of("/live/m-1/cast/Eve", None), cast);
        assert_eq!(Route::of("/metrics", None), Route::Metrics);
        for path in [
            "/live/",
            "/live/m-1",
            "/live/m-1/",
            "/live/m-1/2",
            "/live/m-1/16/now",
            "/live/m-1/02/now",
            "/live/m-1/-1/now",
            "/live/m-1/2/delta",
            "/live/m-1/2/delta/-1",
            "/live/m-1/2/delta/01",
            "/live/m-1/2/delta/1/",
            "/live/m-1/2/delta/99999999999999999999",
            "/live/../2/now",
            "/live/m%2d1/2/now",
            "/live/m-1/2/../1/now",
            "/live/m-1/cast/",
            "/live/m-1/cast/a%20b",
            "/live//2/now",
        ] {
            assert_eq!(Route::of(path, None), Route::Nothing, "{path}");
        }
    }

    #[test]
    fn tricks_mean_nothing() {
        for path in [
            "/recordings/0",
            "/recordings/0/",
            "/recordings/0/a/b",
            "/recordings/00/a",
            "/recordings/+1/a",
            "/recordings/-1/a",
            "/recordings/1e3/a",
            "/recordings/99999999999999999999999/a",
            "/recordings/../a",
            "/recordings/0/..%2f..%2fetc%2fpasswd/x",
            "/recordings/0/%",
            "/recordings/0/%zz",
            "/recordings/0/%ff",
            "/recordings//0/a",
            "/pictures/0",
            "/pictures/0.PNG",
            "/pictures/.png",
            "/pictures/0.png/",
            "/a/b",
            "//",
            "/../index.html",
        ] {
            assert_eq!(Route::of(path, None), Route::Nothing, "{path}");
        }
        // These name assets that are not there: names are compared with a table, never looked up in a folder.
        for path in ["/..", "/.", "/%2e%2e", "/..%2f..%2fetc%2fpasswd", "/..\\..\\x"] {
            assert!(matches!(Route::of(path, None), Route::Asset(_)), "{path}");
        }
    }
}
