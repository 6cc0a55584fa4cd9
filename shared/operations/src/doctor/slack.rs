//! Slack's answer to the bot token, the scopes of the app, and the clock.

use alfred_core::ports::{Clock, SecretError};
use alfred_http::{CachedSecret, LazyClient, up_to};
use jiff::SignedDuration;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::Method;
use reqwest::header::{DATE, HeaderMap};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::sync::Arc;

use super::{Finding, READ_SECRETS, with_causes};
use crate::manifest::SOURCE;

pub const API: &str = "https://slack.com/api";
const NAME: &str = "slack";
const CLOCK: &str = "clock";
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Slack and Alfred refuse signatures from five minutes on.
const FAR: SignedDuration = SignedDuration::from_mins(1);
const NEW_TOKEN: &str = "Take the bot token from *OAuth & Permissions* of the Slack app, installed \
    again if need be, and set SLACK_BOT_TOKEN; on AWS deploy with it as SlackBotToken and a SecretsRevision one higher.";
/// What Slack says of a token that can't be used any more.
const REFUSED: &str = "invalid_auth not_authed token_revoked token_expired account_inactive";
const SOCKET: &str = "Socket Mode";
const NO_APP_TOKEN: &str = "invalid_auth not_authed token_revoked token_expired account_inactive \
    not_allowed_token_type missing_scope user_removed_from_team team_disabled";
const NEW_APP_TOKEN: &str = "Create an app-level token with connections:write under *Basic Information* of the \
    Slack app, and set SLACK_APP_TOKEN.";
const REACH: &str =
    "Look whether this machine reaches Slack, and whether SLACK_API_URL is unset or right.";

/// The scopes of the app, and what needs each.
fn scopes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let (_, after) = SOURCE.split_once("    bot:\n").unwrap_or_default();
    let lines = after.lines().take_while(|line| line.starts_with("      "));
    let lines = lines.filter_map(|line| line.trim().strip_prefix("- "));
    lines.map(|line| line.split_once(" # ").unwrap_or((line, "")))
}

/// Asks the Slack at `api` with the bot token.
pub async fn check(api: String, token: CachedSecret, clock: Arc<dyn Clock>) -> Vec<Finding> {
    let token = match token.required().await {
        Ok(token) => token,
        Err(error @ SecretError::Denied { .. }) => {
            return vec![Finding::warning(NAME, error.to_string(), READ_SECRETS)];
        }
        Err(error) => return vec![Finding::problem(NAME, error.to_string(), NEW_TOKEN)],
    };
    let (status, headers, body) = match ask(NAME, &api, (Method::GET, "auth.test"), &token).await {
        Ok(answer) => answer,
        Err(silent) => return vec![silent],
    };
    let slack = match body["error"].as_str() {
        _ if body["ok"] == true => app(&body, &headers),
        Some(code) if REFUSED.split(' ').any(|one| one == code) => {
            let found = format!("the bot token is refused: {code}");
            Finding::problem(NAME, found, NEW_TOKEN)
        }
        code => other(NAME, code, status),
    };
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
    let clock = date.map(|date| time(clock.now().duration_since(date).abs()));
    [Some(slack), clock].into_iter().flatten().collect()
}

/// Asks for the address of a connection of Socket Mode, and doesn't use it.
pub async fn check_socket(api: String, token: SecretString) -> Vec<Finding> {
    let (status, _, body) = match ask(
        SOCKET,
        &api,
        (Method::POST, "apps.connections.open"),
        &token,
    )
    .await
    {
        Ok(answer) => answer,
        Err(silent) => return vec![silent],
    };
    vec![match body["error"].as_str() {
        _ if body["ok"] == true => Finding::ok(SOCKET, "ok"),
        Some(code) if NO_APP_TOKEN.split(' ').any(|one| one == code) => {
            let found = format!("the app-level token is refused: {code}");
            Finding::problem(SOCKET, found, NEW_APP_TOKEN)
        }
        code => other(SOCKET, code, status),
    }]
}

async fn ask(
    check: &str,
    api: &str,
    (verb, method): (Method, &str),
    token: &SecretString,
) -> Result<(u16, HeaderMap, Value), Finding> {
    let http = LazyClient::default();
    let answer = async {
        let client = http.get(api, |builder| builder)?;
        let url = format!("{}/{method}", api.trim_end_matches('/'));
        let request = client.request(verb, url).bearer_auth(token.expose_secret());
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let (body, _) = up_to(response, MAX_ANSWER_BYTES).await?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Ok::<_, reqwest::Error>((status, headers, body))
    };
    answer.await.map_err(|error| {
        let found = format!("no answer: {}", with_causes(&error.without_url()));
        Finding::problem(check, found, REACH)
    })
}

/// An answer that isn't about the token.
fn other(name: &str, code: Option<&str>, status: u16) -> Finding {
    match code {
        Some("ratelimited") => Finding::warning(name, "too many calls", "Repeat this in a minute."),
        Some(code) => Finding::problem(name, format!("Slack answers {code}"), "Repeat this later."),
        None => Finding::problem(name, format!("HTTP {status} isn't Slack's"), REACH),
    }
}

fn app(body: &Value, headers: &HeaderMap) -> Finding {
    let text = |name: &str| body[name].as_str().unwrap_or("?").to_owned();
    let found = format!("workspace {}, bot @{}", text("team"), text("user"));
    if body["bot_id"].is_null() {
        return Finding::problem(NAME, "the token isn't a bot's", NEW_TOKEN);
    }
    let granted = headers.get("x-oauth-scopes");
    let Some(granted) = granted.and_then(|scopes| scopes.to_str().ok()) else {
        let next = "Compare the app's scopes with those of `alfred slack manifest`.";
        return Finding::warning(NAME, format!("{found}; it names no scopes"), next);
    };
    let granted: Vec<&str> = granted.split(',').map(str::trim).collect();
    let missing = scopes().filter(|(scope, _)| !granted.contains(scope));
    let missing = missing.map(|(scope, need)| format!("{scope} ({need})"));
    let missing: Vec<String> = missing.collect();
    if missing.is_empty() {
        return Finding::ok(NAME, format!("{found}, all scopes"));
    }
    let found = format!("{found}; scopes are missing: {}", missing.join(", "));
    let next =
        "Paste what `alfred slack manifest` prints into *App Manifest*, and install the app again.";
    Finding::problem(NAME, found, next)
}

/// On AWS this machine is only the administrator's.
fn time(apart: SignedDuration) -> Finding {
    if apart < FAR {
        return Finding::ok(CLOCK, "this machine's is within a minute of Slack's");
    }
    let found = format!("this machine's is {} s apart from Slack's", apart.as_secs());
    let next = "Let the machine take its time from the network: where Alfred serves, Slack's requests are \
        refused from five minutes on.";
    Finding::warning(CLOCK, found, next)
}
