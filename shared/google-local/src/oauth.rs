//! Consents and tokens (<https://developers.google.com/identity/protocols/oauth2/web-server>).

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// How long a code may be exchanged.
pub(crate) const CODE: SignedDuration = SignedDuration::from_mins(10);
/// How long an access token works.
pub(crate) const ACCESS: SignedDuration = SignedDuration::from_secs(3_599);

/// An app that people consent to.
#[derive(Clone, Debug)]
pub struct Client {
    pub id: String,
    pub secret: String,
    /// Codes are sent to exactly these.
    pub redirect_uris: Vec<String>,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            id: "alfred.apps.googleusercontent.com".into(),
            secret: "local-client-secret".into(),
            redirect_uris: Vec::new(),
        }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct OAuth {
    codes: BTreeMap<String, Code>,
    /// By refresh token.
    grants: BTreeMap<String, Grant>,
    access: BTreeMap<String, Access>,
    sequence: u64,
}

/// A consent that isn't exchanged yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Code {
    pub grant: Grant,
    pub redirect_uri: String,
    /// PKCE's S256 challenge.
    pub challenge: Option<String>,
    pub offline: bool,
    /// The page was shown although consent existed, which gives another refresh token.
    pub prompted: bool,
    /// What was granted before counts too.
    pub incremental: bool,
    pub expires_at: Timestamp,
}

/// What somebody consented to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Grant {
    pub email: String,
    pub scopes: BTreeSet<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Access {
    grant: Grant,
    expires_at: Timestamp,
}

pub(crate) struct Tokens {
    pub access: String,
    pub refresh: Option<String>,
    pub grant: Grant,
}

fn digest(text: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

impl OAuth {
    fn token(&mut self, prefix: &str, now: Timestamp) -> String {
        self.sequence += 1;
        format!("{prefix}{}", digest(format!("{}{now}", self.sequence)))
    }

    pub fn consent(&mut self, code: Code, now: Timestamp) -> String {
        let token = self.token("4/0", now);
        self.codes.insert(token.clone(), code);
        token
    }

    /// Exchanges a code, once. `None` if it is unknown, late, or comes with another address or verifier.
    pub fn exchange(
        &mut self,
        code: &str,
        redirect_uri: &str,
        verifier: Option<&str>,
        now: Timestamp,
    ) -> Option<Tokens> {
        let code = self.codes.remove(code)?;
        if code.redirect_uri != redirect_uri
            || code.challenge != verifier.map(digest)
            || code.expires_at <= now
        {
            return None;
        }
        let mut grant = code.grant;
        let known = self.grants.values();
        let mut known = known.filter(|known| known.email == grant.email).peekable();
        // A first consent gives one; a later one only after another prompt.
        let lasts = code.offline && (code.prompted || known.peek().is_none());
        if code.incremental {
            let before: Vec<String> = known.flat_map(|known| known.scopes.clone()).collect();
            grant.scopes.extend(before);
        }
        let refresh = lasts.then(|| self.token("1//0", now));
        if let Some(refresh) = &refresh {
            self.grants.insert(refresh.clone(), grant.clone());
        }
        Some(Tokens {
            access: self.grant_access(grant.clone(), now),
            refresh,
            grant,
        })
    }

    /// Another access token. `None` if the refresh token is unknown or was revoked.
    pub fn refresh(&mut self, refresh: &str, now: Timestamp) -> Option<Tokens> {
        let grant = self.grants.get(refresh)?.clone();
        Some(Tokens {
            access: self.grant_access(grant.clone(), now),
            refresh: None,
            grant,
        })
    }

    pub fn grant_access(&mut self, grant: Grant, now: Timestamp) -> String {
        let token = self.token("ya29.", now);
        self.access.retain(|_, access| access.expires_at > now);
        let expires_at = now + ACCESS;
        self.access
            .insert(token.clone(), Access { grant, expires_at });
        token
    }

    /// What an access token allows.
    pub fn access(&self, token: &str, now: Timestamp) -> Option<Grant> {
        let access = self.access.get(token)?;
        (access.expires_at > now).then(|| access.grant.clone())
    }

    /// Revokes an access or refresh token and the whole consent behind it. `false` if it is unknown.
    pub fn revoke(&mut self, token: &str) -> bool {
        let access = self.access.get(token).map(|access| &access.grant);
        let Some(grant) = self.grants.get(token).or(access).cloned() else {
            return false;
        };
        self.revoke_all(&grant.email);
        true
    }

    /// Ends all that somebody consented to, as they can in their Google account.
    pub fn revoke_all(&mut self, email: &str) {
        self.grants.retain(|_, grant| grant.email != email);
        self.access.retain(|_, access| access.grant.email != email);
    }

    /// The number of somebody's refresh tokens.
    pub fn grants(&self, email: &str) -> usize {
        let theirs = self.grants.values().filter(|grant| grant.email == email);
        theirs.count()
    }
}
