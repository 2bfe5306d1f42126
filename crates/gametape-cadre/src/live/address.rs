//! Where a game is played.

use std::fmt;
use std::str::FromStr;

use gametape_wire::{Error, Result};

use super::Request;

/// A game of a server: `tcp://HOST:PORT/GAME`, or `tcp://HOST:PORT/GAME/SESSION`.
///
/// ```
/// use gametape_cadre::GameAddress;
///
/// let address: GameAddress = "tcp://localhost:3000/Chess/finals".parse().unwrap();
/// assert_eq!((&*address.host, &*address.request.session), ("localhost:3000", "finals"));
/// assert_eq!("[::1]:3000/Chess".parse::<GameAddress>().unwrap().request.session, "*");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameAddress {
    /// The server, `HOST:PORT`.
    pub host: String,
    /// The game; without a session any that is open.
    pub request: Request,
}

impl FromStr for GameAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.strip_prefix("tcp://").unwrap_or(text).split('/').collect();
        let (host, game, session) = match parts[..] {
            [host, game] => (host, game, "*"),
            [host, game, session] => (host, game, session),
            _ => ("", "", ""),
        };
        if [host, game, session].contains(&"") || !host.contains(':') {
            let problem =
                "the address of a game is tcp://HOST:PORT/GAME or tcp://HOST:PORT/GAME/SESSION";
            return Err(Error::misuse("game", problem));
        }
        Ok(Self { host: host.to_owned(), request: Request::new(game, session) })
    }
}

impl fmt::Display for GameAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tcp://{}/{}/{}", self.host, self.request.game, self.request.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_of_a_game_is_refused() {
        for text in ["", "host", "host:1", "host:1/", "host/Chess", "host:1/a/b/c", ":/", "tcp://"]
        {
            assert!(text.parse::<GameAddress>().is_err(), "{text}");
        }
        let address: GameAddress = "localhost:3000/Chess".parse().unwrap();
        assert_eq!(address.to_string().parse(), Ok(address));
    }
}
