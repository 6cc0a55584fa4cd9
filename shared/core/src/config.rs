//! Environment variables and the settings read from them.

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::time::Duration;
use thiserror::Error;

use crate::id::UserId;
use crate::policy::{Mode, Policy};

pub const ALFRED_DATA: &str = "ALFRED_DATA";
/// `provider:model`, or several separated by commas. The first that answers is used.
pub const ALFRED_MODEL: &str = "ALFRED_MODEL";
/// Base URL of an OpenAI-compatible endpoint; wins over `OPENAI_BASE_URL`.
pub const ALFRED_MODEL_URL: &str = "ALFRED_MODEL_URL";
/// Like `ALFRED_MODEL_URL`, under the name that other programs use.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// Context size of each model in tokens, prompt and answer together, if its server doesn't report it.
pub const ALFRED_MODEL_CONTEXT: &str = "ALFRED_MODEL_CONTEXT";
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Slack ids of administrators, separated by commas.
pub const ALFRED_ADMINS: &str = "ALFRED_ADMINS";
/// Seconds between two searches for a reply whose outcome is unknown; 30 by default.
pub const ALFRED_REPLY_SETTLE: &str = "ALFRED_REPLY_SETTLE";
/// The approval policy as JSON (see `Policy`).
pub const ALFRED_POLICY: &str = "ALFRED_POLICY";
/// Minutes until an approval expires; 60 by default.
pub const ALFRED_APPROVAL_MINUTES: &str = "ALFRED_APPROVAL_MINUTES";
/// Daily budget of each person as JSON (see `DailyBudget`).
pub const ALFRED_DAILY_BUDGET: &str = "ALFRED_DAILY_BUDGET";
/// Additional daily budget for a person's scheduled runs, as JSON (see `DailyBudget`).
pub const ALFRED_SCHEDULED_BUDGET: &str = "ALFRED_SCHEDULED_BUDGET";
/// SMTP server: `smtps://user@host:465` or `smtp://user@host:587`. Without it, mail stays in its folder.
pub const ALFRED_SMTP_URL: &str = "ALFRED_SMTP_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_SMTP_PASSWORD: &str = "ALFRED_SMTP_PASSWORD";
/// IMAP server of a person's mail: `imaps://user@host:993`. Mail is sent through `ALFRED_SMTP_URL`.
pub const ALFRED_IMAP_URL: &str = "ALFRED_IMAP_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_IMAP_PASSWORD: &str = "ALFRED_IMAP_PASSWORD";
/// A person's CalDAV calendar: `https://user@host/path/of/the/calendar/`.
pub const ALFRED_CALDAV_URL: &str = "ALFRED_CALDAV_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_CALDAV_PASSWORD: &str = "ALFRED_CALDAV_PASSWORD";
/// Mail servers that people may connect by password: `public` for those on the public internet, or
/// host names, which may be internal. If unset, nobody can connect one (docs/mail-servers.md).
pub const ALFRED_MAIL_SERVERS: &str = "ALFRED_MAIL_SERVERS";
/// URL of the page where people connect such a server.
pub const ALFRED_CONNECT_URL: &str = "ALFRED_CONNECT_URL";
pub const SLACK_API_URL: &str = "SLACK_API_URL";
pub const SLACK_BOT_TOKEN: &str = "SLACK_BOT_TOKEN";
/// The secret that verifies requests from Slack.
pub const SLACK_SIGNING_SECRET: &str = "SLACK_SIGNING_SECRET";
/// The previous signing secret, accepted during a rotation.
pub const SLACK_SIGNING_SECRET_PREVIOUS: &str = "SLACK_SIGNING_SECRET_PREVIOUS";
pub const STATE_TABLE: &str = "STATE_TABLE";
pub const AUDIT_TABLE: &str = "AUDIT_TABLE";
/// Name of the bucket for bodies too large for the table.
pub const BLOBS_BUCKET: &str = "BLOBS_BUCKET";
/// Name of the bucket for the locked daily audit digests.
pub const AUDIT_BUCKET: &str = "AUDIT_BUCKET";
/// Queue from the receiver to the classifier.
pub const INGRESS_QUEUE_URL: &str = "INGRESS_QUEUE_URL";
/// Queue from the classifier to the utility worker.
pub const UTILITY_QUEUE_URL: &str = "UTILITY_QUEUE_URL";
/// Queue from the classifier to the team manager.
pub const TEAM_QUEUE_URL: &str = "TEAM_QUEUE_URL";
/// OAuth client id for Google. Without it nobody can connect a Google account.
pub const GOOGLE_CLIENT_ID: &str = "GOOGLE_CLIENT_ID";
/// Its client secret. If unset, the secret of this name is used.
pub const GOOGLE_CLIENT_SECRET: &str = "GOOGLE_CLIENT_SECRET";
/// Key of a Google service account with domain-wide delegation: its JSON, or the name of the secret
/// with it. With it nobody connects accounts individually.
pub const GOOGLE_SERVICE_ACCOUNT: &str = "GOOGLE_SERVICE_ACCOUNT";
/// OAuth redirect URI, as registered at Google.
pub const GOOGLE_REDIRECT_URI: &str = "GOOGLE_REDIRECT_URI";
/// Base URL of all Google APIs, to use a stand-in instead.
pub const GOOGLE_API_URL: &str = "GOOGLE_API_URL";
/// OAuth client id for Microsoft. Without it nobody can connect a Microsoft account.
pub const MICROSOFT_CLIENT_ID: &str = "MICROSOFT_CLIENT_ID";
/// Its client secret. If unset, the secret of this name is used.
pub const MICROSOFT_CLIENT_SECRET: &str = "MICROSOFT_CLIENT_SECRET";
/// Accounts to accept: a tenant's id or domain, `organizations`, `consumers`, or `common` (the default).
pub const MICROSOFT_TENANT: &str = "MICROSOFT_TENANT";
/// OAuth redirect URI, as registered at Microsoft.
pub const MICROSOFT_REDIRECT_URI: &str = "MICROSOFT_REDIRECT_URI";
/// Base URL of Microsoft Graph and its consent pages, to use a stand-in instead.
pub const MICROSOFT_API_URL: &str = "MICROSOFT_API_URL";
/// Web search provider: `searxng`, `tavily` or `openai:model`. If unset, `SEARXNG_URL` or
/// `TAVILY_API_KEY` decides.
pub const ALFRED_SEARCH: &str = "ALFRED_SEARCH";
/// Base URL of a SearXNG server. Its settings must list `json` under `search.formats`.
pub const SEARXNG_URL: &str = "SEARXNG_URL";
/// API key of Tavily. If unset, the secret of this name is used.
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";
/// ARN of the role that reads people's own secrets, in sessions tagged with their owner.
pub const ACCOUNTS_ROLE: &str = "ACCOUNTS_ROLE";
/// KMS key that encrypts people's secrets in the state table. If unset, they are stored in Secrets Manager.
pub const ACCOUNTS_KEY: &str = "ACCOUNTS_KEY";
pub const AWS_ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Administrators. They are served without being registered.
    pub admins: Vec<UserId>,
    /// Time zone of people for whom Slack knows none.
    pub default_timezone: String,
    /// Time between two searches for a reply whose outcome is unknown.
    pub reply_settle: Duration,
    /// Days that claims, runs, journals and blobs are kept.
    pub retention_days: i64,
    pub audit_days: i64,
    pub policy: Policy,
    /// Whether a real Slack is connected, rather than the local stand-in.
    pub real_slack: bool,
    pub approval_expiry: SignedDuration,
    pub daily_budget: DailyBudget,
    /// Daily budget of a person's scheduled runs.
    pub scheduled_budget: DailyBudget,
}

/// The limits of a person per day in their own time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DailyBudget {
    pub model_calls: u64,
    /// Input and output tokens.
    pub tokens: u64,
    /// Millionths of a US dollar; only calls with known prices.
    pub cost_micros: u64,
    pub outward_effects: u64,
}

impl Default for DailyBudget {
    fn default() -> Self {
        Self {
            model_calls: 2_000,
            tokens: 20_000_000,
            cost_micros: 20_000_000,
            outward_effects: 100,
        }
    }
}

impl DailyBudget {
    /// The default for scheduled runs: a quarter of the daily budget.
    pub fn scheduled() -> Self {
        Self {
            model_calls: 500,
            tokens: 5_000_000,
            cost_micros: 5_000_000,
            outward_effects: 25,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            admins: Vec::new(),
            default_timezone: "UTC".into(),
            reply_settle: Duration::from_secs(30),
            retention_days: 30,
            audit_days: 400,
            policy: Policy::default(),
            real_slack: true,
            approval_expiry: SignedDuration::from_mins(60),
            daily_budget: DailyBudget::default(),
            scheduled_budget: DailyBudget::scheduled(),
        }
    }
}

#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{name} is not set")]
    Missing { name: &'static str },
    #[error("{name}: {reason}")]
    Invalid { name: &'static str, reason: String },
}

impl Config {
    /// Reads the settings with a lookup function instead of the environment, for tests. Fails with `Invalid`
    /// for values that can't be used, such as an administrator that isn't a Slack user id.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let listed = lookup(ALFRED_ADMINS).unwrap_or_default();
        let mut admins = Vec::new();
        for id in listed.split(',').map(str::trim).filter(|id| !id.is_empty()) {
            let id = UserId::from(id);
            user_id(ALFRED_ADMINS, "", &id)?;
            admins.push(id);
        }
        let mut config = Self {
            admins,
            ..Self::default()
        };
        if let Some(text) = lookup(ALFRED_REPLY_SETTLE) {
            let seconds: f64 = text.parse().unwrap_or(-1.0);
            config.reply_settle =
                Duration::try_from_secs_f64(seconds).map_err(|_| ConfigError::Invalid {
                    name: ALFRED_REPLY_SETTLE,
                    reason: format!("\"{text}\" is no number of seconds"),
                })?;
        }
        config.read_approvals(&lookup)?;
        Ok(config)
    }

    fn read_approvals(
        &mut self,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<(), ConfigError> {
        if let Some(policy) = json::<Policy>(lookup, ALFRED_POLICY)? {
            for id in policy.users.keys() {
                user_id(ALFRED_POLICY, "users: ", id)?;
            }
            self.policy = policy;
        }
        if let Some(budget) = json(lookup, ALFRED_DAILY_BUDGET)? {
            self.daily_budget = budget;
        }
        if let Some(budget) = json(lookup, ALFRED_SCHEDULED_BUDGET)? {
            self.scheduled_budget = budget;
        }
        if let Some(expiry) = minutes(lookup, ALFRED_APPROVAL_MINUTES)? {
            self.approval_expiry = expiry;
        }
        self.real_slack = lookup(SLACK_API_URL).is_none_or(|url| !is_loopback(&url));
        if self.policy.mode == Mode::ApproveAll && self.real_slack {
            return Err(ConfigError::Invalid {
                name: ALFRED_POLICY,
                reason: "the mode approve_all is refused where the chat is a real Slack".into(),
            });
        }
        Ok(())
    }

    /// Reads a variable that must be set and not empty. Fails with `Missing` otherwise.
    pub fn required(
        lookup: impl Fn(&str) -> Option<String>,
        name: &'static str,
    ) -> Result<String, ConfigError> {
        lookup(name)
            .filter(|value| !value.is_empty())
            .ok_or(ConfigError::Missing { name })
    }
}

fn user_id(name: &'static str, field: &str, id: &UserId) -> Result<(), ConfigError> {
    let text = id.as_str();
    if text.starts_with(['U', 'W']) && text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(ConfigError::Invalid {
        name,
        reason: format!("{field}\"{text}\" is no Slack user id such as U012AB3CD"),
    })
}

fn json<T: DeserializeOwned>(
    lookup: &impl Fn(&str) -> Option<String>,
    name: &'static str,
) -> Result<Option<T>, ConfigError> {
    let Some(text) = lookup(name).filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let mut json = serde_json::Deserializer::from_str(&text);
    let read = serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string());
    let ended = json.end().map_err(|error| error.to_string());
    let value = read.and_then(|value| ended.map(|()| Some(value)));
    value.map_err(|reason| ConfigError::Invalid { name, reason })
}

fn minutes(
    lookup: &impl Fn(&str) -> Option<String>,
    name: &'static str,
) -> Result<Option<SignedDuration>, ConfigError> {
    let Some(text) = lookup(name).filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    match text.trim().parse::<i64>() {
        Ok(minutes) if (1..=10_080).contains(&minutes) => {
            Ok(Some(SignedDuration::from_mins(minutes)))
        }
        _ => Err(ConfigError::Invalid {
            name,
            reason: format!("\"{text}\" is no number of minutes from 1 to 10080"),
        }),
    }
}

/// Whether a URL's host is this machine, by name or address. Only a stand-in for Slack runs there.
pub fn is_loopback(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    let number = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || number.is_ok_and(|number| number.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        let own = [
            "http://127.0.0.1:4141/api",
            "http://localhost/api",
            "http://[::1]:80",
        ];
        let others = [
            "https://slack.com/api",
            "http://10.0.0.1/api",
            "http://emulator:4566",
            "http://127.evil.example",
            "http://localhost.example.com",
            "http://localhost@evil.example/",
            "no url",
        ];
        assert!(own.into_iter().all(is_loopback));
        assert!(!others.into_iter().any(is_loopback));
    }

    #[test]
    fn approve_all_is_refused_on_a_real_slack() {
        let read = |url: &str| {
            Config::read(|name| match name {
                ALFRED_POLICY => Some(r#"{"mode": "approve_all"}"#.into()),
                SLACK_API_URL => (!url.is_empty()).then(|| url.into()),
                _ => None,
            })
        };
        assert!(!read("http://127.0.0.1:4142/api").unwrap().real_slack);
        for real in [
            "",
            "https://slack.com/api",
            "https://127.0.0.1.evil.example/api",
            "http://localhost@evil.example/",
        ] {
            assert!(
                read(real).unwrap_err().to_string().contains("approve_all"),
                "{real}"
            );
        }
    }

    #[test]
    fn settings_of_approvals_name_what_is_wrong() {
        let read = |key: &'static str, value: &'static str| {
            Config::read(move |name| (name == key).then(|| value.into()))
        };
        for (key, value, part) in [
            (ALFRED_POLICY, r#"{"tool": {}}"#, "unknown field `tool`"),
            (
                ALFRED_POLICY,
                r#"{"mode": "auto"}"#,
                "mode: unknown variant `auto`",
            ),
            (
                ALFRED_POLICY,
                r#"{"tools": {"task_deleteTask": "block"}}"#,
                "tools.task_deleteTask: unknown variant `block`",
            ),
            (
                ALFRED_POLICY,
                r#"{"users": {"ana": {}}}"#,
                "users: \"ana\" is no Slack user id",
            ),
            (ALFRED_POLICY, r#"{} {}"#, "trailing characters"),
            (ALFRED_APPROVAL_MINUTES, "0", "1 to 10080"),
            (ALFRED_APPROVAL_MINUTES, "ten", "1 to 10080"),
            (ALFRED_DAILY_BUDGET, r#"{"tokens": -1}"#, "invalid value"),
        ] {
            let error = read(key, value).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains(part), "{error}");
        }
        let config = read(ALFRED_APPROVAL_MINUTES, "120").unwrap();
        assert_eq!(config.approval_expiry, SignedDuration::from_mins(120));
    }

    #[test]
    fn admins_are_read_and_checked() {
        let read = |value: &str| Config::read(|name| (name == ALFRED_ADMINS).then(|| value.into()));
        assert_eq!(read("U1, W2").unwrap().admins, ["U1".into(), "W2".into()]);
        assert!(
            read("ana")
                .unwrap_err()
                .to_string()
                .contains("ALFRED_ADMINS")
        );
    }
}
