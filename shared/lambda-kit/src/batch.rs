//! Runs the records of an SQS batch, each on its own, and reports which failed
//! (<https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting>).

use alfred_core::ports::{Clock, Letter, QueueError, QueueName, Redelivery};
use alfred_core::redelivery::{self, Fate, Received, WAITED_OUT};
use alfred_core::{Deadline, Envelope, Failure, Payload};
use async_trait::async_trait;
use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures_util::FutureExt;
use jiff::{SignedDuration, Timestamp};
use lambda_runtime::{Context, LambdaEvent, service_fn};
use std::collections::HashSet;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::{Instrument, Span, field};

use crate::deadline::deadline;
use crate::metrics::{HANDLER_TIME, QUEUE_WAIT, REQUESTS};
use crate::{Message, Metrics, Outcome};

/// For the last attempt at a message whose faults may pass.
const LAST_ATTEMPT: Duration = Duration::from_secs(10);
/// With less left, a further record of a batch isn't begun.
const LEAST_TIME: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Delivery {
    /// The record's id, the same at every delivery: it identifies inline contracts.
    pub message_id: String,
    pub receives: u32,
    pub deadline: Deadline,
    pub metrics: Metrics,
}

type Emit = Arc<dyn Fn(&str) + Send + Sync>;

/// Ends what a message is about when it can't be handled, with words for its person.
#[async_trait]
pub trait LastResort: Send + Sync {
    /// The message and why. Fails as `Retry` when it has to be tried again.
    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure>;
}

#[derive(Clone)]
pub struct BatchRunner {
    service: &'static str,
    clock: Arc<dyn Clock>,
    emit: Emit,
    redelivery: Arc<dyn Redelivery>,
    last_resort: Arc<dyn LastResort>,
}

impl BatchRunner {
    /// A runner that prints metrics to stdout under this service's name.
    pub fn new(
        service: &'static str,
        clock: Arc<dyn Clock>,
        redelivery: Arc<dyn Redelivery>,
        last_resort: Arc<dyn LastResort>,
    ) -> Self {
        let emit = |line: &str| {
            let written = writeln!(std::io::stdout().lock(), "{line}");
            if let Err(error) = written {
                tracing::warn!(error = %error, "a line of metrics was lost");
            }
        };
        Self {
            service,
            clock,
            emit: Arc::new(emit),
            redelivery,
            last_resort,
        }
    }

    /// The same, handing the lines of metrics to `emit`.
    pub fn emitting(mut self, emit: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.emit = Arc::new(emit);
        self
    }

    /// Serves invocations until the process ends. Fails if the Lambda Runtime API can't be reached.
    pub async fn serve<M: Message>(
        self,
        handler: impl AsyncFn(M, Delivery) -> Result<(), Failure>,
    ) -> Result<(), lambda_runtime::Error> {
        let (runner, handler) = (&self, &handler);
        lambda_runtime::run(service_fn(move |event: LambdaEvent<SqsEvent>| async move {
            let (batch, context) = event.into_parts();
            Ok::<_, lambda_runtime::Error>(runner.run(batch, &context, handler).await)
        }))
        .await
    }

    /// Runs one batch, record by record; what becomes of those that fail is
    /// [`redelivery`]'s policy.
    ///
    /// After a record that goes back to the queue the later ones of its group go back too, unrun, so that they stay
    /// behind it. One that can't be read, or meets a defect, goes to the dead-letter queue at once with its reason,
    /// while its group goes on. A `Reject` has been answered and counts as handled. A panic is a defect (with `panic =
    /// "abort"` the process ends, and Lambda starts a new one).
    pub async fn run<M: Message>(
        &self,
        batch: SqsEvent,
        context: &Context,
        handler: impl AsyncFn(M, Delivery) -> Result<(), Failure>,
    ) -> SqsBatchResponse {
        let deadline = deadline(context, self.clock.now());
        let mut response = SqsBatchResponse::default();
        let mut failed_groups = HashSet::new();
        for (index, record) in batch.records.into_iter().enumerate() {
            let group = group(&record).cloned();
            // Lambda reads an empty id as "all of them", which is right for a record without one.
            let id = record.message_id.clone().unwrap_or_default();
            let behind_failed = group.as_ref().is_some_and(|it| failed_groups.contains(it));
            let no_time = index > 0 && !deadline.allows(self.clock.now(), LEAST_TIME);
            if behind_failed || no_time || !self.record(record, deadline, &handler).await {
                response.add_failure(id);
                failed_groups.extend(group);
            }
        }
        response
    }

    /// Whether the record is settled: Lambda deletes it then.
    async fn record<M: Message>(
        &self,
        record: SqsMessage,
        deadline: Deadline,
        handler: &impl AsyncFn(M, Delivery) -> Result<(), Failure>,
    ) -> bool {
        let started = self.clock.now();
        let receipt = Receipt::from_record(&record);
        let delivery = Delivery {
            message_id: record.message_id.clone().unwrap_or_default(),
            receives: receives(&record),
            deadline,
            metrics: Metrics::default(),
        };
        let metrics = delivery.metrics.clone();
        metrics.add(REQUESTS, 1.0);
        let sent = number(record.attributes.get("SentTimestamp"));
        if let Some(sent) = sent.and_then(|sent| Timestamp::from_millisecond(sent).ok()) {
            metrics.add(QUEUE_WAIT, millis(sent, started));
        }
        let span = span(&delivery);
        let decoded = decode::<M>(&record, receipt.as_ref());
        let (fate, outcome, trace) = match decoded {
            Ok(message) => {
                let trace = fill(&span, message.envelope());
                let handled = self.handle(message, delivery, handler);
                let (fate, outcome) = handled.instrument(span.clone()).await;
                (fate, outcome, trace)
            }
            Err(why) => {
                let fate = redelivery::unread(received(&delivery, started), why);
                (fate, Outcome::Unreadable, String::new())
            }
        };
        span.in_scope(|| log(&fate));
        let settled = self.settle(fate, record, receipt).instrument(span).await;
        metrics.add(HANDLER_TIME, millis(started, self.clock.now()));
        let properties = [("trace.id", trace.as_str())];
        (self.emit)(&metrics.line(started, self.service, outcome, &properties));
        settled
    }

    async fn handle<M: Message>(
        &self,
        message: M,
        delivery: Delivery,
        handler: &impl AsyncFn(M, Delivery) -> Result<(), Failure>,
    ) -> (Fate, Outcome) {
        let (message, panicked) = (&message, AtomicBool::new(false));
        let work = |again| {
            let delivery = Delivery {
                deadline: delivery.deadline.repeated(again),
                ..delivery.clone()
            };
            // Boxed: the compiler lays out what is nested in a main as one.
            let attempt = Box::pin(handler(message.clone(), delivery));
            let attempt = AssertUnwindSafe(attempt).catch_unwind();
            let panicked = &panicked;
            async move {
                attempt.await.unwrap_or_else(|_| {
                    panicked.store(true, Ordering::Relaxed);
                    Err(Failure::bug("the handler panicked"))
                })
            }
        };
        let give_up = async |why: String| match message.envelope() {
            Some(envelope) => self.last_resort.give_up(envelope, &why).await,
            None => Ok(()),
        };
        let now = self.clock.now();
        let left = delivery.deadline.remaining(now).unwrap_or_default();
        let waited_out = left.saturating_sub(LAST_ATTEMPT).min(WAITED_OUT);
        let until = now.checked_add(waited_out);
        let received = received(&delivery, until.unwrap_or(now));
        let fate = redelivery::handle(&*self.clock, received, work, give_up).await;
        let outcome = match &fate {
            Fate::Done => Outcome::Done,
            Fate::Rejected => Outcome::Rejected,
            Fate::Back { .. } | Fate::Anew { .. } => Outcome::Retry,
            Fate::Aside { .. } if panicked.load(Ordering::Relaxed) => Outcome::Panic,
            Fate::Aside { .. } => Outcome::Bug,
        };
        (fate, outcome)
    }

    /// Whether the record may be deleted. What can't be settled now comes back all the same, when
    /// its visibility timeout ends.
    async fn settle(&self, fate: Fate, record: SqsMessage, receipt: Option<Receipt>) -> bool {
        let Some(Receipt { queue, handle }) = receipt else {
            return matches!(fate, Fate::Done | Fate::Rejected);
        };
        let letter = |reason: String| Letter {
            queue,
            group: group(&record).cloned().unwrap_or_default(),
            id: record.message_id.clone().unwrap_or_default(),
            receives: receives(&record),
            body: record.body.clone().unwrap_or_default(),
            reason,
        };
        let (settled, deleted): (Result<(), QueueError>, bool) = match fate {
            Fate::Done | Fate::Rejected => (Ok(()), true),
            Fate::Back { after, .. } => (self.redelivery.delay(queue, &handle, after).await, false),
            Fate::Anew { reason } => (self.redelivery.requeue(&letter(reason)).await, true),
            Fate::Aside { reason } => (self.redelivery.put_aside(&letter(reason)).await, true),
        };
        if let Err(error) = &settled {
            tracing::warn!(error = %error, "couldn't settle a message; its visibility timeout decides");
        }
        settled.is_ok() && deleted
    }
}

/// Reads a record, and refuses what its queue doesn't carry, such as a click that a worker sent.
fn decode<M: Message>(record: &SqsMessage, receipt: Option<&Receipt>) -> Result<M, Failure> {
    let message = M::decode(record.body.as_deref().unwrap_or_default())?;
    if let Some(envelope) = message.envelope() {
        // A queue of an unknown name carries no more than one that workers fill.
        let queue = receipt.map_or(QueueName::Utility, |receipt| receipt.queue);
        queue.check(&envelope.payload)?;
    }
    Ok(message)
}

fn group(record: &SqsMessage) -> Option<&String> {
    record.attributes.get("MessageGroupId")
}

fn receives(record: &SqsMessage) -> u32 {
    number(record.attributes.get("ApproximateReceiveCount")).unwrap_or(1)
}

fn received(delivery: &Delivery, until: Timestamp) -> Received<'_> {
    Received {
        id: &delivery.message_id,
        receives: delivery.receives,
        deaths: 0,
        until,
    }
}

struct Receipt {
    queue: QueueName,
    handle: String,
}

impl Receipt {
    fn from_record(record: &SqsMessage) -> Option<Self> {
        let (_, name) = record.event_source_arn.as_deref()?.rsplit_once(':')?;
        Some(Self {
            queue: QueueName::named(name)?,
            handle: record.receipt_handle.clone()?,
        })
    }
}

fn span(delivery: &Delivery) -> Span {
    tracing::info_span!(
        "envelope",
        message.id = delivery.message_id,
        queue.receives = delivery.receives,
        trace.id = field::Empty,
        team.id = field::Empty,
        user.id = field::Empty,
        run.id = field::Empty,
        hops = field::Empty,
    )
}

fn fill(span: &Span, envelope: Option<&Envelope>) -> String {
    let Some(envelope) = envelope else {
        return String::new();
    };
    span.record("trace.id", envelope.trace_id.as_str());
    span.record("team.id", envelope.team.as_str());
    span.record("user.id", envelope.user.as_str());
    span.record("hops", envelope.hops);
    if let Payload::Run { run, .. } = &envelope.payload {
        span.record("run.id", run.as_str());
    }
    envelope.trace_id.0.clone()
}

/// The one place where a handler's failure is logged.
fn log(fate: &Fate) {
    match fate {
        Fate::Done => {}
        Fate::Rejected => tracing::info!("answered and dropped"),
        Fate::Back { after, reason } => {
            let after = after.as_secs();
            tracing::warn!(reason, retry.after_seconds = after, "back to the queue");
        }
        Fate::Anew { reason } => tracing::warn!(reason, "sent anew: its receives are used up"),
        Fate::Aside { reason } => tracing::error!(reason, "a defect: to the dead letters"),
    }
}

fn number<T: std::str::FromStr>(attribute: Option<&String>) -> Option<T> {
    attribute.and_then(|text| text.parse().ok())
}

fn millis(from: Timestamp, to: Timestamp) -> f64 {
    let passed = to.duration_since(from).max(SignedDuration::ZERO);
    passed.as_secs_f64() * 1_000.0
}
