//! `/token` and `/revoke`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::json;

use crate::exchange::Asked;
use crate::oauth::{ACCESS, Grant, Tokens};
use crate::state::{GoogleLocal, lock};

pub(crate) async fn token(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    google.open_api(asked, "oauth2.token", exchanged).await
}

pub(crate) async fn revoke(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    google.open_api(asked, "oauth2.revoke", revoked).await
}

fn refused(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({"error": error}))).into_response()
}

fn exchanged(google: &GoogleLocal, asked: &Asked) -> Response {
    let form = asked.form();
    let field = |name: &str| {
        let found = form.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    };
    let required = |name: &str| field(name).unwrap_or_default();
    let client = &google.0.options.client;
    if [required("client_id"), required("client_secret")] != [&client.id, &client.secret] {
        return refused(StatusCode::UNAUTHORIZED, "invalid_client");
    }
    let now = google.now();
    let mut state = lock(&google.0.state);
    let tokens = match required("grant_type") {
        "authorization_code" => {
            let (code, uri) = (required("code"), required("redirect_uri"));
            let verifier = field("code_verifier");
            state.oauth.exchange(code, uri, verifier, now)
        }
        "refresh_token" => state.oauth.refresh(required("refresh_token"), now),
        _ => return refused(StatusCode::BAD_REQUEST, "unsupported_grant_type"),
    };
    google.save(&state);
    match tokens {
        Some(tokens) => answer(&tokens, &client.id),
        None => refused(StatusCode::BAD_REQUEST, "invalid_grant"),
    }
}

fn answer(tokens: &Tokens, client: &str) -> Response {
    let Grant { email, scopes } = &tokens.grant;
    let scope: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let mut body = json!({
        "access_token": tokens.access,
        "expires_in": ACCESS.as_secs(),
        "scope": scope.join(" "),
        "token_type": "Bearer",
    });
    if let Some(refresh) = &tokens.refresh {
        body["refresh_token"] = json!(refresh);
    }
    if scopes.contains(crate::scope::OPENID) {
        let claims = json!({"aud": client, "email": email, "email_verified": true});
        let parts = [json!({"alg": "none"}), claims];
        let [head, claims] = parts.map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string()));
        body["id_token"] = json!(format!("{head}.{claims}."));
    }
    Json(body).into_response()
}

fn revoked(google: &GoogleLocal, asked: &Asked) -> Response {
    let form = asked.form();
    let token = form.iter().find(|(key, _)| key == "token");
    let mut state = lock(&google.0.state);
    let known = token.is_some_and(|(_, token)| state.oauth.revoke(token));
    google.save(&state);
    if known {
        Json(json!({})).into_response()
    } else {
        refused(StatusCode::BAD_REQUEST, "invalid_token")
    }
}

impl GoogleLocal {
    /// Ends all that somebody consented to, as they can in their Google account.
    pub fn revoke_all(&self, email: &str) {
        lock(&self.0.state).oauth.revoke_all(email);
    }

    /// An access token as if this person had consented to these scopes.
    pub fn access_token(&self, email: &str, scopes: &[&str]) -> String {
        let grant = Grant {
            email: email.to_owned(),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
        };
        lock(&self.0.state).oauth.grant_access(grant, self.now())
    }

    /// The account of a valid access token.
    pub fn whose(&self, token: &str) -> Option<String> {
        let found = lock(&self.0.state).oauth.access(token, self.now());
        found.map(|grant| grant.email)
    }

    /// The number of somebody's refresh tokens.
    pub fn grants(&self, email: &str) -> usize {
        lock(&self.0.state).oauth.grants(email)
    }
}
