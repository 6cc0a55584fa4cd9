//! What a failed call means, whichever operation it was.

use alfred_core::ports::StoreError;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use crate::error::{describe, is_denied};

/// A call that failed for another reason than a condition.
#[derive(Debug)]
pub(super) enum Fault {
    /// A conflict with a running transaction, or too many requests. Nothing was done.
    Busy(String),
    /// No answer, or one that says nothing about the outcome: it may have been done.
    Unknown(String),
    /// No such table, or no credentials that are accepted. Repeating at once won't help.
    Broken(String),
    /// DynamoDB won't take such a request, or a right is missing.
    Refused(String),
}

impl Fault {
    pub(super) fn from_sdk<E, R>(error: &SdkError<E, R>) -> Self
    where
        E: std::error::Error + ProvideErrorMetadata + 'static,
        R: std::fmt::Debug,
    {
        match error {
            SdkError::ConstructionFailure(_) => Self::Broken(describe(error)),
            SdkError::ServiceError(_) => match error.code() {
                Some(code) => Self::from_code(code, error.message().unwrap_or_default()),
                None => Self::Unknown(describe(error)),
            },
            _ => Self::Unknown(describe(error)),
        }
    }

    /// Codes of exceptions and of reasons for a cancelled transaction
    /// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>).
    pub(super) fn from_code(code: &str, message: &str) -> Self {
        let said = format!("{code} {message}");
        match code {
            code if is_denied(code) => Self::Refused(said),
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
            "ExpiredTokenException"
            | "IncompleteSignatureException"
            | "InvalidSignatureException"
            | "MissingAuthenticationTokenException"
            | "ResourceNotFoundException"
            | "UnrecognizedClientException" => Self::Broken(said),
            _ => Self::Unknown(said),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Busy(detail) => Self::Contended { detail },
            Fault::Unknown(detail) | Fault::Broken(detail) => Self::Unavailable { detail },
            Fault::Refused(reason) => Self::Refused { reason },
        }
    }
}
