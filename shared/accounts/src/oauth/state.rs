//! The signed state parameter of a consent link: owner, nonce, expiry.

use alfred_core::ports::{Account, Provider};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Separates this signature from others under the same secret.
const CONTEXT: &[u8] = b"alfred connect state 1\0";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConnectState {
    #[serde(rename = "t")]
    team: String,
    #[serde(rename = "u")]
    user: String,
    #[serde(rename = "p")]
    pub provider: Provider,
    #[serde(rename = "n")]
    pub nonce: String,
    #[serde(rename = "x")]
    pub expires_at: Timestamp,
    /// Whether the link picks files.
    #[serde(rename = "f", default, skip_serializing_if = "std::ops::Not::not")]
    pub picks: bool,
}

impl ConnectState {
    pub fn new(
        account: &Account,
        provider: Provider,
        nonce: String,
        expires_at: Timestamp,
    ) -> Self {
        Self {
            team: account.team.to_string(),
            user: account.user.to_string(),
            provider,
            nonce,
            expires_at,
            picks: false,
        }
    }

    pub fn account(&self) -> Account {
        Account {
            team: self.team.as_str().into(),
            user: self.user.as_str().into(),
        }
    }

    /// `CLAIMS.SIGNATURE`, both base64url.
    pub fn sign(&self, secret: &SecretString) -> Option<String> {
        let claims = serde_json::to_vec(self).ok()?;
        let signature = keyed(secret, &claims)?.finalize().into_bytes();
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims);
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        Some(format!("{claims}.{signature}"))
    }

    /// The verified state. `None` if it wasn't signed with this secret.
    pub fn verify(text: &str, secret: &SecretString) -> Option<Self> {
        let (claims, signature) = text.split_once('.')?;
        let claims = BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        keyed(secret, &claims)?.verify_slice(&signature).ok()?;
        serde_json::from_slice(&claims).ok()
    }
}

fn keyed(secret: &SecretString, claims: &[u8]) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes());
    Some(mac.ok()?.chain_update(CONTEXT).chain_update(claims))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_is_read() {
        let account = Account {
            team: "T1".into(),
            user: "U1".into(),
        };
        let state = ConnectState::new(
            &account,
            Provider::Google,
            "n".into(),
            "2026-11-23T12:00:00Z".parse().unwrap(),
        );
        let secret = SecretString::from("hush");
        let signed = state.sign(&secret).unwrap();
        assert_eq!(ConnectState::verify(&signed, &secret), Some(state.clone()));
        assert_eq!(ConnectState::verify(&signed, &"other".into()), None);
        let (claims, signature) = signed.split_once('.').unwrap();
        let decoded = BASE64_URL_SAFE_NO_PAD.decode(claims).unwrap();
        let forged = String::from_utf8(decoded).unwrap().replace("U1", "U2");
        let forged = BASE64_URL_SAFE_NO_PAD.encode(forged);
        for wrong in [
            format!("{forged}.{signature}"),
            format!("{claims}."),
            claims.to_owned(),
            String::new(),
        ] {
            assert_eq!(ConnectState::verify(&wrong, &secret), None, "{wrong}");
        }
    }
}
