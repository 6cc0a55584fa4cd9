//! `/token` and `/revoke`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;

use crate::exchange::Asked;
use crate::oauth::{ACCESS_SECONDS, Tokens};
use crate::state::{GoogleLocal, lock};

pub(crate) async fn token(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    google.open_api(asked, "oauth2.token", exchanged).await
}

pub(crate) async fn revoke(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    google.open_api(asked, "oauth2.revoke", revoked).await
}

fn refused(error: &str, description: &str) -> Response {
    let status = match error {
        "invalid_client" => StatusCode::UNAUTHORIZED,
        _ => StatusCode::BAD_REQUEST,
    };
    let body = json!({"error": error, "error_description": description});
    (status, Json(body)).into_response()
}

fn exchanged(google: &GoogleLocal, asked: &Asked) -> Response {
    let form = asked.form();
    let field = |name: &str| {
        let found = form.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    };
    let client = &google.0.options.client;
    if field("client_id") != Some(&client.id) || field("client_secret") != Some(&client.secret) {
        return refused("invalid_client", "The OAuth client was not found.");
    }
    let now = google.now();
    let mut state = lock(&google.0.state);
    let tokens = match field("grant_type") {
        Some("authorization_code") => {
            let place = (
                field("redirect_uri").unwrap_or_default(),
                field("code_verifier"),
            );
            state
                .oauth
                .exchange(field("code").unwrap_or_default(), place, now)
        }
        Some("refresh_token") => state
            .oauth
            .refresh(field("refresh_token").unwrap_or_default(), now),
        _ => return refused("unsupported_grant_type", "Invalid grant_type"),
    };
    google.save(&state);
    match tokens {
        Some(tokens) => {
            let name = state
                .accounts
                .get(&tokens.email)
                .map(|account| account.name.clone());
            answer(&tokens, &name.unwrap_or_default(), &client.id)
        }
        None => refused("invalid_grant", "Token has been expired or revoked."),
    }
}

fn answer(tokens: &Tokens, name: &str, client: &str) -> Response {
    let scopes: Vec<&str> = tokens.scopes.iter().map(String::as_str).collect();
    let mut body = json!({
        "access_token": tokens.access,
        "expires_in": ACCESS_SECONDS,
        "scope": scopes.join(" "),
        "token_type": "Bearer",
    });
    if let Some(refresh) = &tokens.refresh {
        body["refresh_token"] = json!(refresh);
    }
    if tokens.scopes.contains(crate::scope::OPENID) {
        let head = BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        let claims = json!({
            "iss": "https://accounts.google.com",
            "aud": client,
            "sub": tokens.email,
            "email": tokens.email,
            "email_verified": true,
            "name": name,
            "nonce": tokens.nonce,
        });
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
        body["id_token"] = json!(format!("{head}.{claims}."));
    }
    Json(body).into_response()
}

fn revoked(google: &GoogleLocal, asked: &Asked) -> Response {
    let form = asked.form();
    let token = form
        .iter()
        .chain(&asked.query)
        .find(|(key, _)| key == "token");
    let mut state = lock(&google.0.state);
    let known = token.is_some_and(|(_, token)| state.oauth.revoke(token));
    google.save(&state);
    match known {
        true => Json(json!({})).into_response(),
        false => refused("invalid_token", "Token expired or revoked"),
    }
}

impl GoogleLocal {
    /// Ends all that somebody consented to, as they can in their Google account.
    pub fn revoke_all(&self, email: &str) {
        lock(&self.0.state).oauth.revoke_all(email);
    }

    /// An access token for somebody's account, as if they had consented to these scopes.
    pub fn access_token(&self, email: &str, scopes: &[&str]) -> String {
        let scopes = scopes.iter().map(|&scope| scope.to_owned()).collect();
        let mut state = lock(&self.0.state);
        state.oauth.grant_access(email, &scopes, None, self.now())
    }

    /// Whose account an access token is for, while it is good.
    pub fn whose(&self, token: &str) -> Option<String> {
        let found = lock(&self.0.state).oauth.access(token, self.now());
        found.map(|(email, _)| email)
    }

    /// How many refresh tokens of somebody stand.
    pub fn grants(&self, email: &str) -> usize {
        lock(&self.0.state).oauth.grants(email)
    }
}
