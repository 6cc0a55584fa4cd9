//! Filters results by domain: providers have returned domains that they were told to leave out.

use alfred_core::ports::Domains;
use url::{Host, Url};

/// Normalised domains.
#[derive(Debug)]
pub(super) struct Filter {
    /// What is sent to a provider.
    pub wanted: Domains,
    /// Whether only allowed domains count. Names that are no domains allow nothing.
    restricted: bool,
}

impl Filter {
    pub fn new(domains: &Domains) -> Self {
        let all = |names: &[String]| names.iter().filter_map(|name| domain(name)).collect();
        Self {
            wanted: Domains {
                allowed: all(&domains.allowed),
                blocked: all(&domains.blocked),
            },
            restricted: !domains.allowed.is_empty(),
        }
    }

    pub fn admits_none(&self) -> bool {
        self.restricted && self.wanted.allowed.is_empty()
    }

    /// Whether a URL is a web page on a wanted site.
    pub fn admits(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else {
            return false;
        };
        let (Some(host), true) = (url.host(), matches!(url.scheme(), "http" | "https")) else {
            return false;
        };
        let name = match host {
            Host::Domain(name) => name.trim_end_matches('.').to_owned(),
            number @ (Host::Ipv4(_) | Host::Ipv6(_)) => number.to_string(),
        };
        let among = |domains: &[String]| domains.iter().any(|domain| is_part_of(&name, domain));
        !among(&self.wanted.blocked) && (!self.restricted || among(&self.wanted.allowed))
    }
}

/// Whether a host is the domain or below it: `www.example.com` is part of `example.com`, `notexample.com`
/// isn't.
fn is_part_of(host: &str, domain: &str) -> bool {
    let before = host.strip_suffix(domain);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Normalises a domain, which may be written as a URL or with a wildcard.
fn domain(written: &str) -> Option<String> {
    let written = written.trim().trim_start_matches("*.").trim_matches('.');
    let url = if written.contains("://") {
        Url::parse(written)
    } else {
        Url::parse(&format!("https://{written}"))
    };
    let host = url.ok()?.host_str()?.trim_end_matches('.').to_owned();
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(allowed: &[&str], blocked: &[&str]) -> Filter {
        let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Filter::new(&Domains {
            allowed: all(allowed),
            blocked: all(blocked),
        })
    }

    #[test]
    fn a_domain_stands_for_what_is_below_it_and_for_nothing_else() {
        let only = filter(&["example.com", "BÜCHER.example"], &["*.ads.example.com"]);
        let wanted = "https://example.com/a http://www.example.com https://EXAMPLE.com.:443/ https://bücher.example";
        for url in wanted.split(' ') {
            assert!(only.admits(url), "{url}");
        }
        let foreign = "https://notexample.com https://example.com.evil.test https://example.com@evil.test/ \
            https://evil.test/?q=example.com https://evil.test\\.example.com https://ads.example.com/x \
            https://a.ads.example.com/x ftp://example.com javascript:example.com nothing";
        for url in foreign.split(' ') {
            assert!(!only.admits(url), "{url}");
        }
        let written = filter(&["https://www.example.com/path"], &[]);
        assert!(written.admits("https://www.example.com/other"));
        assert!(!written.admits("https://example.com"));
    }

    #[test]
    fn without_a_wish_all_of_the_web_counts_and_with_a_bad_one_nothing() {
        assert!(filter(&[], &[]).admits("https://example.com"));
        assert!(!filter(&[], &["example.com"]).admits("https://example.com"));
        let bad = filter(&["", "///"], &[]);
        assert!(bad.admits_none() && !bad.admits("https://example.com"));
    }
}
