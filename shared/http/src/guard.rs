//! Restricts page requests to the public internet. Names are resolved here, and connections use exactly the
//! checked addresses, so DNS rebinding has no effect.

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use thiserror::Error;
use url::{Host, Url};

const HTTPS: u16 = 443;

#[async_trait]
pub trait Names: Send + Sync {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

#[derive(Clone, Copy, Debug)]
pub struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, HTTPS)).await?.collect())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unreachable {
    /// One of its addresses isn't allowed.
    #[error("an inward address")]
    Inward,
    #[error("no such host")]
    NoSuchHost,
}

#[derive(Clone)]
pub struct Guard {
    names: Arc<dyn Names>,
    admits: Rule,
}

/// Whether a connection to an address is allowed.
pub type Rule = Arc<dyn Fn(SocketAddr) -> bool + Send + Sync>;

impl Guard {
    pub fn public() -> Self {
        Self::new(
            Arc::new(SystemNames),
            Arc::new(|address| is_public(address.ip())),
        )
    }

    /// A custom rule and resolver, for tests. No setting may widen what `public` allows.
    pub fn new(names: Arc<dyn Names>, admits: Rule) -> Self {
        Self { names, admits }
    }

    /// The addresses of a host name or literal, if all of them are allowed.
    pub async fn addresses(&self, host: &str) -> Result<Vec<SocketAddr>, Unreachable> {
        let found = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, HTTPS)],
            Err(_) => self.names.addresses(host).await.unwrap_or_default(),
        };
        if found.is_empty() {
            return Err(Unreachable::NoSuchHost);
        }
        // One internal address is enough to refuse: the client chooses which address to use.
        let is_allowed = found.iter().all(|address| (self.admits)(*address));
        is_allowed.then_some(found).ok_or(Unreachable::Inward)
    }

    /// Checks a literal address, for which no name is resolved.
    pub fn check_literal(&self, url: &Url) -> Result<(), Unreachable> {
        let ip: IpAddr = match url.host() {
            Some(Host::Ipv4(ip)) => ip.into(),
            Some(Host::Ipv6(ip)) => ip.into(),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(Unreachable::NoSuchHost),
        };
        let is_allowed = (self.admits)(SocketAddr::new(ip, url.port().unwrap_or(HTTPS)));
        is_allowed.then_some(()).ok_or(Unreachable::Inward)
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let found = guard.addresses(name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is on the public internet (IANA's registries of special-purpose addresses).
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// Private, shared, local, reserved, documentation and multicast networks. The last one is Azure's internal service.
const INWARD_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let within = |(network, bits): &(Ipv4Addr, u32)| {
        let mask = u32::MAX << (32 - bits);
        ip.to_bits() & mask == network.to_bits()
    };
    !INWARD_V4.iter().any(within)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let inner = || {
        let bits = u32::from(g) << 16 | u32::from(h);
        is_public_v4(Ipv4Addr::from_bits(bits))
    };
    match (a, b) {
        // IPv4-mapped addresses and NAT64: the inner address decides.
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0xffff) => inner(),
        (0x64, 0xff9b) if (c, d, e, f) == (0, 0, 0, 0) => inner(),
        // Protocol assignments including Teredo, two documentation ranges, 6to4.
        (0x2001, ..0x200) | (0x2001, 0xdb8) | (0x2002, _) => false,
        (0x3fff, ..0x1000) => false,
        // All allocated global addresses are in this range.
        (0x2000..=0x3fff, _) => true,
        _ => false,
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
