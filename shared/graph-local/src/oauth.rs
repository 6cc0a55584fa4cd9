//! Consents and tokens (<https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow>).

use alfred_core::digest::sha256_hex;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

use crate::state::GraphLocal;

/// What may be asked for; the first five name no access to a mailbox.
const SCOPES: [&str; 9] = [
    "openid",
    "email",
    "profile",
    "offline_access",
    "User.Read",
    "Mail.ReadWrite",
    "Mail.Send",
    "Calendars.ReadWrite",
    "MailboxSettings.Read",
];
const CODE: SignedDuration = SignedDuration::from_mins(10);
const ACCESS_SECONDS: i64 = 3_599;
const REFRESH: SignedDuration = SignedDuration::from_hours(90 * 24);

/// An app that people consent to.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
    /// Where codes may be sent: exactly these.
    pub redirect_uris: Vec<String>,
    /// The tenant in whose path it is asked for.
    pub tenant: String,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            id: "11111111-2222-3333-4444-555555555555".into(),
            secret: "local-client-secret".into(),
            redirect_uris: Vec::new(),
            tenant: "common".into(),
        }
    }
}

/// Everything that was consented to.
#[derive(Debug, Default)]
pub(crate) struct OAuth {
    codes: BTreeMap<String, Code>,
    refresh: BTreeMap<String, Grant>,
    access: BTreeMap<String, Grant>,
    sequence: u64,
}

#[derive(Clone, Debug)]
struct Grant {
    email: String,
    scopes: BTreeSet<String>,
    until: Timestamp,
}

#[derive(Debug)]
struct Code {
    grant: Grant,
    redirect_uri: String,
    challenge: String,
}

impl OAuth {
    fn token(&mut self, prefix: &str) -> String {
        self.sequence += 1;
        let digest = sha256_hex(format!("{prefix}{}", self.sequence).as_bytes());
        format!("{prefix}{digest}")
    }

    fn give(&mut self, email: &str, scopes: &BTreeSet<String>, now: Timestamp) -> String {
        let token = self.token("EwB");
        let lasts = SignedDuration::from_secs(ACCESS_SECONDS);
        let grant = Grant {
            email: email.to_owned(),
            scopes: scopes.clone(),
            until: now.saturating_add(lasts).unwrap_or(now),
        };
        self.access.insert(token.clone(), grant);
        token
    }

    /// Whose token it is, and what it allows.
    pub fn access(&self, token: &str, now: Timestamp) -> Option<(String, BTreeSet<String>)> {
        let grant = self.access.get(token).filter(|grant| now < grant.until)?;
        Some((grant.email.clone(), grant.scopes.clone()))
    }

    fn exchange(
        &mut self,
        code: &str,
        (uri, verifier): (&str, &str),
        now: Timestamp,
    ) -> Option<Grant> {
        let code = self.codes.remove(code)?;
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        let fits =
            code.redirect_uri == uri && code.challenge == challenge && now < code.grant.until;
        fits.then_some(code.grant)
    }

    fn answer(&mut self, grant: &Grant, client: &str, now: Timestamp) -> Value {
        let access = self.give(&grant.email, &grant.scopes, now);
        let shown = grant
            .scopes
            .iter()
            .filter(|scope| *scope != "offline_access");
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        let mut body = json!({
            "token_type": "Bearer",
            "access_token": access,
            "expires_in": ACCESS_SECONDS,
            "scope": shown.join(" "),
        });
        if grant.scopes.contains("offline_access") {
            // The one before still works: Microsoft ends none by its use.
            let refresh = self.token("M.C5");
            let until = now.saturating_add(REFRESH).unwrap_or(now);
            self.refresh.insert(
                refresh.clone(),
                Grant {
                    until,
                    ..grant.clone()
                },
            );
            body["refresh_token"] = json!(refresh);
        }
        if grant.scopes.contains("openid") {
            let head = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
            let mut claims = json!({"aud": client, "sub": grant.email});
            if grant.scopes.contains("profile") {
                claims["preferred_username"] = json!(grant.email);
            }
            let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
            body["id_token"] = json!(format!("{head}.{claims}."));
        }
        body
    }
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    let found = fields.iter().find(|(key, _)| key == name);
    found.map_or("", |(_, value)| value.as_str())
}

impl GraphLocal {
    /// Somebody opens a consent's link, chooses this account and allows all of it. Gives the address that Microsoft
    /// sends their browser to; with an error where their organisation wants an administrator's approval.
    ///
    /// # Errors
    /// What the page says is wrong with the link.
    pub fn allow(&self, link: &str, email: &str) -> Result<String, String> {
        let (page, query) = link.split_once('?').unwrap_or_default();
        let asked: Vec<(String, String)> =
            serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
        let asked = |name: &str| field(&asked, name).to_owned();
        let client = &self.0.options.client;
        let path = format!("/{}/oauth2/v2.0/authorize", client.tenant);
        let redirect_uri = asked("redirect_uri");
        let scopes = asked("scope");
        let scopes: BTreeSet<String> = scopes.split(' ').map(str::to_owned).collect();
        let unknown = scopes
            .iter()
            .find(|scope| !SCOPES.contains(&scope.as_str()));
        let wrong = match () {
            () if !page.ends_with(&path) => Some("AADSTS90002: tenant not found"),
            () if asked("client_id") != client.id => Some("AADSTS700016: application not found"),
            () if !client.redirect_uris.contains(&redirect_uri) => {
                Some("AADSTS50011: the redirect URI doesn't match")
            }
            () if asked("response_type") != "code" => Some("AADSTS900144: response_type"),
            () if !["", "query"].contains(&&*asked("response_mode")) => {
                Some("AADSTS90014: response_mode")
            }
            () if asked("code_challenge_method") != "S256" => Some("AADSTS501491: challenge"),
            () if asked("prompt") != "select_account" => Some("AADSTS90023: prompt"),
            () if unknown.is_some() => Some("AADSTS70011: the scope isn't valid"),
            () => None,
        };
        if let Some(wrong) = wrong {
            return Err(wrong.into());
        }
        let now = self.now();
        let mut state = self.lock();
        let mailbox = state
            .mailboxes
            .get(email)
            .ok_or("AADSTS50020: no such account")?;
        let refused = mailbox.needs_administrator;
        let words = "AADSTS90094: an administrator must approve";
        let code = state.oauth.token("0.AX");
        let back = match refused {
            true => vec![("error", "access_denied"), ("error_description", words)],
            false => vec![("code", code.as_str())],
        };
        let state_field = asked("state");
        let fields = back.into_iter().chain([("state", state_field.as_str())]);
        let fields: Vec<(&str, &str)> = fields.collect();
        let query = serde_urlencoded::to_string(fields).unwrap_or_default();
        let grant = Grant {
            email: email.to_owned(),
            scopes,
            until: now.saturating_add(CODE).unwrap_or(now),
        };
        let kept = Code {
            grant,
            redirect_uri: redirect_uri.clone(),
            challenge: asked("code_challenge"),
        };
        state.oauth.codes.insert(code.clone(), kept);
        Ok(format!("{redirect_uri}?{query}"))
    }

    /// An access token for somebody's account, as if they had consented to these scopes.
    pub fn access_token(&self, email: &str, scopes: &[&str]) -> String {
        let scopes = scopes.iter().map(|&scope| scope.to_owned()).collect();
        let now = self.now();
        self.lock().oauth.give(email, &scopes, now)
    }

    /// Ends all that somebody consented to, as they or their administrator can.
    pub fn revoke_all(&self, email: &str) {
        let mut state = self.lock();
        state.oauth.refresh.retain(|_, grant| grant.email != email);
        state.oauth.access.retain(|_, grant| grant.email != email);
    }

    /// Tokens for a code or a refresh token: a status and what is answered.
    pub(crate) fn token(&self, tenant: &str, form: &[u8]) -> (u16, Value) {
        let form: Vec<(String, String)> = serde_urlencoded::from_bytes(form).unwrap_or_default();
        let refused = |status, error: &str, words: &str| {
            (status, json!({"error": error, "error_description": words}))
        };
        let client = &self.0.options.client;
        if tenant != client.tenant || field(&form, "client_id") != client.id {
            return refused(
                400,
                "unauthorized_client",
                "AADSTS700016: no such application",
            );
        }
        if field(&form, "client_secret") != client.secret {
            return refused(
                401,
                "invalid_client",
                "AADSTS7000215: invalid client secret",
            );
        }
        let now = self.now();
        let oauth = &mut self.lock().oauth;
        let grant = match field(&form, "grant_type") {
            "authorization_code" => {
                let place = (field(&form, "redirect_uri"), field(&form, "code_verifier"));
                oauth.exchange(field(&form, "code"), place, now)
            }
            "refresh_token" => {
                let known = oauth.refresh.get(field(&form, "refresh_token"));
                known.filter(|grant| now < grant.until).cloned()
            }
            _ => return refused(400, "unsupported_grant_type", "AADSTS70003"),
        };
        match grant {
            Some(grant) => (200, oauth.answer(&grant, &client.id, now)),
            None => refused(400, "invalid_grant", "AADSTS70008: expired or revoked"),
        }
    }
}
