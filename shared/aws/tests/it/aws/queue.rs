use alfred_aws::{QueueUrls, SdkConfig, SendLimits, SqsQueue};
use alfred_core::ports::{Letter, Outgoing, Queue, QueueError, QueueName, Redelivery};
use alfred_core::{Envelope, Payload, SessionId, TraceId};
use alfred_testkit::LIMIT;
use alfred_testkit::conformance::{self, Delivery, QueueUnderTest, unique};
use alfred_testkit::ministack::FifoQueue;
use async_trait::async_trait;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{Message, MessageSystemAttributeName};
use std::sync::Arc;
use std::time::Duration;

use super::proxy::{Act, Proxy};
use super::{ministack, sdk, sdk_at};

const MAX_RECEIVES: u32 = 3;

/// A queue that waits for a busy machine, so that only what a test breaks is repeated.
fn patient_queue(sdk: &SdkConfig, urls: QueueUrls) -> SqsQueue {
    let limits = SendLimits {
        attempt: LIMIT,
        operation: 2 * LIMIT,
    };
    alfred_aws::queue_within(sdk, urls, limits)
}

struct Fixture {
    queue: Arc<SqsQueue>,
    client: Client,
    queues: [FifoQueue; QueueName::ALL.len()],
}

/// The address of one queue.
fn only(queue: QueueName, url: &str) -> QueueUrls {
    let mut urls = QueueUrls::default();
    urls.0[queue as usize] = Some(url.to_owned());
    urls
}

impl Fixture {
    async fn new() -> Self {
        let run = unique();
        let queues = QueueName::ALL.map(|queue| {
            let name = format!("{queue:?}-{run}");
            ministack().fifo_queue(&name, Duration::from_secs(60), MAX_RECEIVES)
        });
        let sdk = sdk().await;
        let urls = QueueUrls(queues.each_ref().map(|queue| Some(queue.url.clone())));
        Self {
            queue: Arc::new(patient_queue(&sdk, urls)),
            client: Client::new(&sdk),
            queues,
        }
    }

    fn at(&self, queue: QueueName) -> &FifoQueue {
        &self.queues[queue as usize]
    }

    async fn sent_and_received(&self) -> Delivery {
        self.queue.send(&message(QueueName::Utility)).await.unwrap();
        let minute = Duration::from_secs(60);
        let mut got = self.receive(QueueName::Utility, 1, minute).await;
        got.remove(0)
    }

    async fn take(&self, url: &str, max: usize, visibility: Duration) -> Vec<Delivery> {
        let ask = self.client.receive_message().queue_url(url);
        let ask = ask.max_number_of_messages(i32::try_from(max).unwrap());
        let ask = ask.visibility_timeout(i32::try_from(visibility.as_secs()).unwrap());
        let ask = ask.message_system_attribute_names(MessageSystemAttributeName::All);
        let answer = ask.wait_time_seconds(1).send().await;
        let messages = answer.unwrap().messages.unwrap_or_default();
        messages.into_iter().map(delivery).collect()
    }

    async fn send_to(&self, url: &str, body: &str, group: &str, dedup: &str) {
        let message = self.client.send_message().queue_url(url).message_body(body);
        let message = message.message_group_id(group);
        let sent = message.message_deduplication_id(dedup).send().await;
        sent.unwrap();
    }
}

fn delivery(message: Message) -> Delivery {
    let attributes = message.attributes.unwrap();
    let count = &attributes[&MessageSystemAttributeName::ApproximateReceiveCount];
    Delivery {
        body: message.body.unwrap(),
        receive_count: count.parse().unwrap(),
        group: attributes[&MessageSystemAttributeName::MessageGroupId].clone(),
        handle: message.receipt_handle.unwrap(),
    }
}

#[async_trait]
impl QueueUnderTest for Fixture {
    fn queue(&self) -> Arc<dyn Queue> {
        self.queue.clone()
    }

    async fn send_raw(&self, queue: QueueName, body: &str, group: &str, dedup: &str) {
        self.send_to(&self.at(queue).url, body, group, dedup).await;
    }

    async fn receive(&self, queue: QueueName, max: usize, visibility: Duration) -> Vec<Delivery> {
        self.take(&self.at(queue).url, max, visibility).await
    }

    async fn ack(&self, queue: QueueName, delivery: &Delivery) {
        let delete = self.client.delete_message().queue_url(&self.at(queue).url);
        let deleted = delete.receipt_handle(&delivery.handle).send().await;
        deleted.unwrap();
    }

    async fn extend(&self, queue: QueueName, delivery: &Delivery, visibility: Duration) {
        let change = self.client.change_message_visibility();
        let changed = change
            .queue_url(&self.at(queue).url)
            .receipt_handle(&delivery.handle)
            .visibility_timeout(i32::try_from(visibility.as_secs()).unwrap())
            .send()
            .await;
        changed.unwrap();
    }

    async fn dead_letter(&self, queue: QueueName, delivery: &Delivery) {
        let url = &self.at(queue).dead_letters;
        self.send_to(url, &delivery.body, &delivery.group, &unique())
            .await;
        self.ack(queue, delivery).await;
    }

    async fn receive_dead(&self, queue: QueueName, max: usize) -> Vec<Delivery> {
        let url = &self.at(queue).dead_letters;
        self.take(url, max, Duration::from_secs(60)).await
    }

    async fn elapse(&self, time: Duration) {
        for queue in &self.queues {
            ministack().elapse(queue, time);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::queue(Fixture::new).await;
}

pub fn message(queue: QueueName) -> Outgoing {
    let envelope = Envelope {
        v: 1,
        identity: "msg:C1:1.5".into(),
        trigger: "evt:E1".into(),
        trace_id: TraceId::derive(&"T1".into(), "msg:C1:1.5"),
        hops: 0,
        team: "T1".into(),
        user: "U1".into(),
        session: SessionId("T1/U1/D1".into()),
        received_at: "2026-11-21T09:00:00Z".parse().unwrap(),
        payload: Payload::Sweep {},
    };
    Outgoing::new(queue, envelope, "group".into(), "dedup".into())
}

#[tokio::test]
async fn a_queue_without_an_address_is_refused_by_its_variable() {
    let urls = QueueUrls::from_lookup(|name| {
        let set = name == "INGRESS_QUEUE_URL";
        set.then(|| "http://127.0.0.1:1/ingress.fifo".to_owned())
    });
    let queue = patient_queue(&sdk().await, urls);
    let error = queue.send(&message(QueueName::Team)).await.unwrap_err();
    assert!(matches!(error, QueueError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("TEAM_QUEUE_URL"), "{error}");
}

#[tokio::test]
async fn a_lost_answer_is_repeated_and_stays_one_message() {
    let fixture = Fixture::new().await;
    let proxy = Proxy::start(ministack().port()).await;
    proxy.next("SendMessage", Act::ForwardAndHangUp);
    let urls = only(QueueName::Utility, &fixture.at(QueueName::Utility).url);
    let queue = patient_queue(&sdk_at(&proxy.endpoint()).await, urls);
    queue.send(&message(QueueName::Utility)).await.unwrap();
    assert_eq!(proxy.count("SendMessage"), 2);
    let minute = Duration::from_secs(60);
    let got = fixture.receive(QueueName::Utility, 10, minute).await;
    assert_eq!(got.len(), 1);
}

#[tokio::test]
async fn an_outage_is_unavailable_after_two_tries_and_a_refusal_after_one() {
    let proxy = Proxy::start(ministack().port()).await;
    proxy.always("SendMessage", Act::HangUp);
    let url = "http://127.0.0.1:1/000000000000/team.fifo";
    let urls = only(QueueName::Team, url);
    let queue = patient_queue(&sdk_at(&proxy.endpoint()).await, urls);
    let error = queue.send(&message(QueueName::Team)).await.unwrap_err();
    assert!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    assert_eq!(proxy.count("SendMessage"), 2);

    let odd = Act::error("InvalidMessageContents", "no such characters");
    proxy.always("SendMessage", odd);
    let error = queue.send(&message(QueueName::Team)).await.unwrap_err();
    assert!(matches!(error, QueueError::Refused { .. }), "{error}");
    assert_eq!(proxy.count("SendMessage"), 3);
}

#[tokio::test]
async fn a_message_that_is_put_off_comes_back_then_and_not_when_its_visibility_ends() {
    let fixture = Fixture::new().await;
    let got = fixture.sent_and_received().await;
    let minute = Duration::from_secs(60);
    // Shorter than the time it was hidden for: without it nothing would come for a minute.
    let soon = Duration::from_millis(300);
    let delayed = fixture.queue.delay(QueueName::Utility, &got.handle, soon);
    delayed.await.unwrap();
    let mut again = Vec::new();
    for _ in 0..5 {
        // Each look waits a second for something to come.
        if again.is_empty() {
            again = fixture.receive(QueueName::Utility, 1, minute).await;
        }
    }
    assert_eq!(again[0].receive_count, 2);

    // Longer: SQS's own limit of twelve hours is kept away from.
    let days = Duration::from_secs(3 * 86_400);
    let receipt = &again[0].handle;
    let delayed = fixture.queue.delay(QueueName::Utility, receipt, days);
    delayed.await.unwrap();
    let early = fixture.receive(QueueName::Utility, 1, minute).await;
    assert!(early.is_empty());

    let nothing = fixture.queue.delay(QueueName::Utility, "no receipt", soon);
    let nothing = nothing.await;
    assert!(nothing.is_err(), "{nothing:?}");
}

fn letter(received: &Delivery) -> Letter {
    Letter {
        queue: QueueName::Utility,
        body: received.body.clone(),
        group: received.group.clone(),
        id: unique(),
        receives: received.receive_count,
        reason: "row\u{7} unreadable \n".repeat(200),
    }
}

#[tokio::test]
async fn a_message_is_put_aside_once_with_its_reason_and_its_receives() {
    let fixture = Fixture::new().await;
    let letter = letter(&fixture.sent_and_received().await);
    for _ in 0..2 {
        fixture.queue.put_aside(&letter).await.unwrap();
    }
    let url = &fixture.at(QueueName::Utility).dead_letters;
    let ask = fixture.client.receive_message().queue_url(url);
    let ask = ask.message_attribute_names("All").wait_time_seconds(1);
    let answer = ask.max_number_of_messages(10).send().await;
    let dead = answer.unwrap().messages.unwrap_or_default();
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].body.as_deref(), Some(letter.body.as_str()));
    let attributes = dead[0].message_attributes.as_ref().unwrap();
    let value = |name: &str| attributes[name].string_value.as_deref().unwrap();
    assert_eq!(value("receives"), "1");
    let reason = value("reason");
    let start = "row unreadable row unreadable";
    assert!(reason.starts_with(start), "{reason}");
    assert_eq!(reason.chars().count(), 1_000);
}

#[tokio::test]
async fn a_message_that_is_sent_anew_was_received_by_nobody() {
    let fixture = Fixture::new().await;
    let got = fixture.sent_and_received().await;
    fixture.queue.requeue(&letter(&got)).await.unwrap();
    fixture.ack(QueueName::Utility, &got).await;
    let again = fixture.receive(QueueName::Utility, 1, LIMIT).await;
    assert_eq!((&again[0].body, again[0].receive_count), (&got.body, 1));
}
