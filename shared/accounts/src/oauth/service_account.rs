//! The key of a service account and its signatures
//! (<https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests>).

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::Value;

use super::token_http::TokenError;

/// The used fields of the JSON file from Google's console.
#[derive(Deserialize)]
pub(super) struct ServiceAccount {
    pub client_email: String,
    /// PKCS#8 in PEM.
    private_key: String,
}

impl ServiceAccount {
    /// Parses the JSON. The error reveals nothing of the key.
    pub fn read(json: &SecretString) -> Result<Self, TokenError> {
        serde_json::from_str(json.expose_secret())
            .map_err(|_| unusable("the service account's key isn't the JSON that Google gave"))
    }

    /// A JSON Web Token with these claims (RFC 7515, RS256).
    pub fn signed(&self, claims: &Value) -> Result<SecretString, TokenError> {
        let pem = self.private_key.lines();
        let body: String = pem.filter(|line| !line.starts_with("-----")).collect();
        let der = BASE64_STANDARD.decode(body.trim()).ok();
        let key = der.and_then(|der| RsaKeyPair::from_pkcs8(&der).ok());
        let key = key.ok_or_else(|| unusable("the service account's private key isn't PKCS#8"))?;
        let head = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","typ":"JWT"}"#);
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
        let text = format!("{head}.{claims}");
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(
            &RSA_PKCS1_SHA256,
            &SystemRandom::new(),
            text.as_bytes(),
            &mut signature,
        )
        .map_err(|_| unusable("the service account's key signs nothing"))?;
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        Ok(format!("{text}.{signature}").into())
    }
}

fn unusable(detail: &str) -> TokenError {
    TokenError::Client(detail.to_owned())
}
