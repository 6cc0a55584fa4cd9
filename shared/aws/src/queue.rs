//! `Queue` on SQS FIFO.

use alfred_core::ConfigError;
use alfred_core::config::{
    self, INGRESS_QUEUE_URL, RUNS_QUEUE_URL, TEAM_QUEUE_URL, UTILITY_QUEUE_URL,
};
use alfred_core::ports::{Letter, Outgoing, Queue, QueueError, QueueName, Redelivery};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::retry::RetryConfig;
use aws_sdk_sqs::config::timeout::TimeoutConfig;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_sqs::operation::send_message::builders::SendMessageFluentBuilder;
use aws_sdk_sqs::types::MessageAttributeValue;
use std::time::Duration;

use crate::error::{describe, is_denied};

type Result<T, E = QueueError> = std::result::Result<T, E>;

#[derive(Clone, Copy, Debug)]
pub struct SendLimits {
    /// One attempt.
    pub attempt: Duration,
    /// All attempts together.
    pub operation: Duration,
}

impl Default for SendLimits {
    /// Slack waits 3 s for the receiver's answer: two attempts fit, and a refusal after them.
    fn default() -> Self {
        Self {
            attempt: Duration::from_millis(1_200),
            operation: Duration::from_millis(2_500),
        }
    }
}

const ATTEMPTS: u32 = 2;
/// Characters of a dead letter's reason; all attributes together count into the message's size.
const REASON_CHARS: usize = 1_000;
/// SQS hides a message for twelve hours at most, counted from its receipt.
const LONGEST_DELAY: Duration = Duration::from_secs(11 * 3_600);

/// Where the queues are, in the order of `QueueName::ALL`. A function only knows those that it uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueUrls(pub [Option<String>; QueueName::ALL.len()]);

impl QueueUrls {
    pub fn from_env() -> Self {
        Self::from_lookup(config::variable)
    }

    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let url = |queue| lookup(variable(queue)).filter(|url| !url.is_empty());
        Self(QueueName::ALL.map(url))
    }

    /// Fails with `Refused` for a queue whose variable isn't set.
    pub fn url(&self, queue: QueueName) -> Result<&str> {
        let name = variable(queue);
        let missing = || refused(ConfigError::Missing { name });
        self.0[queue as usize].as_deref().ok_or_else(missing)
    }
}

fn variable(queue: QueueName) -> &'static str {
    match queue {
        QueueName::Ingress => INGRESS_QUEUE_URL,
        QueueName::Runs => RUNS_QUEUE_URL,
        QueueName::Utility => UTILITY_QUEUE_URL,
        QueueName::Team => TEAM_QUEUE_URL,
    }
}

/// Sends to SQS FIFO queues, and settles messages that weren't handled. A message holds at most 1 MiB
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html>). Needs `sqs:SendMessage`, for the
/// dead letters too, and `sqs:ChangeMessageVisibility` to put off.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    client: Client,
    urls: QueueUrls,
}

/// The queues at these addresses. Sending to one that has none is refused.
pub fn queue(sdk: &SdkConfig, urls: QueueUrls) -> SqsQueue {
    queue_within(sdk, urls, SendLimits::default())
}

pub fn queue_within(sdk: &SdkConfig, urls: QueueUrls, limits: SendLimits) -> SqsQueue {
    let time = TimeoutConfig::builder().operation_timeout(limits.operation);
    let time = time.operation_attempt_timeout(limits.attempt).build();
    let config = aws_sdk_sqs::config::Builder::from(sdk)
        .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
        .timeout_config(time)
        .build();
    let client = Client::from_conf(config);
    SqsQueue { client, urls }
}

#[async_trait]
impl Queue for SqsQueue {
    async fn send(&self, message: &Outgoing) -> Result<()> {
        let url = self.urls.url(message.queue)?;
        let body = serde_json::to_string(&message.envelope).map_err(refused)?;
        let letter = self.client.send_message().queue_url(url);
        let letter = letter.message_body(body);
        send(message.queue, letter, &message.group, &message.dedup).await
    }
}

fn refused(error: impl std::fmt::Display) -> QueueError {
    let detail = error.to_string();
    QueueError::Refused { detail }
}

/// The address of a queue's dead letters.
pub fn dead_letters(url: &str) -> String {
    let name = url.strip_suffix(".fifo").unwrap_or(url);
    format!("{name}-dlq.fifo")
}

async fn send(
    queue: QueueName,
    letter: SendMessageFluentBuilder,
    group: &str,
    dedup: &str,
) -> Result<()> {
    let letter = letter.message_group_id(group);
    let sent = letter.message_deduplication_id(dedup).send().await;
    sent.map(drop).map_err(|error| failed(queue, &error))
}

/// An attribute of a message, of a type and its text
/// (<https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html>).
fn attribute(kind: &str, text: &str) -> Result<MessageAttributeValue> {
    let value = MessageAttributeValue::builder().data_type(kind);
    value.string_value(text).build().map_err(refused)
}

#[async_trait]
impl Redelivery for SqsQueue {
    async fn delay(&self, queue: QueueName, receipt: &str, after: Duration) -> Result<()> {
        let url = self.urls.url(queue)?;
        let after = after.min(LONGEST_DELAY);
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        let seconds = i32::try_from(seconds).unwrap_or(i32::MAX);
        let change = self.client.change_message_visibility().queue_url(url);
        let change = change.receipt_handle(receipt).visibility_timeout(seconds);
        let changed = change.send().await;
        changed.map(drop).map_err(|error| failed(queue, &error))
    }

    async fn put_aside(&self, letter: &Letter) -> Result<()> {
        // SQS takes no control characters, and no empty value.
        let plain = letter.reason.chars().filter(|c| !c.is_control());
        let reason: String = plain.take(REASON_CHARS).collect();
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let reason = attribute("String", reason.as_deref().unwrap_or("unknown"))?;
        let receives = attribute("Number", &letter.receives.to_string())?;
        let url = dead_letters(self.urls.url(letter.queue)?);
        let message = self.client.send_message().queue_url(url);
        let message = message.message_body(&letter.body);
        let message = message.message_attributes("reason", reason);
        let message = message.message_attributes("receives", receives);
        send(letter.queue, message, &letter.group, &letter.id).await
    }

    async fn requeue(&self, letter: &Letter) -> Result<()> {
        let url = self.urls.url(letter.queue)?;
        let message = self.client.send_message().queue_url(url);
        let message = message.message_body(&letter.body);
        send(letter.queue, message, &letter.group, &letter.id).await
    }
}

/// Only the service itself can say that it won't take a message. After another error it may even have been sent.
pub fn failed<E, R>(queue: QueueName, error: &SdkError<E, R>) -> QueueError
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: std::fmt::Debug,
{
    let detail = format!("{}: {}", queue.as_str(), describe(error));
    match error.code().unwrap_or_default() {
        code if is_denied(code) => QueueError::Refused { detail },
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
