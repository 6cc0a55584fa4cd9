//! Consents and tokens (<https://developers.google.com/identity/protocols/oauth2/web-server>).

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// How long a code may be exchanged.
const CODE: SignedDuration = SignedDuration::from_mins(10);
/// How long an access token works, in seconds.
pub(crate) const ACCESS_SECONDS: i64 = 3_599;

/// An app that people consent to.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
    /// Where codes may be sent: exactly these.
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

/// Everything that was consented to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct OAuth {
    codes: BTreeMap<String, Code>,
    grants: BTreeMap<String, Grant>,
    access: BTreeMap<String, Access>,
    sequence: u64,
}

/// What a consent gave, until it is exchanged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Code {
    pub email: String,
    pub scopes: BTreeSet<String>,
    pub redirect_uri: String,
    /// PKCE's S256 challenge.
    pub challenge: Option<String>,
    pub nonce: Option<String>,
    pub offline: bool,
    /// Consent was asked for anew, which gives another refresh token.
    pub prompted: bool,
    /// What was granted before counts too.
    pub incremental: bool,
    /// When it can't be exchanged any more; set by `consent`.
    pub expires_at: Option<Timestamp>,
}

/// A refresh token's consent.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Grant {
    email: String,
    scopes: BTreeSet<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Access {
    email: String,
    scopes: BTreeSet<String>,
    expires_at: Timestamp,
    /// The refresh token it is of; it ends with it.
    grant: Option<String>,
}

/// Tokens for a code or a refresh token.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub access: String,
    pub refresh: Option<String>,
    pub email: String,
    pub scopes: BTreeSet<String>,
    pub nonce: Option<String>,
}

impl OAuth {
    fn token(&mut self, prefix: &str, now: Timestamp) -> String {
        self.sequence += 1;
        let digest = Sha256::digest(format!("{prefix}{}{now}", self.sequence));
        let digest = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, digest);
        format!("{prefix}{digest}")
    }

    /// A code for what was consented to.
    pub fn consent(&mut self, code: Code, now: Timestamp) -> String {
        let token = self.token("4/0", now);
        let expires_at = now.saturating_add(CODE).ok();
        self.codes
            .insert(token.clone(), Code { expires_at, ..code });
        token
    }

    /// Exchanges a code, once; `None` when it is none, late, or shown with another address or verifier.
    pub fn exchange(
        &mut self,
        code: &str,
        (redirect_uri, verifier): (&str, Option<&str>),
        now: Timestamp,
    ) -> Option<Tokens> {
        let code = self.codes.remove(code)?;
        let challenge = verifier.map(|verifier| {
            let digest = Sha256::digest(verifier);
            base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, digest)
        });
        let fits = code.redirect_uri == redirect_uri
            && code.challenge == challenge
            && code.expires_at.is_some_and(|until| now < until);
        if !fits {
            return None;
        }
        let mut scopes = code.scopes;
        let known = self
            .grants
            .values()
            .filter(|grant| grant.email == code.email);
        let known: Vec<Grant> = known.cloned().collect();
        if code.incremental {
            scopes.extend(known.iter().flat_map(|grant| grant.scopes.clone()));
        }
        // A first consent gives one; a later one only if it was asked for anew.
        let refresh = (code.offline && (code.prompted || known.is_empty())).then(|| {
            let refresh = self.token("1//0", now);
            let grant = Grant {
                email: code.email.clone(),
                scopes: scopes.clone(),
            };
            self.grants.insert(refresh.clone(), grant);
            refresh
        });
        let access = self.grant_access(&code.email, &scopes, refresh.clone(), now);
        Some(Tokens {
            access,
            refresh,
            email: code.email,
            scopes,
            nonce: code.nonce,
        })
    }

    /// Another access token; `None` when the refresh token is none, or was revoked.
    pub fn refresh(&mut self, refresh: &str, now: Timestamp) -> Option<Tokens> {
        let grant = self.grants.get(refresh)?.clone();
        let access = self.grant_access(&grant.email, &grant.scopes, Some(refresh.into()), now);
        Some(Tokens {
            access,
            refresh: None,
            email: grant.email,
            scopes: grant.scopes,
            nonce: None,
        })
    }

    /// An access token, of a refresh token if there is one.
    pub fn grant_access(
        &mut self,
        email: &str,
        scopes: &BTreeSet<String>,
        grant: Option<String>,
        now: Timestamp,
    ) -> String {
        let token = self.token("ya29.", now);
        self.access.retain(|_, access| access.expires_at > now);
        let ends = now.saturating_add(SignedDuration::from_secs(ACCESS_SECONDS));
        let access = Access {
            email: email.to_owned(),
            scopes: scopes.clone(),
            expires_at: ends.unwrap_or(Timestamp::MAX),
            grant,
        };
        self.access.insert(token.clone(), access);
        token
    }

    /// Whose token it is, and what it allows.
    pub fn access(&self, token: &str, now: Timestamp) -> Option<(String, BTreeSet<String>)> {
        let access = self.access.get(token)?;
        (access.expires_at > now).then(|| (access.email.clone(), access.scopes.clone()))
    }

    /// Revokes an access or refresh token and the whole consent behind it; `false` when it is none.
    pub fn revoke(&mut self, token: &str) -> bool {
        let email = self.grants.get(token).map(|grant| grant.email.clone());
        let email = email.or_else(|| self.access.get(token).map(|access| access.email.clone()));
        let Some(email) = email else {
            return false;
        };
        self.revoke_all(&email);
        true
    }

    /// Ends all that somebody consented to, as they can in their Google account.
    pub fn revoke_all(&mut self, email: &str) {
        self.grants.retain(|_, grant| grant.email != email);
        self.access.retain(|_, access| access.email != email);
    }

    /// How many consents of somebody stand.
    pub fn grants(&self, email: &str) -> usize {
        let theirs = self.grants.values().filter(|grant| grant.email == email);
        theirs.count()
    }
}
