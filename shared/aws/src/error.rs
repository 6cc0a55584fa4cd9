//! What the errors of AWS services say.

use aws_sdk_sqs::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use std::error::Error;
use std::fmt::Debug;

/// Code and message, or why there was no answer. Never the body of a request or an answer, which may be private.
pub(crate) fn describe<E, R>(error: &SdkError<E, R>) -> String
where
    E: Error + ProvideErrorMetadata + 'static,
    R: Debug,
{
    if let Some(code) = error.code() {
        return format!("{code} {}", error.message().unwrap_or_default());
    }
    match error {
        SdkError::TimeoutError(_) => "time-out".into(),
        SdkError::ServiceError(_) | SdkError::ResponseError(_) => {
            "an answer that can't be read".into()
        }
        _ => DisplayErrorContext(error).to_string(),
    }
}

/// Whether an error code says that a right is missing. The message names it. SQS has codes of its own for the right to
/// use a queue's key.
pub(crate) fn is_denied(code: &str) -> bool {
    matches!(
        code,
        "AccessDenied" | "AccessDeniedException" | "KmsAccessDenied" | "KMS.AccessDeniedException"
    )
}
