//! Classifies error answers.

use alfred_core::ports::ModelError;
use reqwest::StatusCode;
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

    pub(super) fn is_unusable(&self) -> bool {
        let Self::Again { error, .. } = self else {
            return false;
        };
        matches!(error, ModelError::Unusable { .. })
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
