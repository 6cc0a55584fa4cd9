//! `Queue` on SQS FIFO.

use alfred_core::ConfigError;
use alfred_core::config::{INGRESS_QUEUE_URL, TEAM_QUEUE_URL, UTILITY_QUEUE_URL};
use alfred_core::ports::{Outgoing, Queue, QueueError, QueueName, Redelivery};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::timeout::TimeoutConfig;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use std::time::Duration;

/// Slack waits 3 s for the receiver's answer: two attempts fit, and a refusal after them.
const ATTEMPT: Duration = Duration::from_millis(1_200);
const OPERATION: Duration = Duration::from_millis(2_500);
const ATTEMPTS: u32 = 2;
/// SQS hides a message for twelve hours at most, counted from its receipt.
const LONGEST_DELAY: Duration = Duration::from_secs(11 * 3_600);

/// Where the queues are. A function only knows those it may send to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueUrls {
    /// `INGRESS_QUEUE_URL`
    pub ingress: Option<String>,
    /// `UTILITY_QUEUE_URL`
    pub utility: Option<String>,
    /// `TEAM_QUEUE_URL`
    pub team: Option<String>,
}

impl QueueUrls {
    /// Those that the process environment names.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_lookup(|name| std::env::var(name).ok())
    }

    /// Those that the look-up names.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| lookup(name).filter(|url| !url.is_empty());
        Self {
            ingress: set(INGRESS_QUEUE_URL),
            utility: set(UTILITY_QUEUE_URL),
            team: set(TEAM_QUEUE_URL),
        }
    }

    fn of(&self, queue: QueueName) -> Result<&str, ConfigError> {
        let (url, name) = match queue {
            QueueName::Ingress => (&self.ingress, INGRESS_QUEUE_URL),
            QueueName::Utility => (&self.utility, UTILITY_QUEUE_URL),
            QueueName::Team => (&self.team, TEAM_QUEUE_URL),
        };
        url.as_deref().ok_or(ConfigError::Missing { name })
    }
}

/// Sends to SQS FIFO queues, and puts their messages off. A message holds at most 1 MiB
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html>). Needs `sqs:SendMessage`,
/// and `sqs:ChangeMessageVisibility` to put off.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    client: Client,
    urls: QueueUrls,
}

/// The queues at these addresses. Sending to one that has none is refused.
#[must_use]
pub fn queue(sdk: &SdkConfig, urls: QueueUrls) -> SqsQueue {
    let time = TimeoutConfig::builder()
        .operation_attempt_timeout(ATTEMPT)
        .operation_timeout(OPERATION)
        .build();
    let config = aws_sdk_sqs::config::Builder::from(sdk)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
        .timeout_config(time)
        .build();
    SqsQueue {
        client: Client::from_conf(config),
        urls,
    }
}

#[async_trait]
impl Queue for SqsQueue {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        let refused = |detail: String| QueueError::Refused { detail };
        let url = self.urls.of(message.queue);
        let url = url.map_err(|error| refused(error.to_string()))?;
        let body = serde_json::to_string(&message.envelope);
        let body = body.map_err(|error| refused(error.to_string()))?;
        let sent = self
            .client
            .send_message()
            .queue_url(url)
            .message_group_id(&message.group)
            .message_deduplication_id(&message.dedup)
            .message_body(body)
            .send()
            .await;
        match sent {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(message.queue, &error)),
        }
    }
}

#[async_trait]
impl Redelivery for SqsQueue {
    async fn delay(
        &self,
        queue: QueueName,
        receipt: &str,
        after: Duration,
    ) -> Result<(), QueueError> {
        let url = self.urls.of(queue);
        let url = url.map_err(|error| QueueError::Refused {
            detail: error.to_string(),
        })?;
        let after = after.min(LONGEST_DELAY);
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        let changed = self
            .client
            .change_message_visibility()
            .queue_url(url)
            .receipt_handle(receipt)
            .visibility_timeout(i32::try_from(seconds).unwrap_or(i32::MAX))
            .send()
            .await;
        match changed {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(queue, &error)),
        }
    }
}

/// Only the service itself can say that it won't take a message; whatever
/// else went wrong may pass, or may even have been sent.
fn failed<E: ProvideErrorMetadata, R>(queue: QueueName, error: &SdkError<E, R>) -> QueueError {
    let code = error.code().unwrap_or_else(|| kind(error));
    let said = error.message().unwrap_or_default();
    let detail = format!("{}: {code} {said}", queue.as_str());
    match code {
        "InvalidMessageContents"
        | "InvalidParameterValue"
        | "InvalidAttributeValue"
        | "MissingParameter"
        | "MessageNotInflight"
        | "AWS.SimpleQueueService.MessageNotInflight"
        | "ReceiptHandleIsInvalid"
        | "UnsupportedOperation"
        | "AWS.SimpleQueueService.UnsupportedOperation" => QueueError::Refused { detail },
        _ => QueueError::Unavailable { detail },
    }
}

fn kind<E, R>(error: &SdkError<E, R>) -> &'static str {
    match error {
        SdkError::ConstructionFailure(_) => "the request could not be made (credentials?)",
        SdkError::TimeoutError(_) => "time-out",
        SdkError::DispatchFailure(_) => "no connection",
        _ => "an answer that can't be read",
    }
}
