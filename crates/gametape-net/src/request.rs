//! A Join in the request that opens a connection. Normative: `spec/live.md`, section 14.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gametape_live::Shared;

use crate::link::PROTOCOL;

/// The subprotocol with which a server says that it took the Join of a request.
pub const JOINED: &str = "gametape-live-1-join";
/// How the subprotocol begins that is a Join.
const JOIN: &str = "join-";
/// The parameter of an address that is a Join.
const PARAMETER: &str = "join=";
/// No Join is longer as text.
const LONGEST: usize = 2048;

fn text_of(join: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(join)
}

/// The message that a text means; an empty one, which nobody understands, where it is none.
fn message_in(text: &str) -> Shared {
    let bytes = if text.len() > LONGEST { None } else { URL_SAFE_NO_PAD.decode(text).ok() };
    bytes.unwrap_or_default().into()
}

/// The subprotocols that a WebSocket offers to join with its request.
///
/// ```
/// use gametape_net::request::{join_in_protocols, protocols};
///
/// let offered = protocols(&[3, 1]);
/// assert_eq!(offered, "gametape-live-1, gametape-live-1-join, join-AwE");
/// let tokens = offered.split(", ");
/// assert_eq!(join_in_protocols(tokens).as_deref(), Some(&[3, 1][..]));
/// assert_eq!(join_in_protocols(["gametape-live-1"]), None);
/// ```
#[must_use]
pub fn protocols(join: &[u8]) -> String {
    format!("{PROTOCOL}, {JOINED}, {JOIN}{}", text_of(join))
}

/// The Join among the subprotocols that a WebSocket offers; an empty message where it cannot be read.
pub fn join_in_protocols<'a>(offered: impl IntoIterator<Item = &'a str>) -> Option<Shared> {
    let (mut is_asked, mut join) = (false, None);
    for protocol in offered {
        is_asked |= protocol == JOINED;
        join = join.or_else(|| protocol.strip_prefix(JOIN).map(message_in));
    }
    join.filter(|_| is_asked)
}

/// The query of an address of WebTransport that joins with its request.
///
/// ```
/// use gametape_net::request::{join_in_query, query};
///
/// assert_eq!(query(&[3, 1]), "join=AwE");
/// assert_eq!(join_in_query("a=b&join=AwE").as_deref(), Some(&[3, 1][..]));
/// assert_eq!(join_in_query("join=!").as_deref(), Some(&[][..]));
/// assert_eq!(join_in_query("joined=AwE"), None);
/// ```
#[must_use]
pub fn query(join: &[u8]) -> String {
    format!("{PARAMETER}{}", text_of(join))
}

/// The Join in the query of an address; an empty message where it cannot be read.
#[must_use]
pub fn join_in_query(query: &str) -> Option<Shared> {
    query.split('&').find_map(|pair| pair.strip_prefix(PARAMETER)).map(message_in)
}

#[cfg(test)]
mod tests {
    use gametape_live::{Join, Message};
    use gametape_wire::{View, ViewSet};

    use super::*;

    const SPEC: &str = include_str!("../../../spec/live.md");

    #[test]
    fn a_join_has_the_text_of_the_specification() {
        let text = SPEC.split("```text join\n").nth(1).unwrap().lines().next().unwrap();
        let views: ViewSet = View::new(2).into_iter().collect();
        let join = Message::Join(Join::new("m1".parse().unwrap(), views)).to_bytes();
        assert_eq!(query(&join), format!("join={text}"));
        assert_eq!(join_in_query(&format!("join={text}")), Some(join.clone()));
        let offered = protocols(&join);
        assert_eq!(offered, format!("gametape-live-1, gametape-live-1-join, join-{text}"));
        assert_eq!(join_in_protocols(offered.split(", ")), Some(join));
    }

    #[test]
    fn what_is_no_join_is_an_empty_message_and_what_is_not_asked_for_is_none() {
        let long = "A".repeat(LONGEST + 4);
        for text in ["", "=", "AwE=", "A", "\u{e9}", &long] {
            assert_eq!(join_in_query(&format!("join={text}")), Some(Shared::from([])), "{text}");
            let offered = format!("join-{text}");
            assert_eq!(join_in_protocols([JOINED, &offered]), Some(Shared::from([])), "{text}");
            assert_eq!(join_in_protocols([PROTOCOL, &offered]), None, "it was not asked for");
        }
        assert_eq!(join_in_protocols([PROTOCOL, JOINED]), None);
    }

    #[test]
    fn the_longest_join_fits() {
        let views = ViewSet::ALL;
        let mut join = Join::new("m".repeat(64).parse().unwrap(), views);
        join.pass = vec![7; 512];
        join.lacks = views.iter().map(|view| (view, [1 << 48; 7])).collect();
        let join = Message::Join(join).to_bytes();
        assert_eq!(join_in_query(&query(&join)), Some(join));
    }
}
