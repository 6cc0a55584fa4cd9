use alfred_core::ports::{AccountError, Provider};
use reqwest::StatusCode;
use serde::Deserialize;
use std::time::Duration;

use alfred_accounts::api::{CallError, Manner, Miss};

const GOOGLE_USED_UP: &str =
    "Google takes no more requests from this account today; please try again tomorrow.";
const GOOGLE_API_DISABLED: &str = "Google's side of this isn't switched on for Alfred; please ask an administrator to enable its API in the Google project.";

pub(super) const MANNER: Manner = Manner {
    provider: Provider::Google,
    headers: &[],
    meaning,
};

/// Either `{"error": {…}}`, or `{"error": "…"}` from the token endpoint.
#[derive(Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    error: RefusalBody,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalBody {
    message: String,
    errors: Vec<RefusalItem>,
    details: Vec<RefusalItem>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalItem {
    reason: String,
}

/// Classifies a status (<https://developers.google.com/workspace/gmail/api/guides/handle-errors>,
/// <https://developers.google.com/workspace/calendar/api/guides/errors>).
pub(super) fn meaning(status: StatusCode, after: Option<Duration>, body: &[u8]) -> Miss {
    let refusal: Refusal = serde_json::from_slice(body).unwrap_or_default();
    let items = refusal
        .error
        .errors
        .into_iter()
        .chain(refusal.error.details);
    let reasons: Vec<String> = items.map(|item| item.reason).collect();
    let says = |wanted: &[&str]| {
        reasons
            .iter()
            .any(|reason| wanted.contains(&reason.as_str()))
    };
    let message: String = refusal.error.message.chars().take(300).collect();
    let detail = format!("HTTP {}: {message}", status.as_u16());
    let refused = |words: &str| Miss::Error(CallError::Account(AccountError::refused(words)));
    match status.as_u16() {
        401 => Miss::Token,
        403 | 429 if says(&["dailyLimitExceeded", "quotaExceeded"]) => refused(GOOGLE_USED_UP),
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
            reason: reasons.into_iter().next().unwrap_or_default(),
            message,
        }),
    }
}
