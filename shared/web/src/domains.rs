//! Filters results by domain: providers have returned domains that they were told to leave out.

use alfred_core::ports::Domains;
use url::Url;

#[derive(Debug)]
pub(super) struct Filter {
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
        let url = Url::parse(url).ok();
        let page = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(host) = page.as_ref().and_then(Url::host_str) else {
            return false;
        };
        let name = host.trim_end_matches('.');
        let among = |domains: &[String]| domains.iter().any(|domain| is_part_of(name, domain));
        !among(&self.wanted.blocked) && (!self.restricted || among(&self.wanted.allowed))
    }
}

/// Whether a host is the domain or below it: `www.example.com` is part of `example.com`, `notexample.com` isn't.
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
