//! Brings Home tabs up to date. The classifier builds and publishes them.

use alfred_core::ports::{Account, Outgoing, QueueError, QueueName};
use alfred_core::{Envelope, Payload, ReplyAddress, RunId, SessionId, TraceId};

use crate::model::Run;
use crate::store::ports::Ports;

/// Asks for the Home tab of the run's owner to be published again. A failure is only logged, so it never delays a run:
/// the tab is built anew when its owner opens it.
pub async fn changed(ports: &Ports, run: &Run, change: &str) {
    if run.input.user().opened_home {
        let owner = Account::of(&run.team, &run.user);
        let change = format!("{}:{change}", run.id);
        changed_for(ports, &owner, &run.trace_id, &change).await;
    }
}

/// As [`publish`]; a failure is only logged.
pub async fn changed_for(ports: &Ports, owner: &Account, trace_id: &TraceId, change: &str) {
    if let Err(error) = publish(ports, owner, trace_id, change).await {
        tracing::warn!(user.id = %owner.user, change, %error, "a Home tab isn't brought up to date");
    }
}

/// Asks for a person's Home tab to be published again. Repeats with the same `change` publish it once.
pub async fn publish(
    ports: &Ports,
    owner: &Account,
    trace_id: &TraceId,
    change: &str,
) -> Result<(), QueueError> {
    let Account { team, user } = owner;
    let direct = ReplyAddress::direct(user).channel;
    let session = SessionId::new(team, user, &direct, None);
    let envelope = Envelope {
        trace_id: trace_id.clone(),
        payload: Payload::Home { opened: false },
        ..Envelope::of_run(team, user, &session, RunId::default(), ports.clock.now())
    };
    let group = format!("home:{team}:{user}");
    let dedup = format!("home:{user}:{change}");
    let message = Outgoing::new(QueueName::Runs, envelope, group, dedup);
    ports.queue.send(&message).await
}
