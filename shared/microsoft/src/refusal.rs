//! Graph's error answers (<https://learn.microsoft.com/graph/errors>).

use alfred_core::ports::{AccountError, Provider};
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Duration;

use alfred_accounts::api::{CallError, Manner, Miss, provider_too_large};

/// Requests ids that survive a move.
pub(super) const IMMUTABLE_IDS: (&str, &str) = ("Prefer", r#"IdType="ImmutableId""#);

pub(super) const MANNER: Manner = Manner {
    provider: Provider::Microsoft,
    headers: &[IMMUTABLE_IDS],
    meaning,
};

/// Classifies mostly by status: Graph's codes become more detailed over time.
pub(super) fn meaning(status: StatusCode, after: Option<Duration>, body: &[u8]) -> Miss {
    let refusal: Value = serde_json::from_slice(body).unwrap_or_default();
    let [code, message] =
        ["code", "message"].map(|name| refusal["error"][name].as_str().unwrap_or_default());
    let message: String = message.chars().take(300).collect();
    let detail = format!("HTTP {}: {code} {message}", status.as_u16());
    let refused = |words: &str| Miss::Error(CallError::Account(AccountError::refused(words)));
    match (status.as_u16(), code) {
        (401, _) => Miss::Token,
        (403, "ErrorAccessDenied" | "AccessDenied" | "Authorization_RequestDenied") => {
            Miss::NotGranted
        }
        (_, "MailboxNotEnabledForRESTAPI" | "MailboxNotSupportedForRESTAPI") => {
            refused("Your Microsoft account has no mailbox that I can reach.")
        }
        (403, "ErrorQuotaExceeded") | (507, _) => {
            refused("Your mailbox at Microsoft 365 is full, so nothing happened.")
        }
        (413, _) => refused(&provider_too_large(Provider::Microsoft)),
        (429, _) => Miss::NotNow(after, detail),
        (408 | 500.., _) => Miss::Lost(detail),
        (status, _) => Miss::Error(CallError::Status {
            provider: Provider::Microsoft,
            code: status,
            reason: code.to_owned(),
            message,
        }),
    }
}
