//! The store is down for half an hour while people write. Nothing is lost, and each conversation is answered in
//! order, on Lambda and on one machine.

use alfred_agent::runner::give_up::give_up;
use alfred_core::ports::{
    Clock, Letter, Message, Output, QueueError, QueueName, Redelivery, Turn, TurnRequest,
};
use alfred_core::redelivery::MAX_RECEIVES;
use alfred_core::{Deadline, Envelope, Failure};
use alfred_embedded::{Consumer, Database, Handler, SqliteQueue};
use alfred_lambda_kit::{BatchRunner, Delivery, LastResort, SqsEvent};
use alfred_testkit::{ManualClock, says};
use alfred_tests::Functions;
use async_trait::async_trait;
use futures_util::future::LocalBoxFuture;
use jiff::Timestamp;
use lambda_runtime::Context;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::simulation::agenda::Agenda;
use crate::simulation::faults::block_on;
use crate::simulation::person;
use crate::simulation::rig::Rig;
use crate::simulation::scenarios;

const OUTAGE: Duration = Duration::from_secs(30 * 60);
const VISIBILITY: Duration = Duration::from_secs(180);
/// The time limit for all answers after the outage: the longest retry delay and a margin.
const AFTERWARDS: Duration = Duration::from_secs(400);
const PEOPLE: [&str; 3] = ["U1", "U2", "U3"];
/// Minutes of the outage at which each person writes.
const WRITE_AT: [u64; 5] = [0, 1, 7, 15, 29];

fn echo(request: &TurnRequest) -> Turn {
    if let Output::Json { .. } = request.output {
        return says("{\"result\": false}");
    }
    let mut messages = request.messages.iter().rev();
    let said = messages.find_map(|message| match message {
        Message::User { text } => Some(text.clone()),
        _ => None,
    });
    says(&format!("You said {}.", said.unwrap_or_default()))
}

struct Queued {
    queue: QueueName,
    id: String,
    group: String,
    body: String,
    receives: u32,
    visible_at: Timestamp,
}

/// SQS with Lambda's event source mapping.
struct Sqs {
    clock: ManualClock,
    messages: Vec<Queued>,
    sent: usize,
    /// Dead letters, by SQS and by us.
    dead: Vec<String>,
}

impl Sqs {
    fn send(&mut self, queue: QueueName, group: &str, body: String) {
        self.sent += 1;
        self.messages.push(Queued {
            queue,
            id: format!("m{}", self.sent),
            group: group.to_owned(),
            body,
            receives: 0,
            visible_at: self.clock.now(),
        });
    }

    fn receive(&mut self) -> Vec<(String, SqsEvent)> {
        let now = self.clock.now();
        let mut groups = Vec::new();
        let mut got = Vec::new();
        let mut at = 0;
        while at < self.messages.len() {
            let message = &mut self.messages[at];
            let key = (message.queue, message.group.clone());
            let is_head = !groups.contains(&key);
            if is_head && message.visible_at <= now && message.receives >= MAX_RECEIVES {
                self.dead.push(self.messages.remove(at).body);
                continue;
            }
            groups.push(key);
            if is_head && message.visible_at <= now {
                message.receives += 1;
                message.visible_at = now.checked_add(VISIBILITY).unwrap();
                got.push((message.id.clone(), event(message)));
            }
            at += 1;
        }
        got
    }
}

fn event(message: &Queued) -> SqsEvent {
    let record = json!({
        "messageId": message.id, "receiptHandle": message.id, "body": message.body,
        "messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": "eu-central-1",
        "eventSourceARN": format!("arn:aws:sqs:eu-central-1:123456789012:{}", message.queue.as_str()),
        "attributes": {
            "ApproximateReceiveCount": message.receives.to_string(),
            "MessageGroupId": message.group,
        },
    });
    serde_json::from_value(json!({"Records": [record]})).unwrap()
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Sqs>>);

#[async_trait]
impl Redelivery for Shared {
    async fn delay(&self, _: QueueName, receipt: &str, after: Duration) -> Result<(), QueueError> {
        let mut sqs = self.0.lock().unwrap();
        let until = sqs.clock.now().checked_add(after).unwrap();
        let mut messages = sqs.messages.iter_mut();
        let message = messages.find(|message| message.id == receipt);
        message.unwrap().visible_at = until;
        Ok(())
    }

    async fn put_aside(&self, letter: &Letter) -> Result<(), QueueError> {
        self.0.lock().unwrap().dead.push(letter.reason.clone());
        Ok(())
    }

    async fn requeue(&self, letter: &Letter) -> Result<(), QueueError> {
        let mut sqs = self.0.lock().unwrap();
        sqs.send(letter.queue, &letter.group, letter.body.clone());
        Ok(())
    }
}

struct Ends(Functions);

#[async_trait]
impl LastResort for Ends {
    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        give_up(&self.0.ports, envelope, why).await
    }
}

#[async_trait]
impl Handler for Ends {
    async fn handle(
        &self,
        queue: QueueName,
        envelope: &Envelope,
        again: bool,
    ) -> Result<(), Failure> {
        let deadline = Deadline::none().repeated(again);
        self.0.handle(queue, envelope, deadline).await
    }

    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        give_up(&self.0.ports, envelope, why).await
    }
}

/// Alfred with a store that goes down now, and the messages people write meanwhile.
struct Scene {
    rig: Rig,
    agenda: Agenda,
    began: Timestamp,
    up_at: Timestamp,
    to_write: Vec<(Timestamp, &'static str, String)>,
}

impl Scene {
    async fn new() -> Self {
        let clock = ManualClock::default();
        let agenda = Agenda::new(clock.clone());
        let rig = Rig::on(clock, Arc::new(agenda.clone()));
        let mut scenario = scenarios::all().swap_remove(0);
        scenario.model = echo;
        rig.reset(&scenario).await;
        let began = rig.clock.now();
        let up_at = began.checked_add(OUTAGE).unwrap();
        rig.sim.world().down = Some((rig.clock.clone(), up_at));
        let mut to_write = Vec::new();
        for (n, minute) in WRITE_AT.into_iter().enumerate() {
            let at = began.checked_add(Duration::from_secs(60 * minute)).unwrap();
            to_write.extend(PEOPLE.map(|who| (at, who, format!("{who} number {n}"))));
        }
        Self {
            agenda,
            began,
            up_at,
            to_write,
            rig,
        }
    }

    /// Messages due by now, and those Alfred sent.
    fn arrivals(&mut self) -> Vec<(QueueName, String, Envelope)> {
        let now = self.rig.clock.now();
        let (written, later) = self.to_write.drain(..).partition(|(at, ..)| *at <= now);
        self.to_write = later;
        let written: Vec<(Timestamp, &str, String)> = written;
        let said = written.into_iter().map(|(_, who, words)| {
            let envelope = person::says(&self.rig, who, &words);
            (QueueName::Ingress, envelope.session.0.clone(), envelope)
        });
        let mut arrived: Vec<_> = said.collect();
        let sent = std::iter::from_fn(|| self.rig.sim.queue.take_any(|_| 0));
        arrived.extend(sent.map(|m| (m.queue, m.group, m.envelope)));
        arrived
    }

    fn advance(&self, visible_at: Option<Timestamp>) {
        let now = self.rig.clock.now();
        let next_words = self.to_write.iter().map(|(at, ..)| *at).min();
        let times = [self.agenda.next(), visible_at, next_words];
        let next = times.into_iter().flatten().filter(|at| *at > now).min();
        let next = next.expect("something is still to happen");
        let hours = next.duration_since(self.began).as_hours();
        assert!(hours < 3, "it never ends");
        self.rig.clock.set(next);
    }

    fn answered(&self) -> usize {
        self.rig.sim.chat.posted().len()
    }

    fn check(&self, dead: &[String]) {
        assert_eq!(dead, Vec::<String>::new());
        let posted = self.rig.sim.chat.posted();
        for who in PEOPLE {
            let texts = posted.iter().map(person::shown);
            let said: Vec<String> = texts.filter(|text| text.contains(who)).collect();
            assert_eq!(said.len(), WRITE_AT.len(), "{said:?}");
            for (n, said) in said.iter().enumerate() {
                let wanted = format!("You said {who} number {n}.");
                assert!(said.starts_with(&wanted), "{said} isn't {wanted}");
            }
        }
        let late = self.rig.clock.now().duration_since(self.up_at);
        println!("all is answered {} s after the outage", late.as_secs());
        assert!(late.unsigned_abs() <= AFTERWARDS, "{late:?}");
    }
}

#[tokio::test]
async fn half_an_hour_without_a_store_loses_nothing_on_lambda() {
    let mut scene = Scene::new().await;
    let sqs = Arc::new(Mutex::new(Sqs {
        clock: scene.rig.clock.clone(),
        messages: Vec::new(),
        sent: 0,
        dead: Vec::new(),
    }));
    let functions = scene.rig.functions.clone();
    let agenda = Arc::new(scene.agenda.clone());
    let shared = Arc::new(Shared(sqs.clone()));
    let ends = Arc::new(Ends(functions.clone()));
    let runner = BatchRunner::new("test", agenda, shared, ends);
    let runner = &runner.emitting(|_| {});
    let functions = &functions;
    let mut work: Vec<Option<LocalBoxFuture<'_, (String, bool)>>> = Vec::new();
    while scene.answered() < PEOPLE.len() * WRITE_AT.len() {
        for (queue, group, envelope) in scene.arrivals() {
            let body = serde_json::to_string(&envelope).unwrap();
            sqs.lock().unwrap().send(queue, &group, body);
        }
        for (id, event) in sqs.lock().unwrap().receive() {
            let arn = event.records[0].event_source_arn.clone().unwrap();
            let queue = QueueName::named(arn.rsplit_once(':').unwrap().1).unwrap();
            let mut context = Context::default();
            let end = scene.rig.clock.now().as_millisecond() + 120_000;
            context.deadline = u64::try_from(end).unwrap();
            work.push(Some(Box::pin(async move {
                let handler = |envelope: Envelope, delivery: Delivery| async move {
                    functions.handle(queue, &envelope, delivery.deadline).await
                };
                let response = runner.run(event, &context, handler).await;
                (id, response.batch_item_failures.is_empty())
            })));
        }
        let done = scene.agenda.run(&mut work, || {}).await;
        let nothing = done.is_empty();
        for (_, (id, handled)) in done {
            if handled {
                let mut sqs = sqs.lock().unwrap();
                sqs.messages.retain(|message| message.id != id);
            }
        }
        if nothing && scene.rig.sim.queue.waiting().is_empty() {
            let sqs = sqs.lock().unwrap();
            let hidden = sqs.messages.iter().map(|message| message.visible_at);
            scene.advance(hidden.filter(|at| *at > sqs.clock.now()).min());
        }
    }
    scene.check(&sqs.lock().unwrap().dead);
}

#[tokio::test]
async fn half_an_hour_without_a_store_loses_nothing_on_one_machine() {
    let mut scene = Scene::new().await;
    let clock: Arc<dyn Clock> = Arc::new(scene.agenda.clone());
    let queue = SqliteQueue::new(Database::in_memory().unwrap(), clock.clone(), MAX_RECEIVES);
    let handler = Arc::new(Ends(scene.rig.functions.clone()));
    let consumer = &Consumer::new(queue.clone(), clock, handler);
    let mut work: Vec<Option<LocalBoxFuture<'_, ()>>> = Vec::new();
    // One thread serves all calls in order, so this one is answered last.
    let answered = || drop(block_on(queue.dead_letters(QueueName::Ingress, 1)).unwrap());
    let mut sent = 0;
    while scene.answered() < PEOPLE.len() * WRITE_AT.len() {
        for (name, group, envelope) in scene.arrivals() {
            let body = serde_json::to_string(&envelope).unwrap();
            sent += 1;
            block_on(queue.send_raw(name, body, &group, &format!("m{sent}"))).unwrap();
        }
        let mut received = false;
        for name in QueueName::ALL {
            for delivery in block_on(queue.receive(name, 100, VISIBILITY)).unwrap() {
                received = true;
                work.push(Some(Box::pin(async move {
                    consumer.deliver(&delivery).await;
                })));
            }
        }
        let done = scene.agenda.run(&mut work, &answered).await;
        if done.is_empty() && !received && scene.rig.sim.queue.waiting().is_empty() {
            // Delayed messages become visible at their own whole seconds.
            let soon = scene.rig.clock.now().checked_add(Duration::from_secs(1));
            scene.advance(soon.ok());
        }
    }
    let dead = QueueName::ALL.map(|name| block_on(queue.dead_letters(name, 10)).unwrap());
    let dead = dead.into_iter().flatten().map(|letter| letter.reason);
    scene.check(&dead.collect::<Vec<_>>());
}
