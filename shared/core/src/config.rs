//! Names of environment variables and limits, fixed once.

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::time::Duration;
use thiserror::Error;

use crate::id::UserId;
use crate::policy::{Mode, Policy};

/// The data folder of one machine.
pub const ALFRED_DATA: &str = "ALFRED_DATA";
/// `provider:model`, or several with commas: the first that answers.
pub const ALFRED_MODEL: &str = "ALFRED_MODEL";
/// Base URL of an OpenAI-compatible endpoint; wins over `OPENAI_BASE_URL`.
pub const ALFRED_MODEL_URL: &str = "ALFRED_MODEL_URL";
/// The same, as other programs name it.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// How many tokens each model takes at once, prompt and answer together, where its server doesn't tell.
pub const ALFRED_MODEL_CONTEXT: &str = "ALFRED_MODEL_CONTEXT";
/// Key of the model provider.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Slack ids of administrators, with commas.
pub const ALFRED_ADMINS: &str = "ALFRED_ADMINS";
/// Seconds between two looks for a reply whose outcome is unknown, 30 unless set.
pub const ALFRED_REPLY_SETTLE: &str = "ALFRED_REPLY_SETTLE";
/// What is asked for, pre-approved or blocked, as JSON (see `Policy`).
pub const ALFRED_POLICY: &str = "ALFRED_POLICY";
/// Minutes until an approval expires, 60 unless set.
pub const ALFRED_APPROVAL_MINUTES: &str = "ALFRED_APPROVAL_MINUTES";
/// What one person may use in a day, as JSON (see `DailyBudget`).
pub const ALFRED_DAILY_BUDGET: &str = "ALFRED_DAILY_BUDGET";
/// What one person's scheduled runs may use in a day besides, as JSON of the same kind.
pub const ALFRED_SCHEDULED_BUDGET: &str = "ALFRED_SCHEDULED_BUDGET";
/// The server that takes mail, `smtps://user@host:465` or `smtp://user@host:587`; mail stays in its folder without.
pub const ALFRED_SMTP_URL: &str = "ALFRED_SMTP_URL";
/// The password for it; else the secret of this name.
pub const ALFRED_SMTP_PASSWORD: &str = "ALFRED_SMTP_PASSWORD";
/// The server that keeps a person's mail, `imaps://user@host:993`; `ALFRED_SMTP_URL` sends it.
pub const ALFRED_IMAP_URL: &str = "ALFRED_IMAP_URL";
/// The password for it; else the secret of this name.
pub const ALFRED_IMAP_PASSWORD: &str = "ALFRED_IMAP_PASSWORD";
/// A person's calendar on a server, `https://user@host/path/of/the/calendar/` (CalDAV).
pub const ALFRED_CALDAV_URL: &str = "ALFRED_CALDAV_URL";
/// The password for it; else the secret of this name.
pub const ALFRED_CALDAV_PASSWORD: &str = "ALFRED_CALDAV_PASSWORD";
/// The mail servers that people may connect by password: `public` for those of the public internet, or the names of
/// hosts, which may lie inside. Nobody connects one unless it is set (docs/mail-servers.md).
pub const ALFRED_MAIL_SERVERS: &str = "ALFRED_MAIL_SERVERS";
/// The address of the page on which they do so.
pub const ALFRED_CONNECT_URL: &str = "ALFRED_CONNECT_URL";
/// Base URL of Slack's Web API.
pub const SLACK_API_URL: &str = "SLACK_API_URL";
/// The bot's token.
pub const SLACK_BOT_TOKEN: &str = "SLACK_BOT_TOKEN";
/// Signs what Slack sends.
pub const SLACK_SIGNING_SECRET: &str = "SLACK_SIGNING_SECRET";
/// The secret before a rotation, accepted beside the new one.
pub const SLACK_SIGNING_SECRET_PREVIOUS: &str = "SLACK_SIGNING_SECRET_PREVIOUS";
/// Name of the state table.
pub const STATE_TABLE: &str = "STATE_TABLE";
/// Name of the audit table.
pub const AUDIT_TABLE: &str = "AUDIT_TABLE";
/// Name of the bucket for large bodies.
pub const BLOBS_BUCKET: &str = "BLOBS_BUCKET";
/// Name of the bucket in which the audit's daily digests are locked.
pub const AUDIT_BUCKET: &str = "AUDIT_BUCKET";
/// Receiver → classifier.
pub const INGRESS_QUEUE_URL: &str = "INGRESS_QUEUE_URL";
/// Classifier → utility worker.
pub const UTILITY_QUEUE_URL: &str = "UTILITY_QUEUE_URL";
/// Classifier → team manager.
pub const TEAM_QUEUE_URL: &str = "TEAM_QUEUE_URL";
/// The id of the OAuth client that people consent to at Google; nobody can connect an account without.
pub const GOOGLE_CLIENT_ID: &str = "GOOGLE_CLIENT_ID";
/// Its secret; else the secret of this name.
pub const GOOGLE_CLIENT_SECRET: &str = "GOOGLE_CLIENT_SECRET";
/// The key of a service account that an administrator lets act for everybody of their domain: its JSON, or the name of
/// the secret that holds it. Then nobody connects an account themselves.
pub const GOOGLE_SERVICE_ACCOUNT: &str = "GOOGLE_SERVICE_ACCOUNT";
/// Where Google sends people back to, as it is registered there.
pub const GOOGLE_REDIRECT_URI: &str = "GOOGLE_REDIRECT_URI";
/// Base URL of all of Google's APIs, where something else plays them.
pub const GOOGLE_API_URL: &str = "GOOGLE_API_URL";
/// The id of the app that people consent to at Microsoft; nobody can connect a Microsoft account without.
pub const MICROSOFT_CLIENT_ID: &str = "MICROSOFT_CLIENT_ID";
/// Its secret; else the secret of this name.
pub const MICROSOFT_CLIENT_SECRET: &str = "MICROSOFT_CLIENT_SECRET";
/// Whose accounts it takes: a tenant's id or domain, `organizations`, `consumers`, or `common`, the default.
pub const MICROSOFT_TENANT: &str = "MICROSOFT_TENANT";
/// Where Microsoft sends people back to, as it is registered there.
pub const MICROSOFT_REDIRECT_URI: &str = "MICROSOFT_REDIRECT_URI";
/// Base URL of Graph and of the consents for it, where something else plays them.
pub const MICROSOFT_API_URL: &str = "MICROSOFT_API_URL";
/// What searches the web: `searxng`, `tavily`, or `openai:model`. Without it, what has its own setting of these two.
pub const ALFRED_SEARCH: &str = "ALFRED_SEARCH";
/// Base URL of a SearXNG whose settings list `json` under `search.formats`.
pub const SEARXNG_URL: &str = "SEARXNG_URL";
/// Key of Tavily; else the secret of this name.
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";
/// ARN of the role by which people's own secrets are reached, in sessions tagged with whose they are.
pub const ACCOUNTS_ROLE: &str = "ACCOUNTS_ROLE";
/// The KMS key under which they are kept in the state table; in Secrets Manager without.
pub const ACCOUNTS_KEY: &str = "ACCOUNTS_KEY";
/// Endpoint of an AWS emulator.
pub const AWS_ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";

/// What every handler needs to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Who administers; these people are known without being added.
    pub admins: Vec<UserId>,
    /// Zone of people for whom Slack knows none.
    pub default_timezone: String,
    /// Time between two looks for a reply whose outcome is unknown.
    pub reply_settle: Duration,
    /// Days that claims, runs, journals and blobs are kept.
    pub retention_days: i64,
    /// Days that audit entries are kept.
    pub audit_days: i64,
    /// What is asked for, pre-approved or blocked.
    pub policy: Policy,
    /// Whether the chat is a real Slack, with people at the other end.
    pub real_slack: bool,
    /// How long an approval can be given.
    pub approval_expiry: SignedDuration,
    /// What one person may use in a day by asking.
    pub daily_budget: DailyBudget,
    /// What their scheduled runs may use in a day.
    pub scheduled_budget: DailyBudget,
}

/// What one person may use in a day of their own time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DailyBudget {
    /// Model turns.
    pub model_calls: u64,
    /// Tokens read and written.
    pub tokens: u64,
    /// Millionths of a US dollar, where prices are known.
    pub cost_micros: u64,
    /// Effects that reach other people.
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
    /// A quarter of the other one: what runs by itself mustn't cost as much as what is asked.
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

/// A setting that can't be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// It must be set.
    #[error("{name} is not set")]
    Missing {
        /// The variable.
        name: &'static str,
    },
    /// Its value makes no sense.
    #[error("{name}: {reason}")]
    Invalid {
        /// The variable.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl Config {
    /// Reads the settings through a look-up, so that tests need no environment.
    ///
    /// # Errors
    /// `Invalid` for an administrator that isn't a Slack user id, and for a time that is none.
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

    /// A variable that must be there and not be empty.
    ///
    /// # Errors
    /// `Missing` when it isn't.
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

/// Whether a URL's host is this machine, by name or by number: only a stand-in listens there.
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
