//! Classifies error answers.

use alfred_core::ports::ModelError;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::Duration;

use super::error_body::ErrorBody;

/// What to do after a failed attempt.
#[derive(Debug)]
pub(super) enum Fault {
    /// Retry the same endpoint, not before `after`.
    Again {
        error: ModelError,
        after: Option<Duration>,
    },
    /// This endpoint won't answer; another may.
    Next(ModelError),
    /// No endpoint will accept this request.
    Stop(ModelError),
}

impl Fault {
    pub(super) fn again(error: ModelError) -> Self {
        Self::Again { error, after: None }
    }
}

pub(super) fn fault(
    status: StatusCode,
    body: &ErrorBody,
    after: Option<Duration>,
    endpoint: &str,
) -> Fault {
    let detail = format!("{endpoint}: {}", body.detail(status));
    let refused = |why: &str| {
        Fault::Next(ModelError::Refused {
            detail: format!("{detail}: {why}"),
        })
    };
    let code = status.as_u16();
    if code == 413 || body.is_context_length() {
        return Fault::Stop(ModelError::TooLong { detail });
    }
    if body.is_failed_generation() {
        return Fault::again(ModelError::Unusable { detail });
    }
    if body.is_out_of_credit(code) {
        return refused("the account has no credit left");
    }
    let after = after.or(body.retry_delay);
    match code {
        429 => Fault::Again {
            error: ModelError::RateLimited {
                retry_after: after,
                detail,
            },
            after,
        },
        408 | 409 | 425 | 500..=599 => Fault::Again {
            error: ModelError::Unavailable { detail },
            after,
        },
        401 | 403 => refused("check the provider's key"),
        400 if body.is_about_the_key() => refused("check the provider's key"),
        400 | 404 | 422 if body.takes_no_tools() => {
            refused("the model takes no tools: choose another")
        }
        404 => refused("check the model's name and the URL"),
        300..=399 => refused("the URL points elsewhere"),
        400 | 422 if body.is_unknown_model() => refused("check the model's name"),
        _ => Fault::Stop(ModelError::Refused { detail }),
    }
}

/// `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3), or `retry-after-ms`.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok())
    {
        return Duration::try_from_secs_f64(millis / 1e3).ok();
    }
    let value = text(RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
        for (name, value, millis) in [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", "1.5", Some(1_500)),
            ("retry-after-ms", "250", Some(250)),
            ("retry-after", "Sat, 21 Nov 2026 09:00:12 GMT", Some(12_000)),
            ("retry-after", "Sat, 21 Nov 2026 08:00:00 GMT", Some(0)),
            ("retry-after", "soon", None),
            ("retry-after", "-3", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let wanted = millis.map(Duration::from_millis);
            assert_eq!(retry_after(&headers, now), wanted, "{name}: {value}");
        }
    }
}
