use alfred_aws::QueueUrls;
use alfred_core::ports::{QueueName, SystemClock};
use alfred_core::{Envelope, RunId};
use alfred_embedded::{Database, SqliteQueue};
use alfred_operations::dead_letters::{
    DeadLetterError, DeadLetterQueues, Settlement, redrive_all, settle_one,
};
use alfred_operations::sqs::SqsDeadLetters;
use alfred_testkit::conformance::unique;
use alfred_testkit::ministack::{FifoQueue, Ministack};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const QUEUE: QueueName = QueueName::Utility;
const HIDDEN: Duration = Duration::from_secs(60);

enum Side {
    OneMachine(SqliteQueue),
    Aws {
        dead: SqsDeadLetters,
        utility: FifoQueue,
    },
}

impl Side {
    fn one_machine() -> Self {
        let database = Database::in_memory().unwrap();
        Self::OneMachine(SqliteQueue::new(database, Arc::new(SystemClock), 5))
    }

    async fn aws() -> Self {
        let (run, ministack) = (unique(), Ministack::shared());
        let make = |name: &str| ministack.fifo_queue(&format!("{name}-{run}"), HIDDEN, 3);
        let queues = ["ingress", "runs", "utility", "team"].map(make);
        let urls = QueueUrls(queues.each_ref().map(|queue| Some(queue.url.clone())));
        let [_, _, utility, _] = queues;
        let sdk = alfred_aws::from_lookup(|name| ministack.variable(name));
        let dead = SqsDeadLetters::new(&sdk.await.unwrap(), urls);
        Self::Aws { dead, utility }
    }

    fn dead(&self) -> &dyn DeadLetterQueues {
        match self {
            Self::OneMachine(queue) => queue,
            Self::Aws { dead, .. } => dead,
        }
    }

    /// Gives a message up for a reason.
    async fn give_up(&self, group: &str, body: &str) {
        match self {
            Self::OneMachine(queue) => {
                let dedup = unique();
                let sent = queue.send_raw(QUEUE, body.into(), group, &dedup);
                sent.await.unwrap();
                let got = queue.receive(QUEUE, 1, HIDDEN).await.unwrap();
                assert!(queue.dead_letter(&got[0], "row unreadable").await.unwrap());
            }
            Self::Aws { utility, .. } => {
                let attribute =
                    |kind: &str, text: &str| json!({"DataType": kind, "StringValue": text});
                let letter = json!({
                    "QueueUrl": utility.dead_letters,
                    "MessageBody": body,
                    "MessageGroupId": group,
                    "MessageDeduplicationId": unique(),
                    "MessageAttributes": {
                        "reason": attribute("String", "row unreadable"),
                        "receives": attribute("Number", "1"),
                    },
                });
                Ministack::shared().call("AmazonSQS.SendMessage", &letter);
            }
        }
    }

    /// The bodies and groups that are waiting in the queue.
    async fn waiting(&self) -> Vec<(String, String)> {
        match self {
            Self::OneMachine(queue) => {
                let mut waiting = Vec::new();
                loop {
                    let got = queue.receive(QUEUE, 10, HIDDEN).await.unwrap();
                    if got.is_empty() {
                        return waiting;
                    }
                    for one in got {
                        assert!(queue.ack(&one).await.unwrap());
                        waiting.push((one.body, one.group));
                    }
                }
            }
            Self::Aws { utility, .. } => {
                let asked = json!({
                    "QueueUrl": utility.url, "MaxNumberOfMessages": 10, "AttributeNames": ["All"],
                });
                let got = Ministack::shared().call("AmazonSQS.ReceiveMessage", &asked);
                let got = got["Messages"].as_array().cloned().unwrap_or_default();
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let take = |one: &Value| {
                    let receipt = &one["ReceiptHandle"];
                    let deleted = json!({"QueueUrl": utility.url, "ReceiptHandle": receipt});
                    Ministack::shared().call("AmazonSQS.DeleteMessage", &deleted);
                    let group = &one["Attributes"]["MessageGroupId"];
                    (text(&one["Body"]), text(group))
                };
                got.iter().map(take).collect()
            }
        }
    }
}

fn body(run: &str) -> String {
    let (team, user) = ("T1".into(), "U1".into());
    let now = "2026-11-28T09:00:00Z".parse().unwrap();
    let envelope = Envelope::of_run(&team, &user, &"T1/U1/D1".into(), RunId(run.into()), now);
    serde_json::to_string(&envelope).unwrap()
}

async fn letters_are_listed_shown_and_settled(side: Side) {
    let dead = side.dead();
    assert_eq!(dead.list().await.unwrap().letters, []);
    for (group, body) in [
        ("a", body("r1")),
        ("a", body("r2")),
        ("b", "no json".into()),
    ] {
        side.give_up(group, &body).await;
    }
    let mut bodies = Vec::new();
    // Looking hides nothing from the next one who looks.
    for _ in 0..2 {
        let found = dead.list().await.unwrap();
        assert_eq!(found.more, 0);
        assert_eq!(found.letters.len(), 3, "{found:?}");
        bodies = found.letters;
    }
    let one = |wanted: &str| bodies.iter().find(|one| one.body.contains(wanted)).unwrap();
    let (first, second, third) = (one("r1"), one("r2"), one("no json"));
    assert_eq!((first.queue, first.group.as_str()), (QUEUE, "a"));
    assert_eq!(first.receives, 1);
    assert_eq!(first.reason, "row unreadable");
    let line = first.to_string();
    let end = "run  U1  received 1 times: row unreadable";
    assert!(line.contains(end), "{line}");
    let line = third.to_string();
    assert!(line.contains("unreadable  -  received"), "{line}");
    let details = first.details();
    assert_eq!(details["message"]["payload"]["run"], "r1", "{details}");

    // Twice under the same id: it is there once.
    let redrive = || settle_one(dead, &second.id, Settlement::Redrive);
    redrive().await.unwrap();
    assert_eq!(side.waiting().await, [(body("r2"), "a".to_owned())]);
    let again = redrive().await.unwrap_err();
    let is_gone = matches!(again, DeadLetterError::NotThere { .. });
    assert!(is_gone, "{again}");
    settle_one(dead, &third.id, Settlement::Drop).await.unwrap();
    assert_eq!(redrive_all(dead).await.unwrap(), 1);
    assert_eq!(side.waiting().await, [(body("r1"), "a".to_owned())]);
    assert_eq!(dead.list().await.unwrap().letters, []);
    for id in ["nothing", "17"] {
        let nothing = settle_one(dead, id, Settlement::Drop).await.unwrap_err();
        assert!(nothing.to_string().contains(id), "{nothing}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_one_machine_letters_are_listed_shown_and_settled() {
    letters_are_listed_shown_and_settled(Side::one_machine()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_aws_letters_are_listed_shown_and_settled() {
    letters_are_listed_shown_and_settled(Side::aws().await).await;
}
