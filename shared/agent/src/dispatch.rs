//! Runs on their way through the queues. What is sent was committed before, and may be sent again: each
//! message has a deduplication id of what it stands for.

use alfred_core::ports::{Outgoing, QueueName};
use alfred_core::{Classified, Envelope, Failure, Payload, RunId};
use jiff::Timestamp;

use crate::ports::Ports;
use crate::run::{Run, RunState};
use crate::session::Session;

/// Sends the run whose turn it is in a conversation.
///
/// # Errors
/// When the queue doesn't take it.
pub async fn start_waiting(ports: &Ports, ended: &Run, next: RunId) -> Result<(), Failure> {
    start(
        ports,
        envelope(ended, next.clone(), ports.clock.now()),
        next,
    )
    .await
}

/// The same with its message.
///
/// # Errors
/// When the queue doesn't take it.
pub(crate) async fn start(ports: &Ports, message: Envelope, next: RunId) -> Result<(), Failure> {
    let dedup = format!("{next}:start");
    let outgoing = Outgoing::new(QueueName::Ingress, message, next.0, dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Calls the run that waits for a team's: once for each team.
///
/// # Errors
/// When the queue doesn't take it.
pub(crate) async fn to_parent(ports: &Ports, run: &Run, parent: &RunId) -> Result<(), Failure> {
    let message = envelope(run, parent.clone(), ports.clock.now());
    let dedup = format!("{parent}:join:{}", run.id);
    let outgoing = Outgoing::new(QueueName::Ingress, message, parent.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Sends a run on to a queue. The same point of the same run is sent once within SQS's five minutes.
///
/// # Errors
/// When the queue doesn't take it.
pub async fn send(
    ports: &Ports,
    run: &Run,
    queue: QueueName,
    hops: u16,
    classified: Option<Classified>,
) -> Result<(), Failure> {
    let moved = run.updated_at.as_millisecond();
    let dedup = format!("{}:{}:{moved}:{hops}", run.id, run.steps);
    let mut message = envelope(run, run.id.clone(), ports.clock.now());
    message.hops = hops;
    message.payload = Payload::Run {
        run: run.id.clone(),
        classified,
    };
    let outgoing = Outgoing::new(queue, message, run.id.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Sends a run again that looks found left behind: once for each look of which this is the `nth`, from 1.
/// The number goes on as its hops, so that what follows isn't taken for what followed before either.
///
/// # Errors
/// When the queue doesn't take it.
pub async fn send_again(
    ports: &Ports,
    run: &Run,
    queue: QueueName,
    nth: u16,
) -> Result<(), Failure> {
    let moved = run.updated_at.as_millisecond();
    let dedup = format!("{}:{moved}:look:{nth}", run.id);
    let mut message = envelope(run, run.id.clone(), ports.clock.now());
    message.hops = nth;
    let outgoing = Outgoing::new(queue, message, run.id.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Repeats what follows from a run that finished, or gave up its place to ask, in case it was cut
/// off behind its commit.
///
/// # Errors
/// When the store or the queue doesn't answer.
pub async fn follow_up(ports: &Ports, run: &Run) -> Result<(), Failure> {
    let done = matches!(run.state, RunState::Done { .. });
    if let Some(parent) = run.parent.as_ref().filter(|_| done) {
        return to_parent(ports, run, parent).await;
    }
    let (session, _) = Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    match session.active {
        Some(next) if next != run.id && Some(&next) != run.parent.as_ref() => {
            start_waiting(ports, run, next).await
        }
        _ => Ok(()),
    }
}

/// The message that continues `target` on behalf of `run`'s request.
fn envelope(run: &Run, target: RunId, now: Timestamp) -> Envelope {
    let trace = run.trace_id.clone();
    Envelope::of_run(&run.team, &run.user, &run.session, trace, target, now)
}
