//! Whose name a request was sent to: the header `Host`.
//!
//! A page of a stranger can let its own name mean this machine, and then ask as if it were ours (DNS rebinding).
//! So a request is answered only if it was sent to an address, to `localhost`, or to a name that was allowed.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Is this host an address, `localhost`, or one of the names? The port does not matter: it may be forwarded.
#[must_use]
pub fn is_allowed(host: &str, names: &[String]) -> bool {
    let Some(name) = without_port(host) else { return false };
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_v6 = || {
        let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        inside.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok()
        || is_v6()
        || names.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
}

/// Is an `Origin` that of the server that a request was sent to? Whether with TLS or without does not matter: it may be
/// added by somebody between.
#[must_use]
pub fn is_own_origin(origin: &str, host: &str) -> bool {
    let schemes = ["http://", "https://"];
    let authority = schemes.iter().find_map(|scheme| origin.strip_prefix(scheme));
    authority.is_some_and(|authority| !host.is_empty() && authority.eq_ignore_ascii_case(host))
}

/// `None` if what is after the name is no port.
fn without_port(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') {
        host.find(']')? + 1
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at(end);
    let is_port = match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
    };
    is_port.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_allowed_names_are_answered() {
        let names = ["matches.example".to_owned()];
        for host in [
            "127.0.0.1:8080",
            "127.0.0.1",
            "localhost:1",
            "LocalHost",
            "localhost.:80",
            "[::1]:8080",
            "[::1]",
            "192.168.1.20:8080",
            "matches.example:80",
            "MATCHES.example",
        ] {
            assert!(is_allowed(host, &names), "{host}");
        }
    }

    #[test]
    fn an_origin_is_ours_or_not() {
        assert!(is_own_origin("http://127.0.0.1:8080", "127.0.0.1:8080"));
        assert!(is_own_origin("https://Matches.example", "matches.example"));
        for origin in
            ["null", "", "http://", "http://127.0.0.1", "ws://127.0.0.1:8080", "127.0.0.1:8080"]
        {
            assert!(!is_own_origin(origin, "127.0.0.1:8080"), "{origin}");
        }
        assert!(!is_own_origin("http://", ""));
    }

    #[test]
    fn other_names_are_not() {
        for host in [
            "",
            ":80",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:80@evil.example",
            "evil.example#127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "[::1",
            "[evil]:80",
            "::1",
            "127.0.0.1:80:80",
            " 127.0.0.1",
        ] {
            assert!(!is_allowed(host, &[]), "{host}");
        }
    }
}
