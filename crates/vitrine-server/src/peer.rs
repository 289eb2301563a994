//! From where a request came.

use std::net::{IpAddr, Ipv6Addr};

/// The address a connection comes from; a request without one came from nowhere that can be trusted.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// Whether it is this very machine.
    pub(crate) fn is_loopback(self) -> bool {
        self.0.to_canonical().is_loopback()
    }

    /// What one subscriber has: a version 4 address, or 2^64 of version 6.
    pub(crate) fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
            version_4 @ IpAddr::V4(_) => version_4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_subscriber_count_together() {
        let network = |text: &str| Peer(text.parse().unwrap()).network();
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:3"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }
}
