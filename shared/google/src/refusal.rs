use alfred_core::ports::{AccountError, Provider};
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Duration;

use alfred_accounts::api::{CallError, Manner, Miss};

const GOOGLE_USED_UP: &str =
    "Google takes no more requests from this account today; please try again tomorrow.";
const GOOGLE_API_DISABLED: &str = "Google's side of this isn't switched on for Alfred; please ask an administrator to enable its API in the Google project.";
const USED_UP: [&str; 3] = [
    "dailyLimitExceeded",
    "quotaExceeded",
    "sharingRateLimitExceeded",
];

pub(super) const MANNER: Manner = Manner {
    provider: Provider::Google,
    headers: &[],
    meaning,
};

/// Classifies a status (<https://developers.google.com/workspace/gmail/api/guides/handle-errors>,
/// <https://developers.google.com/workspace/calendar/api/guides/errors>).
pub(super) fn meaning(status: StatusCode, after: Option<Duration>, body: &[u8]) -> Miss {
    let refusal: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = &refusal["error"];
    let items = ["errors", "details"].map(|name| error[name].as_array());
    let items = items.into_iter().flatten().flatten();
    let reasons: Vec<&str> = items.filter_map(|item| item["reason"].as_str()).collect();
    let says = |wanted: &[&str]| reasons.iter().any(|reason| wanted.contains(reason));
    let message = error["message"].as_str().unwrap_or_default();
    let message: String = message.chars().take(300).collect();
    let detail = format!("HTTP {}: {message}", status.as_u16());
    let refused = |words: &str| Miss::Error(CallError::Account(AccountError::refused(words)));
    match status.as_u16() {
        401 => Miss::Token,
        403 | 429 if says(&USED_UP) => refused(GOOGLE_USED_UP),
        403 if says(&["rateLimitExceeded", "userRateLimitExceeded"]) => Miss::NotNow(after, detail),
        403 if says(&["accessNotConfigured", "SERVICE_DISABLED"]) => refused(GOOGLE_API_DISABLED),
        429 => Miss::NotNow(after, detail),
        408 | 500.. => Miss::Lost(detail),
        403 if says(&["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) => {
            Miss::NotGranted
        }
        code => Miss::Error(CallError::Status {
            provider: Provider::Google,
            code,
            reason: reasons.first().copied().unwrap_or_default().to_owned(),
            message,
        }),
    }
}
