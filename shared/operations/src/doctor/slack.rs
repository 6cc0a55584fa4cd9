//! Slack's answer to the bot token, the scopes of the app, and the clock.

use alfred_core::config::admin_ids;
use alfred_core::ports::{Clock, SecretError, refuses_token};
use alfred_http::{CachedSecret, LazyClient, up_to, with_causes};
use jiff::SignedDuration;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::Method;
use reqwest::header::{DATE, HeaderMap};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::sync::Arc;

use super::settings::{PEOPLE, own_id, people};
use super::{Finding, READ_SECRETS, Verdict};
use crate::manifest::SOURCE;

pub const API: &str = "https://slack.com/api";
const NAME: &str = "slack";
const CLOCK: &str = "clock";
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Slack and Alfred refuse signatures from five minutes on.
const FAR: SignedDuration = SignedDuration::from_mins(1);
const NEW_TOKEN: &str = "Take the bot token from *OAuth & Permissions* of the Slack app, installed \
    again if need be, and set SLACK_BOT_TOKEN; on AWS deploy with it as SlackBotToken and a SecretsRevision one higher.";
const SOCKET: &str = "Socket Mode";
const NEW_APP_TOKEN: &str = "Create an app-level token with connections:write under *Basic Information* of the \
    Slack app, and set SLACK_APP_TOKEN.";
const NEW_MANIFEST: &str = "Paste what `alfred slack manifest` prints into *App Manifest*, with `--socket` or `--url` \
    as the app was made, and install the app again.";
const SET_ADMINS: &str = "Set ALFRED_ADMINS to";
const EVENTS: &str = "events";
const NEW_CONFIGURATION_TOKEN: &str = "Generate an app configuration token below the list on \
    api.slack.com/apps, where they live for twelve hours, and set SLACK_CONFIG_TOKEN.";
const REACH: &str =
    "Look whether this machine reaches Slack, and whether SLACK_API_URL is unset or right.";

/// The entries of a list of the manifest, and what needs each.
fn listed(list: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (_, after) = SOURCE.split_once(list).unwrap_or_default();
    let lines = after.lines().take_while(|line| line.starts_with("      "));
    let lines = lines.filter_map(|line| line.trim().strip_prefix("- "));
    lines.map(|line| line.split_once(" # ").unwrap_or((line, "")))
}

/// Those of a list that the app doesn't have, each with what goes without it.
fn missing(list: &str, present: &[&str]) -> Vec<String> {
    let missing = listed(list).filter(|(name, _)| !present.contains(name));
    missing
        .map(|(name, need)| format!("{name} ({need})"))
        .collect()
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
    let refused = |code: &str| {
        let found = format!("the bot token is refused: {code}");
        Finding::problem(NAME, found, NEW_TOKEN)
    };
    let call = (Method::GET, "auth.test");
    let (headers, body) = match ask(NAME, &api, call, &token, refused).await {
        Ok(answer) => answer,
        Err(silent) => return vec![silent],
    };
    let slack = body.map_or_else(|other| other, |body| app(&body, &headers));
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    let date = date.and_then(|date| DateTimeParser::new().parse_timestamp(date).ok());
    let clock = date.map(|date| time(clock.now().duration_since(date).abs()));
    [Some(slack), clock].into_iter().flatten().collect()
}

/// Asks for the address of a connection of Socket Mode, and doesn't use it.
pub async fn check_socket(api: String, token: SecretString) -> Vec<Finding> {
    let refused = |code: &str| {
        let found = format!("the app-level token is refused: {code}");
        Finding::problem(SOCKET, found, NEW_APP_TOKEN)
    };
    let call = (Method::POST, "apps.connections.open");
    let opened = ask(SOCKET, &api, call, &token, refused).await;
    let opened = opened.and_then(|(_, body)| body);
    vec![opened.map_or_else(|wrong| wrong, |_| Finding::ok(SOCKET, "ok"))]
}

/// Looks up whom `admins` names: with a wrong id nobody could let people in. Leaves the names out if Slack refuses the
/// token or doesn't answer, which another check reports.
pub async fn check_people(api: String, bot: SecretString, admins: String) -> Vec<Finding> {
    let mut names = Vec::new();
    for id in admin_ids(&admins) {
        let call = format!("users.info?user={id}");
        let unread = |code: &str| Finding::ok(PEOPLE, code);
        let answer = ask(PEOPLE, &api, (Method::GET, &call), &bot, unread).await;
        match answer.map(|(_, body)| body) {
            Ok(Ok(body)) => {
                let name = body["user"]["profile"]["real_name"].as_str();
                names.push(format!("{} ({id})", name.unwrap_or("?")));
            }
            Ok(Err(wrong)) if wrong.verdict == Verdict::Problem => {
                let found = format!("{} for the administrator {id}", wrong.found);
                return vec![Finding::problem(PEOPLE, found, &own_id(SET_ADMINS))];
            }
            Ok(Err(_)) | Err(_) => names.push(id.to_owned()),
        }
    }
    people(&names.join(", "), SET_ADMINS)
}

/// Compares the events of the app with those that Alfred needs. Slack shows an app's manifest to a configuration token
/// only, which nothing else needs.
pub async fn check_events(
    api: String,
    bot: SecretString,
    configuration: Option<SecretString>,
) -> Vec<Finding> {
    let Some(configuration) = configuration else {
        let found = "not compared: that needs an app configuration token, as SLACK_CONFIG_TOKEN";
        return vec![Finding::ok(EVENTS, found)];
    };
    let found = async {
        let own = asked(&api, "auth.test", &bot).await?;
        let bot_id = own["bot_id"].as_str().unwrap_or_default();
        let own = asked(&api, &format!("bots.info?bot={bot_id}"), &bot).await?;
        let app = own["bot"]["app_id"].as_str().unwrap_or_default();
        let exported = format!("apps.manifest.export?app_id={app}");
        let exported = asked(&api, &exported, &configuration).await?;
        Ok(events(&exported["manifest"]))
    };
    vec![found.await.unwrap_or_else(|refused: Finding| refused)]
}

/// The body of a successful answer.
async fn asked(api: &str, method: &str, token: &SecretString) -> Result<Value, Finding> {
    let refused = |code: &str| {
        let found = format!("not compared: Slack refuses the token ({code})");
        Finding::warning(EVENTS, found, NEW_CONFIGURATION_TOKEN)
    };
    let (_, body) = ask(EVENTS, api, (Method::GET, method), token, refused).await?;
    body
}

fn events(manifest: &Value) -> Finding {
    let subscribed = &manifest["settings"]["event_subscriptions"]["bot_events"];
    let subscribed = subscribed.as_array().map_or(&[][..], Vec::as_slice);
    let subscribed: Vec<&str> = subscribed.iter().filter_map(Value::as_str).collect();
    let missing = missing("    bot_events:\n", &subscribed);
    if missing.is_empty() {
        return Finding::ok(EVENTS, "the app gets all");
    }
    let found = format!("the app doesn't get {}", missing.join(", "));
    Finding::problem(EVENTS, found, NEW_MANIFEST)
}

/// Returns the headers of the answer, and its body if the call succeeded. `refused` turns Slack's code for a refused
/// token into a finding.
async fn ask(
    check: &str,
    api: &str,
    (verb, method): (Method, &str),
    token: &SecretString,
    refused: impl Fn(&str) -> Finding,
) -> Result<(HeaderMap, Result<Value, Finding>), Finding> {
    let http = LazyClient::default();
    let answer = async {
        let client = http.get(api, |builder| builder)?;
        let url = format!("{}/{method}", api.trim_end_matches('/'));
        let request = client.request(verb, url).bearer_auth(token.expose_secret());
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let (body, _) = up_to(response, MAX_ANSWER_BYTES).await?;
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        Ok::<_, reqwest::Error>((status, headers, body))
    };
    let (status, headers, body) = answer.await.map_err(|error| {
        let found = format!("no answer: {}", with_causes(&error.without_url()));
        Finding::problem(check, found, REACH)
    })?;
    let body = match body["error"].as_str() {
        _ if body["ok"] == true => Ok(body),
        Some(code) if refuses_token(code) => Err(refused(code)),
        code => Err(other(check, code, status)),
    };
    Ok((headers, body))
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
    let missing = missing("    bot:\n", &granted);
    if missing.is_empty() {
        return Finding::ok(NAME, format!("{found}, all scopes"));
    }
    let found = format!("{found}; scopes are missing: {}", missing.join(", "));
    Finding::problem(NAME, found, NEW_MANIFEST)
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use wiremock::matchers::{bearer_token, path, query_param};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    async fn compared(server: &MockServer, configuration: &str) -> String {
        let configuration = Some(configuration.to_owned().into());
        let found = check_events(server.uri(), "xoxb-1".to_owned().into(), configuration).await;
        format!("{:?} {}", found[0].verdict, found[0].found)
    }

    #[tokio::test]
    async fn events_that_the_app_does_not_get_are_named_with_what_goes_without_them() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let server = MockServer::start().await;
        let answer = |body: Value| ResponseTemplate::new(200).set_body_json(body);
        let bot = json!({"ok": true, "bot_id": "B1"});
        let own = json!({"ok": true, "bot": {"app_id": "A1"}});
        let events = listed("    bot_events:\n").map(|(name, _)| name);
        let events: Vec<&str> = events.collect();
        let manifest = |events: &[&str]| {
            let settings = json!({"event_subscriptions": {"bot_events": events}});
            answer(json!({"ok": true, "manifest": {"settings": settings}}))
        };
        let exported = |token| {
            let asked = Mock::given(path("/apps.manifest.export")).and(bearer_token(token));
            asked.and(query_param("app_id", "A1"))
        };
        let expired = answer(json!({"ok": false, "error": "token_expired"}));
        let auth = Mock::given(path("/auth.test")).and(bearer_token("xoxb-1"));
        let bots = Mock::given(path("/bots.info")).and(query_param("bot", "B1"));
        for mock in [
            auth.respond_with(answer(bot)),
            bots.respond_with(answer(own)),
            exported("all").respond_with(manifest(&events)),
            exported("some").respond_with(manifest(&events[2..])),
            exported("old").respond_with(expired),
        ] {
            mock.mount(&server).await;
        }
        assert_eq!(compared(&server, "all").await, "Ok the app gets all");
        let some = "Problem the app doesn't get agent_session_stopped (the stop button), \
            app_home_opened (the Home tab)";
        assert_eq!(compared(&server, "some").await, some);
        let old = "Warning not compared: Slack refuses the token (token_expired)";
        assert_eq!(compared(&server, "old").await, old);
    }
}
