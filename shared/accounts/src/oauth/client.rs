//! OAuth 2.0 requests to a provider (RFC 6749, 4.1 and 6; RFC 7636).

use alfred_core::ports::{AccountService, Clock, SecretError, Secrets};
use alfred_http::{CachedSecret, LazyClient};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

use super::consent::ConsentRequest;
use super::provider::OAuthProvider;
use super::token_http::{Answer, Exchanged, Result, TokenError, away, post};

/// The app as the deployment registered it at a provider.
pub struct OAuthClient {
    pub id: String,
    pub secret: CachedSecret,
    /// The registered redirect URI. Only needed to begin a consent.
    pub redirect_uri: String,
}

impl OAuthClient {
    /// The client of the settings. Its secret is in the named variable, otherwise in a secret of the deployment.
    pub fn from_settings(
        provider: &OAuthProvider,
        lookup: impl Fn(&str) -> Option<String>,
        secrets: Arc<dyn Secrets>,
        clock: Arc<dyn Clock>,
    ) -> Option<Self> {
        let [id, named, redirect_uri] = provider.settings;
        Some(Self {
            id: lookup(id)?,
            secret: CachedSecret::from_settings(&[named], &lookup, secrets, clock),
            redirect_uri: lookup(redirect_uri).unwrap_or_default(),
        })
    }
}

pub(super) struct TokenEndpoint {
    pub client: OAuthClient,
    pub provider: OAuthProvider,
    pub http: LazyClient,
}

impl TokenEndpoint {
    pub fn consent_url(
        &self,
        wanted: &[AccountService],
        state: &str,
        verifier: &SecretString,
    ) -> Result<String, String> {
        let scope = self.provider.asked(wanted);
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose_secret()));
        let fields = [
            ("client_id", self.client.id.as_str()),
            ("redirect_uri", &self.client.redirect_uri),
            ("response_type", "code"),
            ("state", state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("scope", &scope),
        ];
        let all = fields.iter().chain(self.provider.link);
        let url = Url::parse_with_params(&self.provider.consent, all);
        url.map(String::from).map_err(|error| error.to_string())
    }

    pub async fn exchange(&self, code: &str, link: &ConsentRequest) -> Result<Exchanged> {
        self.tokens(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &link.redirect_uri),
            ("code_verifier", &link.verifier),
        ])
        .await
    }

    pub async fn refresh(&self, refresh: &SecretString) -> Result<Exchanged> {
        self.tokens(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose_secret()),
        ])
        .await
    }

    /// Ends the consent. False if the provider has no way. A consent that has already ended counts as success.
    pub async fn revoke(&self, refresh: &SecretString) -> Result<bool> {
        let Some(url) = &self.provider.revoke else {
            return Ok(false);
        };
        let fields = [("token", refresh.expose_secret())];
        match post(&self.http, url, &fields).await {
            Ok(_) | Err(TokenError::Invalid) => Ok(true),
            Err(error) => Err(error),
        }
    }

    pub async fn secret(&self) -> Result<SecretString> {
        let secret = self.client.secret.required().await;
        secret.map_err(|error| match error {
            SecretError::Unavailable { .. } => away(error),
            missing => TokenError::Client(missing.to_string()),
        })
    }

    async fn tokens(&self, fields: &[(&str, &str)]) -> Result<Exchanged> {
        let mut secret = self.secret().await?;
        let answer = loop {
            let client = [
                ("client_id", self.client.id.as_str()),
                ("client_secret", secret.expose_secret()),
            ];
            let all = [&client, fields].concat();
            match post(&self.http, &self.provider.token, &all).await {
                Err(TokenError::Client(_)) if self.client.secret.renew(&mut secret).await => {}
                answer => break answer?,
            }
        };
        let answer: Answer = serde_json::from_slice(&answer)
            .map_err(|error| away(format!("unexpected: {error}")))?;
        Ok(Exchanged {
            email: answer
                .id_token
                .as_deref()
                .and_then(|token| self.email(token)),
            access: answer.access_token.into(),
            expires_in: Duration::from_secs(answer.expires_in),
            refresh: answer.refresh_token.map(SecretString::from),
            scopes: self.provider.granted(&answer.scope),
        })
    }

    /// The token comes directly from the provider over TLS, so its signature isn't checked (OpenID Connect
    /// Core, 3.1.3.7).
    fn email(&self, id_token: &str) -> Option<String> {
        let claims = id_token.split('.').nth(1)?;
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
        let claims: Value = serde_json::from_slice(&claims).ok()?;
        let sure = claims["email_verified"] == true || !self.provider.verifies_address;
        // Microsoft sends `preferred_username` for accounts whose mailbox has another address.
        let mut names = ["email", "preferred_username"].into_iter();
        let address = names.find_map(|name| claims[name].as_str());
        let address = address.filter(|_| claims["aud"] == self.client.id && sure);
        address.map(str::to_lowercase)
    }
}
