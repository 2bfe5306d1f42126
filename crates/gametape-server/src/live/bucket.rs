//! How often an address may ask: a bucket of tokens for each.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// Addresses that are remembered; with more the fullest buckets, which say nothing, are forgotten.
const MOST: usize = 1 << 16;

/// Buckets of tokens, one for each address. Each request takes tokens, which come back with time.
#[derive(Debug)]
pub(crate) struct Buckets {
    /// Tokens a second.
    rate: f64,
    /// Tokens of a full bucket.
    most: f64,
    levels: HashMap<IpAddr, Level>,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    tokens: f64,
    at: Duration,
}

impl Buckets {
    /// With this many tokens a second, and at most this many at once; a rate of 0 is no limit.
    pub(crate) fn new(rate: u32, most: u32) -> Self {
        Self { rate: rate.into(), most: most.into(), levels: HashMap::new() }
    }

    /// Takes tokens of an address; false where there are too few.
    pub(crate) fn take(&mut self, address: IpAddr, tokens: u32, now: Duration) -> bool {
        if self.rate == 0.0 {
            return true;
        }
        if self.levels.len() >= MOST {
            self.forget_full(now);
        }
        let (rate, most) = (self.rate, self.most);
        let level = self.levels.entry(network(address)).or_insert(Level { tokens: most, at: now });
        level.tokens = level.after(rate, most, now);
        level.at = now;
        let is_enough = level.tokens >= f64::from(tokens);
        if is_enough {
            level.tokens -= f64::from(tokens);
        }
        is_enough
    }

    fn forget_full(&mut self, now: Duration) {
        let (rate, most) = (self.rate, self.most);
        self.levels.retain(|_, level| level.after(rate, most, now) < most);
        if self.levels.len() >= MOST {
            self.levels.clear();
        }
    }
}

/// Tokens of one session: each message takes one. Who has none left is not heard until one has come back.
#[derive(Debug)]
pub(crate) struct Allowance {
    rate: f64,
    most: f64,
    level: Level,
}

impl Allowance {
    /// With this many tokens a second, and at most this many at once.
    pub(crate) fn new(rate: u32, most: u32, now: Duration) -> Self {
        let (rate, most) = (rate.into(), most.into());
        Self { rate, most, level: Level { tokens: most, at: now } }
    }

    /// Takes a token.
    pub(crate) fn take(&mut self, now: Duration) {
        let tokens = self.level.after(self.rate, self.most, now) - 1.0;
        self.level = Level { tokens, at: now };
    }

    /// How long it takes until there is a token; no time where there is one.
    pub(crate) fn wait(&self, now: Duration) -> Duration {
        let lacks = 1.0 - self.level.after(self.rate, self.most, now);
        Duration::from_secs_f64((lacks / self.rate).max(0.0))
    }
}

impl Level {
    fn after(&self, rate: f64, most: f64, now: Duration) -> f64 {
        (self.tokens + now.saturating_sub(self.at).as_secs_f64() * rate).min(most)
    }
}

/// Whoever has one address of IPv6 has the other 2⁶⁴ of its network, too.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.into(),
            None => Ipv6Addr::from(u128::from(address) & !u128::from(u64::MAX)).into(),
        },
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_with_time_and_addresses_do_not_share_them() {
        let mut buckets = Buckets::new(10, 3);
        let (one, other) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        let start = Duration::from_secs(5);
        assert!((0..3).all(|_| buckets.take(one, 1, start)));
        assert!(!buckets.take(one, 1, start) && buckets.take(other, 3, start));
        assert!(!buckets.take(one, 1, start + Duration::from_millis(99)));
        assert!(buckets.take(one, 1, start + Duration::from_millis(201)));
        assert!(!buckets.take(one, 4, start + Duration::from_secs(1000)), "a bucket has an end");
    }

    #[test]
    fn a_session_waits_for_its_next_token() {
        let start = Duration::from_secs(5);
        let mut allowance = Allowance::new(10, 2, start);
        for _ in 0..2 {
            assert_eq!(allowance.wait(start), Duration::ZERO);
            allowance.take(start);
        }
        assert_eq!(allowance.wait(start), Duration::from_millis(100));
        let later = start + Duration::from_millis(75);
        assert_eq!(allowance.wait(later), Duration::from_millis(25));
        allowance.take(start + Duration::from_millis(100));
        assert_eq!(allowance.wait(start + Duration::from_millis(100)), Duration::from_millis(100));
        assert_eq!(allowance.wait(start + Duration::from_secs(100)), Duration::ZERO);
    }

    #[test]
    fn no_rate_is_no_limit_and_a_network_is_one_address() {
        let mut none = Buckets::new(0, 0);
        assert!(none.take([10, 0, 0, 1].into(), 1000, Duration::ZERO));
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(network(address("2001:db8::1")), network(address("2001:db8::ffff:1")));
        assert_ne!(network(address("2001:db8::1")), network(address("2001:db8:0:1::1")));
        assert_eq!(network(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }

    #[test]
    fn many_addresses_cost_no_more_than_a_few() {
        let mut buckets = Buckets::new(1, 2);
        for number in 0..(MOST as u32 * 2) {
            assert!(buckets.take(std::net::Ipv4Addr::from(number).into(), 1, Duration::ZERO));
        }
        assert!(buckets.levels.len() <= MOST);
    }
}
