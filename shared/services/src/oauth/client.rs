//! Google's side of a consent: the addresses and forms of its OAuth 2.0
//! (<https://developers.google.com/identity/protocols/oauth2/web-server>).

use alfred_core::config::{GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_REDIRECT_URI};
use alfred_core::ports::{AccountService, Secrets};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

use super::token_http::{Exchanged, TokenError, TokenHttp};
use crate::google::Endpoints;

const OPENID: &str = "openid";
const EMAIL: &str = "email";
const GMAIL_MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
const GMAIL_COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
const CALENDAR_EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const CALENDAR_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
/// What is shown to pick from.
const PICKED_TYPES: &str =
    "application/vnd.google-apps.document,application/vnd.google-apps.spreadsheet";

/// What a service is asked for with; it is there as soon as the first of them was granted.
pub(super) fn scope_of(service: AccountService) -> &'static [&'static str] {
    match service {
        AccountService::Mail => &[GMAIL_MODIFY],
        AccountService::MailSend => &[GMAIL_COMPOSE],
        AccountService::Calendar => &[CALENDAR_EVENTS, CALENDAR_FREEBUSY],
        AccountService::Documents | AccountService::Sheets => &[DRIVE_FILE],
    }
}

/// The services that these scopes give.
pub(super) fn services(granted: &BTreeSet<String>) -> Vec<AccountService> {
    let has = |service: &AccountService| {
        let needed = scope_of(*service).first();
        needed.is_some_and(|scope| granted.contains(*scope))
    };
    AccountService::ALL.into_iter().filter(has).collect()
}

/// The client's secret. A named one is read when it is first needed: most requests of a function need none.
pub enum ClientSecret {
    /// This one.
    Known(SecretString),
    /// The secret of this name.
    Named(Arc<dyn Secrets>, String, OnceCell<SecretString>),
}

impl ClientSecret {
    /// The secret of this name, not read yet.
    #[must_use]
    pub fn named(secrets: Arc<dyn Secrets>, name: impl Into<String>) -> Self {
        Self::Named(secrets, name.into(), OnceCell::new())
    }

    pub(super) async fn get(&self) -> Result<&SecretString, TokenError> {
        let (secrets, name, read) = match self {
            Self::Known(secret) => return Ok(secret),
            Self::Named(secrets, name, read) => (secrets, name, read),
        };
        read.get_or_try_init(async || {
            let found = secrets.get(name).await;
            let found = found.map_err(|error| TokenError::Away(error.to_string()))?;
            found.ok_or_else(|| TokenError::Client(format!("there is no secret {name}")))
        })
        .await
    }
}

/// The app that people consent to, as the deployment registered it at Google.
pub struct OAuthClient {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: ClientSecret,
    /// Where Google sends people back to, as it is registered there; only who begins needs it.
    pub redirect_uri: String,
}

impl OAuthClient {
    /// The one that the settings name; its secret is that of the variable, else one of the deployment's secrets.
    #[must_use]
    pub fn from_settings(
        lookup: impl Fn(&str) -> Option<String>,
        secrets: Arc<dyn Secrets>,
    ) -> Option<Self> {
        let secret = match lookup(GOOGLE_CLIENT_SECRET) {
            Some(secret) => ClientSecret::Known(secret.into()),
            None => ClientSecret::named(secrets, format!("alfred/{GOOGLE_CLIENT_SECRET}")),
        };
        Some(Self {
            id: lookup(GOOGLE_CLIENT_ID)?,
            secret,
            redirect_uri: lookup(GOOGLE_REDIRECT_URI).unwrap_or_default(),
        })
    }
}

/// Exchanges, refreshes and revokes.
pub(super) struct TokenEndpoint {
    pub client: OAuthClient,
    pub endpoints: Endpoints,
    http: TokenHttp,
}

#[derive(Deserialize)]
struct Claims {
    aud: String,
    email: String,
    #[serde(default)]
    email_verified: bool,
}

impl TokenEndpoint {
    pub fn new(client: OAuthClient, endpoints: Endpoints) -> Self {
        Self {
            client,
            endpoints,
            http: TokenHttp::default(),
        }
    }

    /// Where a person consents to these services.
    pub fn consent_url(
        &self,
        wanted: &[AccountService],
        state: &str,
        verifier: &SecretString,
    ) -> Result<String, String> {
        let mut scope: BTreeSet<&str> = wanted
            .iter()
            .flat_map(|one| scope_of(*one))
            .copied()
            .collect();
        scope.extend([OPENID, EMAIL]);
        let scope = scope.into_iter().collect::<Vec<_>>().join(" ");
        let fields = [
            ("scope", scope.as_str()),
            // A refresh token, with each consent, for all that was ever granted.
            ("access_type", "offline"),
            ("include_granted_scopes", "true"),
        ];
        self.link(state, verifier, &fields)
    }

    /// Where a person picks files of the account with this address. Google takes no other scope along, and gives
    /// nothing that lasts: what is picked is open to the consent that there is.
    pub fn picker_url(
        &self,
        email: &str,
        state: &str,
        verifier: &SecretString,
    ) -> Result<String, String> {
        let fields = [
            ("scope", DRIVE_FILE),
            ("access_type", "online"),
            ("include_granted_scopes", "false"),
            ("trigger_onepick", "true"),
            ("allow_multiple", "true"),
            ("mimetypes", PICKED_TYPES),
            ("login_hint", email),
        ];
        self.link(state, verifier, &fields)
    }

    fn link(
        &self,
        state: &str,
        verifier: &SecretString,
        fields: &[(&str, &str)],
    ) -> Result<String, String> {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose_secret()));
        let shared = [
            ("client_id", self.client.id.as_str()),
            ("redirect_uri", &self.client.redirect_uri),
            ("response_type", "code"),
            ("prompt", "consent"),
            ("state", state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let all = shared.iter().chain(fields);
        let url = Url::parse_with_params(&self.endpoints.consent, all);
        url.map(String::from).map_err(|error| error.to_string())
    }

    /// For what a consent gave.
    pub async fn exchange(
        &self,
        (code, redirect_uri): (&str, &str),
        verifier: &SecretString,
    ) -> Result<Exchanged, TokenError> {
        self.tokens(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier.expose_secret()),
        ])
        .await
    }

    /// Another access token.
    pub async fn refresh(&self, refresh: &SecretString) -> Result<Exchanged, TokenError> {
        self.tokens(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose_secret()),
        ])
        .await
    }

    /// Ends the consent. That it has ended before is as good.
    pub async fn revoke(&self, refresh: &SecretString) -> Result<(), TokenError> {
        let fields = [("token", refresh.expose_secret())];
        match self.http.post(&self.endpoints.revoke, &fields).await {
            Ok(_) | Err(TokenError::Invalid) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn tokens(&self, fields: &[(&str, &str)]) -> Result<Exchanged, TokenError> {
        let secret = self.client.secret.get().await?;
        let mut all = vec![
            ("client_id", self.client.id.as_str()),
            ("client_secret", secret.expose_secret()),
        ];
        all.extend(fields);
        let answer = self.http.token(&self.endpoints.token, &all).await?;
        Ok(Exchanged {
            email: answer
                .id_token
                .as_deref()
                .and_then(|token| self.email(token)),
            access: answer.access_token.into(),
            expires_in: Duration::from_secs(answer.expires_in),
            refresh: answer.refresh_token.map(SecretString::from),
            scopes: answer.scope.split_whitespace().map(str::to_owned).collect(),
        })
    }

    /// Straight from Google over TLS, so its signature isn't looked at (OpenID Connect Core, 3.1.3.7).
    fn email(&self, id_token: &str) -> Option<String> {
        let claims = id_token.split('.').nth(1)?;
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
        let claims: Claims = serde_json::from_slice(&claims).ok()?;
        (claims.aud == self.client.id && claims.email_verified).then(|| claims.email.to_lowercase())
    }
}
