//! What a failed call means, whichever operation it was.

use alfred_core::ports::StoreError;
use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};

/// A call that failed for another reason than a condition.
#[derive(Debug)]
pub(super) enum Fault {
    /// A conflict with a running transaction, or too many requests. Nothing was done.
    Busy(String),
    /// No answer, or one that says nothing about the outcome: it may have been done.
    Unknown(String),
    /// Access denied, no such table, no credentials: repeating won't help, an administrator will.
    Denied(String),
    /// DynamoDB won't take such a request.
    Refused(String),
}

impl Fault {
    pub(super) fn from_sdk<E, R>(error: &SdkError<E, R>) -> Self
    where
        E: std::error::Error + ProvideErrorMetadata + 'static,
        R: std::fmt::Debug,
    {
        match error {
            SdkError::ConstructionFailure(_) => {
                Self::Denied(DisplayErrorContext(error).to_string())
            }
            SdkError::TimeoutError(_) => Self::Unknown("time-out".into()),
            SdkError::DispatchFailure(_) => Self::Unknown(DisplayErrorContext(error).to_string()),
            // Their text may quote the answer, and so a body.
            SdkError::ServiceError(_) => match error.code() {
                Some(code) => Self::from_code(code, error.message().unwrap_or_default()),
                None => Self::Unknown("an error without a code".into()),
            },
            _ => Self::Unknown("an answer that can't be read".into()),
        }
    }

    /// Codes of exceptions and of reasons for a cancelled transaction
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>).
    pub(super) fn from_code(code: &str, message: &str) -> Self {
        let said = format!("{code} {message}");
        match code {
            "ProvisionedThroughputExceeded"
            | "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "ReplicatedWriteConflictException"
            | "ThrottlingError"
            | "ThrottlingException"
            | "TransactionConflict"
            | "TransactionConflictException"
            | "TransactionInProgressException" => Self::Busy(said),
            "ItemCollectionSizeLimitExceeded"
            | "ItemCollectionSizeLimitExceededException"
            | "SerializationException"
            | "ValidationError"
            | "ValidationException" => Self::Refused(said),
            "InternalServerError" | "ServiceUnavailable" => Self::Unknown(said),
            "AccessDenied"
            | "AccessDeniedException"
            | "ExpiredTokenException"
            | "IncompleteSignatureException"
            | "InvalidSignatureException"
            | "MissingAuthenticationTokenException"
            | "ResourceNotFoundException"
            | "UnrecognizedClientException" => Self::Denied(said),
            _ => Self::Unknown(said),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Busy(detail) => Self::Contended { detail },
            Fault::Unknown(detail) | Fault::Denied(detail) => Self::Unavailable { detail },
            Fault::Refused(reason) => Self::Refused { reason },
        }
    }
}
