//! Dead letters in SQS.
//!
//! A receive hides the whole group of a FIFO queue for the visibility timeout, and at most ten messages of a group come
//! in one call. So everything in view is received, held, and made visible again at the end.

use alfred_aws::{QueueUrls, SdkConfig, dead_letters, queue_failed};
use alfred_core::ports::{Ids, QueueError, QueueName, SystemIds};
use async_trait::async_trait;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{Message, MessageSystemAttributeName, QueueAttributeName};
use futures_util::future::try_join_all;
use jiff::Timestamp;

use crate::dead_letters::{DeadLetter, DeadLetterQueues, DeadLetters, Settlement};

/// Most messages that a call receives.
const AT_ONCE: i32 = 10;
/// Letters of a queue that are held at once; settling all takes less than `HOLD`.
const MOST: usize = 500;
/// Seconds for which letters are hidden, should this process end before it shows them again.
const HOLD: i32 = 120;
/// Seconds to wait for a message. With a wait SQS asks all its servers, so that an empty answer means an empty queue.
const WAIT: i32 = 1;

/// The dead letters of these queues. Needs `sqs:ReceiveMessage`, `DeleteMessage`, `ChangeMessageVisibility` and
/// `GetQueueAttributes` on them, and `SendMessage` on the queues.
pub struct SqsDeadLetters {
    client: Client,
    urls: QueueUrls,
}

struct Held {
    letter: DeadLetter,
    receipt: String,
}

impl SqsDeadLetters {
    pub fn new(sdk: &SdkConfig, urls: QueueUrls) -> Self {
        let client = Client::new(sdk);
        Self { client, urls }
    }

    async fn hold(&self, queue: QueueName) -> Result<Vec<Held>, QueueError> {
        let url = dead_letters(self.urls.url(queue)?);
        let mut held = Vec::new();
        while held.len() < MOST {
            let answer = self
                .client
                .receive_message()
                .queue_url(&url)
                .max_number_of_messages(AT_ONCE)
                .visibility_timeout(HOLD)
                .wait_time_seconds(WAIT)
                .message_attribute_names("All")
                .message_system_attribute_names(MessageSystemAttributeName::All)
                .send()
                .await;
            let answer = answer.map_err(|error| queue_failed(queue, &error))?;
            let messages = answer.messages.unwrap_or_default();
            if messages.is_empty() {
                break;
            }
            held.extend(messages.into_iter().map(|message| read(queue, message)));
        }
        held.sort_by_key(|one| one.letter.since);
        Ok(held)
    }

    /// Makes letters visible again. Those that can't be are hidden until `HOLD` has passed.
    async fn release(&self, queue: QueueName, held: &[Held]) -> Result<(), QueueError> {
        let url = dead_letters(self.urls.url(queue)?);
        for one in held {
            let show = self.client.change_message_visibility().queue_url(&url);
            let show = show.receipt_handle(&one.receipt).visibility_timeout(0);
            let shown = show.send().await;
            shown.map_err(|error| queue_failed(queue, &error))?;
        }
        Ok(())
    }

    async fn look(&self, queue: QueueName) -> Result<DeadLetters, QueueError> {
        let held = self.hold(queue).await?;
        let total = self.total(queue).await;
        self.release(queue, &held).await?;
        Ok(DeadLetters {
            more: total?.saturating_sub(held.len()),
            letters: held.into_iter().map(|one| one.letter).collect(),
        })
    }

    async fn total(&self, queue: QueueName) -> Result<usize, QueueError> {
        let counts = [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
        ];
        let url = dead_letters(self.urls.url(queue)?);
        let ask = self.client.get_queue_attributes().queue_url(url);
        let answer = ask.set_attribute_names(Some(counts.to_vec())).send().await;
        let answer = answer.map_err(|error| queue_failed(queue, &error))?;
        let found = answer.attributes.unwrap_or_default();
        let count = |name| found.get(name).and_then(|text| text.parse::<usize>().ok());
        Ok(counts.iter().filter_map(count).sum())
    }

    /// Settles those of the held that are wanted, and removes them from there.
    async fn settle_held(
        &self,
        held: &mut Vec<Held>,
        id: Option<&str>,
        how: Settlement,
    ) -> Result<usize, QueueError> {
        let mut settled = 0;
        let wanted = |one: &Held| id.is_none_or(|id| id == one.letter.id);
        while let Some(at) = held.iter().position(wanted) {
            let one = held.remove(at);
            if how == Settlement::Redrive {
                self.send_again(&one.letter).await?;
            }
            let queue = one.letter.queue;
            let url = dead_letters(self.urls.url(queue)?);
            let delete = self.client.delete_message().queue_url(url);
            let deleted = delete.receipt_handle(&one.receipt).send().await;
            deleted.map_err(|error| queue_failed(queue, &error))?;
            settled += 1;
        }
        Ok(settled)
    }

    /// Under a new deduplication id: SQS would drop one that it has seen within five minutes.
    async fn send_again(&self, letter: &DeadLetter) -> Result<(), QueueError> {
        let queue = letter.queue;
        let sent = self
            .client
            .send_message()
            .queue_url(self.urls.url(queue)?)
            .message_body(&letter.body)
            .message_group_id(&letter.group)
            .message_deduplication_id(SystemIds.uuid().to_string())
            .send()
            .await;
        sent.map(drop).map_err(|error| queue_failed(queue, &error))
    }
}

fn read(queue: QueueName, message: Message) -> Held {
    let system = message.attributes.unwrap_or_default();
    let system = |name| system.get(&name).cloned().unwrap_or_default();
    let own = message.message_attributes.unwrap_or_default();
    let own = |name: &str| own.get(name).and_then(|value| value.string_value.clone());
    // SQS itself gives no reason, and goes on counting when letters are looked at.
    let received = system(MessageSystemAttributeName::ApproximateReceiveCount);
    let sent = system(MessageSystemAttributeName::SentTimestamp);
    let sent = sent.parse().ok().map(Timestamp::from_millisecond);
    let letter = DeadLetter {
        id: message.message_id.unwrap_or_default(),
        queue,
        group: system(MessageSystemAttributeName::MessageGroupId),
        body: message.body.unwrap_or_default(),
        since: sent.and_then(Result::ok).unwrap_or_default(),
        receives: own("receives").unwrap_or(received).parse().unwrap_or(0),
        reason: own("reason").unwrap_or_else(|| "its function ended without an answer".into()),
    };
    let receipt = message.receipt_handle.unwrap_or_default();
    Held { letter, receipt }
}

#[async_trait]
impl DeadLetterQueues for SqsDeadLetters {
    async fn list(&self) -> Result<DeadLetters, QueueError> {
        let looks = QueueName::ALL.map(|queue| self.look(queue));
        let mut all = DeadLetters::default();
        for found in try_join_all(looks).await? {
            all.letters.extend(found.letters);
            all.more += found.more;
        }
        Ok(all)
    }

    async fn settle(&self, id: Option<&str>, how: Settlement) -> Result<usize, QueueError> {
        let mut total = 0;
        for queue in QueueName::ALL {
            let mut held = self.hold(queue).await?;
            let settled = self.settle_held(&mut held, id, how).await;
            self.release(queue, &held).await?;
            total += settled?;
            if id.is_some() && total > 0 {
                break;
            }
        }
        Ok(total)
    }
}
