//! The differences between providers as data, so the consent code is shared.

use alfred_core::ports::{AccountService, Provider};
use std::collections::BTreeSet;

/// Where and how a provider asks for consent.
#[derive(Clone, Debug)]
pub struct OAuthProvider {
    pub provider: Provider,
    pub consent: String,
    /// Exchanges codes and refresh tokens.
    pub token: String,
    /// Ends a consent. `None` if the provider has no way.
    pub revoke: Option<String>,
    /// Settings of the client: id, secret, redirect URI.
    pub settings: [&'static str; 3],
    pub scope_of: fn(AccountService) -> &'static [&'static str],
    /// Scopes without which a service works in part.
    pub optional: &'static [&'static str],
    /// Scopes of every consent: identity and a refresh token.
    pub always: &'static [&'static str],
    pub link: &'static [(&'static str, &'static str)],
    /// Prefix that scopes may have in an answer.
    pub prefix: &'static str,
    /// Whether a consent includes the earlier ones.
    pub adds_up: bool,
    /// Whether the id token says that the address is verified.
    pub verifies_address: bool,
}

impl OAuthProvider {
    pub fn asked(&self, services: &[AccountService]) -> String {
        let each = services.iter().flat_map(|one| (self.scope_of)(*one));
        let scopes: BTreeSet<&str> = each.chain(self.always).copied().collect();
        scopes.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// The services of which these scopes grant what they can't work without.
    pub fn services(&self, granted: &BTreeSet<String>) -> Vec<AccountService> {
        let has = |service: &AccountService| {
            let needed = (self.scope_of)(*service);
            let is_there = |scope: &&str| self.optional.contains(scope) || granted.contains(*scope);
            !needed.is_empty() && needed.iter().all(is_there)
        };
        AccountService::ALL.into_iter().filter(has).collect()
    }

    /// Whether `these` include all of `those`. Identity scopes are ignored, since answers may omit them.
    pub fn cover(&self, these: &BTreeSet<String>, those: &BTreeSet<String>) -> bool {
        let mut needed = those
            .iter()
            .filter(|one| !self.always.contains(&one.as_str()));
        needed.all(|one| these.contains(one))
    }

    pub fn granted(&self, scope: &str) -> BTreeSet<String> {
        let each = scope.split_whitespace();
        each.map(|one| one.strip_prefix(self.prefix).unwrap_or(one).to_owned())
            .collect()
    }
}
