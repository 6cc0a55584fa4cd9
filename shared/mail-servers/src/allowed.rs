//! Limits connections: people name the servers, so the administrator decides which are allowed.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MAIL_SERVERS;
use alfred_http::{Guard, SystemNames, Unreachable};
use std::net::IpAddr;
use std::sync::Arc;

const PUBLIC: &str = "public";

#[derive(Clone)]
pub struct Allowed {
    public: Option<Guard>,
    /// Allowed at any address and port.
    hosts: Vec<String>,
}

impl Allowed {
    /// `None` without the setting: nobody can connect. `Invalid` for a word that is neither `public` nor a
    /// host name.
    pub fn from_settings(
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, ConfigError> {
        let Some(setting) = lookup(ALFRED_MAIL_SERVERS) else {
            return Ok(None);
        };
        let words = setting.split(',').map(|word| word.trim().to_lowercase());
        let (public, hosts): (Vec<String>, Vec<String>) = words.partition(|word| word == PUBLIC);
        if let Some(wrong) = hosts.iter().find(|host| !is_host(host)) {
            let reason = format!("\u{201c}{wrong}\u{201d} is neither `public` nor a host's name");
            return Err(ConfigError::invalid(ALFRED_MAIL_SERVERS, reason));
        }
        let guard = (!public.is_empty()).then(Guard::public);
        Ok(Some(Self::new(guard, hosts)))
    }

    /// Allows what the guard allows, and these hosts.
    pub fn new(public: Option<Guard>, hosts: Vec<String>) -> Self {
        Self { public, hosts }
    }

    pub(crate) fn names(&self, host: &str) -> bool {
        self.hosts.iter().any(|named| named == host)
    }

    /// The only addresses to connect to, so DNS rebinding has no effect.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, Unreachable> {
        let found = match (&self.public, self.names(host)) {
            (_, true) => {
                let anywhere = Guard::new(Arc::new(SystemNames), Arc::new(|_| true));
                anywhere.addresses(host).await?
            }
            (Some(public), false) => public.addresses(host).await?,
            (None, false) => return Err(Unreachable::Inward),
        };
        Ok(found.into_iter().map(|address| address.ip()).collect())
    }
}

pub(crate) fn is_host(host: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    !host.is_empty() && host.len() <= 253 && host.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_who_may_be_connected() {
        let read = |setting: Option<&str>| {
            let allowed = Allowed::from_settings(|_| setting.map(str::to_owned));
            allowed.map(|found| found.map(|one| (one.public.is_some(), one.hosts)))
        };
        assert_eq!(read(None).unwrap(), None);
        for (setting, public, hosts) in [
            ("public", true, &[][..]),
            ("mail.corp.example", false, &["mail.corp.example"]),
            (" Public, Mail.corp.example", true, &["mail.corp.example"]),
        ] {
            let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            assert_eq!(read(Some(setting)).unwrap(), Some((public, hosts)));
        }
        for wrong in ["https://mail.corp.example", "public,", "a b"] {
            let error = read(Some(wrong)).unwrap_err().to_string();
            assert!(error.contains("ALFRED_MAIL_SERVERS"), "{error}");
        }
    }
}
