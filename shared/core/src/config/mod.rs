//! The settings of a deployment, read from environment variables.

pub mod error;
pub mod variables;

pub use error::ConfigError;
pub use variables::*;

use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::time::Duration;

use crate::id::UserId;
use crate::policy::{Mode, Policy};

/// A variable of the environment, [`trimmed`].
pub fn variable(name: &str) -> Option<String> {
    trimmed(&std::env::var(name).ok()?)
}

/// A setting without white space around it, such as the line end of a pasted token. `None` if nothing is left.
pub fn trimmed(value: &str) -> Option<String> {
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

pub fn stage() -> String {
    variable(ALFRED_STAGE).unwrap_or_else(|| "alfred".into())
}

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

/// The ids in the text of [`ALFRED_ADMINS`].
pub fn admin_ids(listed: &str) -> impl Iterator<Item = &str> {
    let ids = listed.split(',').map(str::trim);
    ids.filter(|id| !id.is_empty())
}

impl Config {
    /// Reads the settings with a lookup function instead of the environment, for tests. Fails with `Invalid`
    /// for values that can't be used, such as an administrator that isn't a Slack user id.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let listed = lookup(ALFRED_ADMINS).unwrap_or_default();
        let mut admins = Vec::new();
        for id in admin_ids(&listed).map(UserId::from) {
            user_id(ALFRED_ADMINS, "", &id)?;
            admins.push(id);
        }
        let mut config = Self {
            admins,
            ..Self::default()
        };
        if let Some(text) = lookup(ALFRED_REPLY_SETTLE) {
            let seconds: f64 = text.parse().unwrap_or(-1.0);
            config.reply_settle = Duration::try_from_secs_f64(seconds).map_err(|_| {
                let reason = format!("\"{text}\" is no number of seconds");
                ConfigError::invalid(ALFRED_REPLY_SETTLE, reason)
            })?;
        }
        config.read_approvals(&lookup)?;
        Ok(config)
    }

    fn read_approvals(&mut self, var: &impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
        if let Some(policy) = json::<Policy>(var, ALFRED_POLICY)? {
            for id in policy.users.keys() {
                user_id(ALFRED_POLICY, "users: ", id)?;
            }
            self.policy = policy;
        }
        let daily = json(var, ALFRED_DAILY_BUDGET)?;
        self.daily_budget = daily.unwrap_or(self.daily_budget);
        let scheduled = json(var, ALFRED_SCHEDULED_BUDGET)?;
        self.scheduled_budget = scheduled.unwrap_or(self.scheduled_budget);
        let expiry = minutes(var, ALFRED_APPROVAL_MINUTES)?;
        self.approval_expiry = expiry.unwrap_or(self.approval_expiry);
        self.real_slack = var(SLACK_API_URL).is_none_or(|url| !is_loopback(&url));
        if self.policy.mode == Mode::ApproveAll && self.real_slack {
            let reason = "the mode approve_all is refused where the chat is a real Slack";
            return Err(ConfigError::invalid(ALFRED_POLICY, reason));
        }
        Ok(())
    }

    /// Reads a variable that must be set and not empty. Fails with `Missing` otherwise.
    pub fn required(
        lookup: impl Fn(&str) -> Option<String>,
        name: &'static str,
    ) -> Result<String, ConfigError> {
        let value = lookup(name).filter(|value| !value.is_empty());
        value.ok_or(ConfigError::Missing { name })
    }
}

fn user_id(name: &'static str, field: &str, id: &UserId) -> Result<(), ConfigError> {
    let text = id.as_str();
    if text.starts_with(['U', 'W']) && text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let reason = format!("{field}\"{text}\" is no Slack user id such as U012AB3CD");
    Err(ConfigError::invalid(name, reason))
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
    value.map_err(|reason| ConfigError::invalid(name, reason))
}

fn minutes(
    lookup: &impl Fn(&str) -> Option<String>,
    name: &'static str,
) -> Result<Option<SignedDuration>, ConfigError> {
    let Some(text) = lookup(name).filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    match text.trim().parse::<i64>() {
        Ok(n) if (1..=10_080).contains(&n) => Ok(Some(SignedDuration::from_mins(n))),
        _ => {
            let reason = format!("\"{text}\" is no number of minutes from 1 to 10080");
            Err(ConfigError::invalid(name, reason))
        }
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
        let error = read("ana").unwrap_err().to_string();
        assert!(error.contains("ALFRED_ADMINS"));
    }
}
