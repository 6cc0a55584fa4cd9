//! Runs the records of an SQS batch, each on its own, and reports which failed
//! (<https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting>).

use alfred_core::ports::{Clock, QueueName, Redelivery};
use alfred_core::{Deadline, Envelope, Failure, Payload};
use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures_util::FutureExt;
use jiff::{SignedDuration, Timestamp};
use lambda_runtime::{Context, LambdaEvent, service_fn};
use std::collections::HashSet;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tracing::{Instrument, Span, field};

use crate::deadline::deadline;
use crate::metrics::{HANDLER_TIME, QUEUE_WAIT, REQUESTS};
use crate::{Message, Metrics, Outcome};

/// With less left, a further record of a batch isn't begun.
const LEAST_TIME: Duration = Duration::from_secs(5);

/// How a message reached the handler.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The record's id, the same at every delivery: it identifies inline contracts.
    pub message_id: String,
    /// How often it has been received, this time included.
    pub receives: u32,
    /// When Lambda ends the invocation.
    pub deadline: Deadline,
    /// Takes what the handler measures.
    pub metrics: Metrics,
}

type Emit = Arc<dyn Fn(&str) + Send + Sync>;

/// Runs batches for one function.
#[derive(Clone)]
pub struct BatchRunner {
    service: &'static str,
    clock: Arc<dyn Clock>,
    emit: Emit,
    redelivery: Option<Arc<dyn Redelivery>>,
}

impl BatchRunner {
    /// A runner that prints metrics to stdout under this service's name.
    #[must_use]
    pub fn new(service: &'static str, clock: Arc<dyn Clock>) -> Self {
        let emit = |line: &str| {
            let written = writeln!(std::io::stdout().lock(), "{line}");
            if let Err(error) = written {
                tracing::warn!(error = %error, "a line of metrics was lost");
            }
        };
        Self::with_emit(service, clock, emit)
    }

    /// The same, handing the lines of metrics to `emit`.
    #[must_use]
    pub fn with_emit(
        service: &'static str,
        clock: Arc<dyn Clock>,
        emit: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            service,
            clock,
            emit: Arc::new(emit),
            redelivery: None,
        }
    }

    /// The same, putting off what asks for a delay. Without, the queue's visibility timeout decides.
    #[must_use]
    pub fn delaying(mut self, redelivery: Arc<dyn Redelivery>) -> Self {
        self.redelivery = Some(redelivery);
        self
    }

    /// Serves Lambda's invocations until the process is ended.
    ///
    /// # Errors
    /// When the Lambda Runtime API can't be reached.
    pub async fn serve<M, F, Fut>(self, handler: F) -> Result<(), lambda_runtime::Error>
    where
        M: Message,
        F: Fn(M, Delivery) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        let (runner, handler) = (&self, &handler);
        lambda_runtime::run(service_fn(move |event: LambdaEvent<SqsEvent>| async move {
            let (batch, context) = event.into_parts();
            Ok::<_, lambda_runtime::Error>(runner.run(batch, &context, handler).await)
        }))
        .await
    }

    /// Runs one batch, record by record.
    ///
    /// After a failed record the later ones of its group fail too, unrun, so that they stay
    /// behind it. One that can't be read fails alone, since it will never be read: it reaches
    /// the dead-letter queue while its group goes on. A `Reject` has been answered and counts
    /// as handled. A panic fails its record (with `panic = "abort"` the process, and Lambda
    /// starts a new one).
    pub async fn run<M, F, Fut>(
        &self,
        batch: SqsEvent,
        context: &Context,
        handler: F,
    ) -> SqsBatchResponse
    where
        M: Message,
        F: Fn(M, Delivery) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        let deadline = deadline(context, self.clock.now());
        let mut response = SqsBatchResponse::default();
        let mut failed_groups = HashSet::new();
        for (index, record) in batch.records.into_iter().enumerate() {
            let group = record.attributes.get("MessageGroupId").cloned();
            // Lambda reads an empty id as "all of them", which is right for a record without one.
            let id = record.message_id.clone().unwrap_or_default();
            let behind_failed = group
                .as_ref()
                .is_some_and(|group| failed_groups.contains(group));
            let no_time = index > 0 && !deadline.allows(self.clock.now(), LEAST_TIME);
            if behind_failed || no_time {
                response.add_failure(id);
                failed_groups.extend(group);
                continue;
            }
            match self.record(record, deadline, &handler).await {
                Outcome::Done | Outcome::Rejected => {}
                Outcome::Unreadable => response.add_failure(id),
                Outcome::Retry | Outcome::Bug | Outcome::Panic => {
                    response.add_failure(id);
                    failed_groups.extend(group);
                }
            }
        }
        response
    }

    async fn record<M, F, Fut>(
        &self,
        record: SqsMessage,
        deadline: Deadline,
        handler: &F,
    ) -> Outcome
    where
        M: Message,
        F: Fn(M, Delivery) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        let started = self.clock.now();
        let receipt = Receipt::of(&record);
        let delivery = Delivery {
            message_id: record.message_id.unwrap_or_default(),
            receives: number(record.attributes.get("ApproximateReceiveCount")).unwrap_or(1),
            deadline,
            metrics: Metrics::default(),
        };
        let metrics = delivery.metrics.clone();
        metrics.add(REQUESTS, 1.0);
        if let Some(sent) = number(record.attributes.get("SentTimestamp")) {
            metrics.add(QUEUE_WAIT, since_millis(sent, started));
        }
        let span = span(&delivery);
        let (outcome, trace) = match M::decode(record.body.as_deref().unwrap_or_default()) {
            Ok(message) => {
                let trace = fill(&span, message.envelope());
                let work = async { handler(message, delivery).await };
                let ended = AssertUnwindSafe(work)
                    .catch_unwind()
                    .instrument(span.clone())
                    .await;
                if let Ok(Err(failure)) = &ended {
                    self.put_off(receipt, failure)
                        .instrument(span.clone())
                        .await;
                }
                let outcome = span.in_scope(|| match ended {
                    Ok(Ok(())) => Outcome::Done,
                    Ok(Err(failure)) => logged(&failure),
                    Err(_) => {
                        tracing::error!("the handler panicked");
                        Outcome::Panic
                    }
                });
                (outcome, trace)
            }
            Err(reason) => {
                span.in_scope(|| tracing::error!(reason, "a record can't be read"));
                (Outcome::Unreadable, String::new())
            }
        };
        metrics.add(HANDLER_TIME, millis(started, self.clock.now()));
        let properties = [("trace.id", trace.as_str())];
        (self.emit)(&metrics.line(started, self.service, outcome, &properties));
        outcome
    }

    /// Without it the message comes back all the same, when its visibility timeout ends.
    async fn put_off(&self, receipt: Option<Receipt>, failure: &Failure) {
        let Failure::Retry {
            after: Some(after), ..
        } = failure
        else {
            return;
        };
        let (Some(redelivery), Some(receipt)) = (&self.redelivery, receipt) else {
            tracing::debug!("a delay was asked for, and nothing here can put a message off");
            return;
        };
        let delayed = redelivery.delay(receipt.queue, &receipt.handle, *after);
        if let Err(error) = delayed.await {
            tracing::warn!(error = %error, "couldn't put a message off; its visibility timeout decides");
        }
    }
}

/// What the queue knows a delivery by.
struct Receipt {
    queue: QueueName,
    handle: String,
}

impl Receipt {
    fn of(record: &SqsMessage) -> Option<Self> {
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

/// Names what the message is about, and gives its trace id.
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
fn logged(failure: &Failure) -> Outcome {
    match failure {
        Failure::Retry { reason, after } => {
            let after = after.map(|after| after.as_secs());
            tracing::warn!(reason, retry.after_seconds = after, "back to the queue");
            Outcome::Retry
        }
        Failure::Reject { .. } => {
            tracing::info!("answered and dropped");
            Outcome::Rejected
        }
        Failure::Bug { detail } => {
            tracing::error!(detail, "a defect");
            Outcome::Bug
        }
    }
}

fn number<T: std::str::FromStr>(attribute: Option<&String>) -> Option<T> {
    attribute.and_then(|text| text.parse().ok())
}

fn since_millis(sent: i64, now: Timestamp) -> f64 {
    Timestamp::from_millisecond(sent).map_or(0.0, |sent| millis(sent, now))
}

fn millis(from: Timestamp, to: Timestamp) -> f64 {
    let passed = to.duration_since(from).max(SignedDuration::ZERO);
    passed.as_secs_f64() * 1_000.0
}
