//! A service account that acts for everybody of a domain
//! (<https://developers.google.com/identity/protocols/oauth2/service-account>): it shows a signed assertion instead of a
//! code.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The longest that an assertion may be good, in seconds.
const HOUR: i64 = 3_600;

/// A service account that an administrator lets in.
#[derive(Clone, Debug)]
pub struct ServiceAccount {
    /// Its address.
    pub email: String,
    /// Its public key: an `RSAPublicKey` (RFC 8017, A.1.1) in DER.
    pub public_key: Vec<u8>,
    /// What the administrator allows it.
    pub scopes: Vec<String>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    scope: String,
    aud: String,
    iat: i64,
    exp: i64,
}

/// Who it acts for, and the scopes; else the error of the token's endpoint.
pub(crate) fn asserted(
    known: Option<&ServiceAccount>,
    assertion: &str,
    now: Timestamp,
) -> Result<(String, BTreeSet<String>), &'static str> {
    let known = known.ok_or("invalid_client")?;
    let (text, signature) = assertion.rsplit_once('.').ok_or("invalid_grant")?;
    let decoded = |part: &str| {
        BASE64_URL_SAFE_NO_PAD
            .decode(part)
            .map_err(|_| "invalid_grant")
    };
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &known.public_key);
    key.verify(text.as_bytes(), &decoded(signature)?)
        .map_err(|_| "invalid_grant")?;
    let (_, claims) = text.split_once('.').ok_or("invalid_grant")?;
    let claims: Claims = serde_json::from_slice(&decoded(claims)?).map_err(|_| "invalid_grant")?;
    let now = now.as_second();
    let timely = claims.iat <= now && now < claims.exp && claims.exp - claims.iat <= HOUR;
    if claims.iss != known.email || !claims.aud.ends_with("/token") || !timely {
        return Err("invalid_grant");
    }
    let scopes: BTreeSet<String> = claims.scope.split_whitespace().map(str::to_owned).collect();
    match scopes.iter().all(|scope| known.scopes.contains(scope)) {
        true => Ok((claims.sub.to_lowercase(), scopes)),
        false => Err("unauthorized_client"),
    }
}
