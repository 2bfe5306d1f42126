//! Addresses of servers, as people write them. Normative: `spec/live.md`, section 14.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use gametape_live::MatchName;
use gametape_wire::{Error, ErrorKind, Result};

/// What carries messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// Streams and datagrams.
    Quic,
    /// A WebSocket.
    WebSocket,
    /// Files over HTTP.
    Segments,
    /// A bus between servers.
    Bus,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quic => "QUIC",
            Self::WebSocket => "WebSocket",
            Self::Segments => "segments",
            Self::Bus => "bus",
        })
    }
}

/// The address of a server: where it is, and which transports to try.
///
/// ```
/// use gametape_net::{Address, Transport};
///
/// let address: Address = "https://live.example:7000/arena/".parse()?;
/// assert_eq!((address.host(), address.port(), address.is_secure()), ("live.example", 7000, true));
/// assert_eq!(address.path("live"), "/arena/live");
/// let all = [Transport::Quic, Transport::WebSocket, Transport::Segments];
/// assert_eq!(address.transports(), all);
///
/// let address: Address = "ws://[::1]:7000/live?match=finals".parse()?;
/// assert_eq!((address.host(), address.path("live")), ("::1", "/live".to_owned()));
/// assert_eq!(address.name().map(|name| name.as_str()), Some("finals"));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    host: String,
    port: u16,
    /// The path of the base, which begins and ends with a slash.
    base: String,
    name: Option<MatchName>,
    /// A file with credentials of a bus.
    credentials: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
    Ws,
    Wss,
    Quic,
    /// A bus: the host is the whole text.
    Bus,
}

/// How addresses of a bus begin.
const BUSES: [&str; 2] = ["nats://", "tls://"];

const SCHEMES: [(&str, Scheme); 5] = [
    ("https://", Scheme::Https),
    ("http://", Scheme::Http),
    ("wss://", Scheme::Wss),
    ("ws://", Scheme::Ws),
    ("quic://", Scheme::Quic),
];

/// Nobody writes a longer one.
const LONGEST: usize = 2048;

impl Address {
    /// The addresses of a bus, with the credentials in them, where it is one. Publishers use it; who watches never does.
    pub(crate) fn bus(&self) -> Option<&str> {
        (self.scheme == Scheme::Bus).then_some(&*self.host)
    }

    /// The same with a file of credentials (`.creds`), for a bus that wants them.
    #[must_use]
    pub fn with_credentials(self, file: Option<PathBuf>) -> Self {
        Self { credentials: file, ..self }
    }

    pub(crate) fn credentials(&self) -> Option<PathBuf> {
        self.credentials.clone()
    }

    /// Is it written as the address of a live server?
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        SCHEMES.iter().any(|(start, _)| text.starts_with(start))
    }

    /// The name or number of the machine.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, of TCP and of UDP.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Is everything over TLS?
    #[must_use]
    pub fn is_secure(&self) -> bool {
        matches!(self.scheme, Scheme::Https | Scheme::Wss | Scheme::Quic)
    }

    /// The match that the address names.
    #[must_use]
    pub fn name(&self) -> Option<&MatchName> {
        self.name.as_ref()
    }

    /// The path of something below the base.
    #[must_use]
    pub fn path(&self, below: &str) -> String {
        format!("{}{below}", self.base)
    }

    /// Host and port, as in a URL.
    #[must_use]
    pub fn authority(&self) -> String {
        let is_v6 = self.host.contains(':');
        if is_v6 {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The transports to try, one after the other.
    #[must_use]
    pub fn transports(&self) -> &'static [Transport] {
        match self.scheme {
            Scheme::Http | Scheme::Https => {
                &[Transport::Quic, Transport::WebSocket, Transport::Segments]
            }
            Scheme::Ws | Scheme::Wss => &[Transport::WebSocket],
            Scheme::Quic => &[Transport::Quic],
            Scheme::Bus => &[Transport::Bus],
        }
    }
}

fn bad(problem: &'static str) -> Error {
    Error::at(0, "address", ErrorKind::BadSyntax { problem: problem.into() })
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if BUSES.iter().any(|start| text.starts_with(start)) && text.len() <= LONGEST {
            let (host, base) = (text.to_owned(), "/".to_owned());
            let (scheme, name, credentials) = (Scheme::Bus, None, None);
            return Ok(Self { scheme, host, port: 4222, base, name, credentials });
        }
        let known =
            SCHEMES.iter().find_map(|(start, scheme)| Some((*scheme, text.strip_prefix(start)?)));
        let (scheme, rest) = known.ok_or_else(|| {
            bad("it begins with http://, https://, ws://, wss://, quic:// or nats://")
        })?;
        let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '#');
        if text.len() > LONGEST || !rest.chars().all(is_plain) {
            return Err(bad("it has letters that no address has, or too many"));
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = split_authority(authority, scheme)?;
        let base = path.strip_suffix("/live").unwrap_or(path).trim_end_matches('/');
        let name = query.split('&').find_map(|pair| pair.strip_prefix("match="));
        let name = name.map(str::parse).transpose()?;
        let base = format!("{base}/");
        Ok(Self { scheme, host, port, base, name, credentials: None })
    }
}

/// Host and port of `host:port`, `[v6]:port`, or without a port that of the scheme.
fn split_authority(authority: &str, scheme: Scheme) -> Result<(String, u16)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or_else(|| bad("no ] after ["))?;
            (host, after.strip_prefix(':'))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    if host.is_empty() || host.contains('@') {
        return Err(bad("it names no host"));
    }
    let usual = match scheme {
        Scheme::Http | Scheme::Ws => 80,
        Scheme::Https | Scheme::Wss | Scheme::Quic => 443,
        Scheme::Bus => 4222,
    };
    let port = port.map_or(Ok(usual), str::parse).map_err(|_| bad("its port is no number"))?;
    Ok((host.to_owned(), port))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(buses) = self.bus() {
            // Credentials are not for others to read.
            let host = |bus: &str| {
                let (start, rest) = bus.split_once("://").unwrap_or(("nats", bus));
                let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                format!("{start}://{host}")
            };
            return f.write_str(&buses.split(',').map(host).collect::<Vec<_>>().join(","));
        }
        let start = SCHEMES.iter().find(|(_, scheme)| *scheme == self.scheme);
        let start = start.map_or("", |(start, _)| start);
        write!(f, "{start}{}{}", self.authority(), self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "live",
            "ftp://host/",
            "http://",
            "http://:80",
            "http://host:99999",
            "ws://[::1",
            "http://a b/",
            "http://user@host/",
            "http://host/?match=a/b",
            "http://host/#live",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
        assert!(format!("http://{}", "a".repeat(3000)).parse::<Address>().is_err());
    }

    #[test]
    fn a_bus_is_no_server_and_its_credentials_are_not_shown() {
        let text = "nats://me:secret@a:4222,tls://b";
        assert!(!Address::is_one(text), "nobody watches a bus");
        let address: Address = text.parse().unwrap();
        assert_eq!((address.bus(), address.transports()), (Some(text), &[Transport::Bus][..]));
        assert_eq!(address.to_string(), "nats://a:4222,tls://b");
        assert_eq!("ws://host/".parse::<Address>().unwrap().bus(), None);
    }

    #[test]
    fn ports_and_paths_have_defaults() {
        let address: Address = "wss://host".parse().unwrap();
        assert_eq!((address.port(), address.path("live")), (443, "/live".to_owned()));
        assert_eq!(address.transports(), [Transport::WebSocket]);
        let address: Address = "quic://host:7000".parse().unwrap();
        assert_eq!(address.transports(), [Transport::Quic]);
        let address: Address = "http://host/a/live/".parse().unwrap();
        assert_eq!(address.path("live"), "/a/live/live", "a slash names a folder");
        assert_eq!("ws://[::1]/".parse::<Address>().unwrap().to_string(), "ws://[::1]:80/");
    }
}
