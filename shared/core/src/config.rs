//! Names of environment variables and limits, fixed once.

use std::time::Duration;
use thiserror::Error;

use crate::id::UserId;

/// The data folder of one machine.
pub const ALFRED_DATA: &str = "ALFRED_DATA";
/// `provider:model`, or several with commas: the first that answers.
pub const ALFRED_MODEL: &str = "ALFRED_MODEL";
/// Base URL of an OpenAI-compatible endpoint; wins over `OPENAI_BASE_URL`.
pub const ALFRED_MODEL_URL: &str = "ALFRED_MODEL_URL";
/// The same, as other programs name it.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// Key of the model provider.
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Slack ids of administrators, with commas.
pub const ALFRED_ADMINS: &str = "ALFRED_ADMINS";
/// Seconds between two looks for a reply whose outcome is unknown, 30 unless set.
pub const ALFRED_REPLY_SETTLE: &str = "ALFRED_REPLY_SETTLE";
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
/// Receiver → classifier.
pub const INGRESS_QUEUE_URL: &str = "INGRESS_QUEUE_URL";
/// Classifier → utility worker.
pub const UTILITY_QUEUE_URL: &str = "UTILITY_QUEUE_URL";
/// Classifier → team manager.
pub const TEAM_QUEUE_URL: &str = "TEAM_QUEUE_URL";
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
}

impl Default for Config {
    fn default() -> Self {
        Self {
            admins: Vec::new(),
            default_timezone: "UTC".into(),
            reply_settle: Duration::from_secs(30),
            retention_days: 30,
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
            if !id.starts_with(['U', 'W']) || !id.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return Err(ConfigError::Invalid {
                    name: ALFRED_ADMINS,
                    reason: format!("\"{id}\" is no Slack user id such as U012AB3CD"),
                });
            }
            admins.push(UserId::from(id));
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
        Ok(config)
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

#[cfg(test)]
mod tests {
    use super::*;

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
