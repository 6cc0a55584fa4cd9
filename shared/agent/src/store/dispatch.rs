//! Sends runs to queues. Everything sent was committed before and may be sent again. Each message's
//! deduplication id stands for its exact purpose.

use alfred_core::ports::{Outgoing, QueueName};
use alfred_core::{Classified, Envelope, Payload, Result, RunId};
use jiff::Timestamp;

use crate::model::{Run, RunState, Session};
use crate::store::ports::Ports;

pub async fn start_waiting(ports: &Ports, ended: &Run, next: RunId) -> Result<()> {
    let message = envelope(ended, next.clone(), ports.clock.now());
    start(ports, message, next).await
}

pub(crate) async fn start(ports: &Ports, message: Envelope, next: RunId) -> Result<()> {
    let dedup = format!("{next}:start");
    let outgoing = Outgoing::new(QueueName::Runs, message, next.0, dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Notifies the parent run of a team's end, once per team.
pub async fn to_parent(ports: &Ports, run: &Run, parent: &RunId) -> Result<()> {
    let message = envelope(run, parent.clone(), ports.clock.now());
    let dedup = format!("{parent}:join:{}", run.id);
    let outgoing = Outgoing::new(QueueName::Runs, message, parent.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Sends a run to a queue. SQS drops repeats for the same state of the run within five minutes.
pub async fn send(
    ports: &Ports,
    run: &Run,
    queue: QueueName,
    hops: u16,
    classified: Option<Classified>,
) -> Result<()> {
    let moved = run.updated_at.as_millisecond();
    let dedup = format!("{}:{}:{moved}:{hops}", run.id, run.progress.steps);
    let mut message = envelope(run, run.id.clone(), ports.clock.now());
    message.hops = hops;
    message.payload = Payload::Run {
        run: run.id.clone(),
        classified,
    };
    let outgoing = Outgoing::new(queue, message, run.id.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Sends an abandoned run again, once for the `nth` watchdog check. The number also becomes the
/// message's hops, so that later messages get new deduplication ids.
pub async fn send_again(ports: &Ports, run: &Run, queue: QueueName, nth: u16) -> Result<()> {
    let moved = run.updated_at.as_millisecond();
    let dedup = format!("{}:{moved}:look:{nth}", run.id);
    let mut message = envelope(run, run.id.clone(), ports.clock.now());
    message.hops = nth;
    let outgoing = Outgoing::new(queue, message, run.id.0.clone(), dedup);
    Ok(ports.queue.send(&outgoing).await?)
}

/// Repeats the sends after a run ended or was parked, in case a crash lost them.
pub async fn follow_up(ports: &Ports, run: &Run) -> Result<()> {
    let done = matches!(run.state, RunState::Done { .. });
    if let Some(parent) = run.parent.as_ref().filter(|_| done) {
        return to_parent(ports, run, parent).await;
    }
    let session = Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    match session.active {
        Some(next) if next != run.id && Some(&next) != run.parent.as_ref() => {
            start_waiting(ports, run, next).await
        }
        _ => Ok(()),
    }
}

/// A message that continues run `target`, with the identity of `run`'s request.
fn envelope(run: &Run, target: RunId, now: Timestamp) -> Envelope {
    Envelope {
        trace_id: run.trace_id.clone(),
        ..Envelope::of_run(&run.team, &run.user, &run.session, target, now)
    }
}
