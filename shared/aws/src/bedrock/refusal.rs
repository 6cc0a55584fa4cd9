//! What an error of Converse means
//! (<https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html>).

use alfred_core::model::is_about_length;
use alfred_core::ports::ModelError;
use aws_sdk_bedrockruntime::config::http::HttpResponse;
use aws_sdk_bedrockruntime::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_types::event_stream::RawMessage;
use std::time::Duration;

/// An error, as far as it is used. Its message may repeat the prompt, so it is only searched, never kept for the log.
pub(super) struct Refusal {
    /// `None` where no answer came, or none that can be read.
    code: Option<String>,
    message: String,
    after: Option<Duration>,
}

pub(super) trait Answered {
    fn retry_after(&self) -> Option<Duration>;
}

impl Answered for HttpResponse {
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers().get("retry-after")?.trim().parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

impl Answered for RawMessage {
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

impl Refusal {
    pub(super) fn of<E, R: Answered>(error: &SdkError<E, R>) -> Self
    where
        SdkError<E, R>: ProvideErrorMetadata,
    {
        Self {
            code: error.code().map(str::to_owned),
            message: error.message().unwrap_or_default().to_lowercase(),
            after: error.raw_response().and_then(Answered::retry_after),
        }
    }

    fn is(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    pub(super) fn is_about_caching(&self) -> bool {
        let said = ["cachepoint", "cache point", "caching", "cache_control"];
        said.iter().any(|words| self.message.contains(words))
    }

    /// Whether it may be about the shape that was asked for, in whatever words.
    pub(super) fn may_be_about_the_shape(&self) -> bool {
        self.is("ValidationException")
            && !is_about_length(&self.message)
            && !self.is_about_the_model()
    }

    fn is_about_the_model(&self) -> bool {
        let said = ["model identifier", "on-demand throughput"];
        said.iter().any(|words| self.message.contains(words))
    }

    pub(super) fn error(&self, model: &str) -> ModelError {
        let code = self.code.as_deref().unwrap_or("no answer");
        let detail = format!("{model}: {code}");
        match code {
            "ThrottlingException" | "ServiceQuotaExceededException" => ModelError::RateLimited {
                retry_after: self.after,
                detail,
            },
            "ValidationException" if is_about_length(&self.message) => {
                ModelError::TooLong { detail }
            }
            "AccessDeniedException" | "ResourceNotFoundException" => ModelError::Refused {
                detail: format!(
                    "{detail}: check that the account may use the model in this region"
                ),
            },
            "ValidationException" if self.is_about_the_model() => ModelError::Refused {
                detail: format!(
                    "{detail}: check the model's id; some need that of an inference profile"
                ),
            },
            "InternalServerException"
            | "ServiceUnavailableException"
            | "ModelTimeoutException"
            | "ModelNotReadyException"
            | "ModelErrorException"
            | "ModelStreamErrorException"
            | "no answer" => ModelError::Unavailable { detail },
            _ => ModelError::Refused { detail },
        }
    }
}
