//! Brings Home tabs up to date, for people who have opened theirs before. The classifier builds and publishes the tab.

use alfred_core::ports::{Outgoing, QueueName};
use alfred_core::{Envelope, Payload};

use crate::model::Run;
use crate::store::ports::Ports;

/// Asks for the Home tab of the run's owner to be published again. A failure is only logged, so it never delays a run:
/// the tab is built anew when its owner opens it.
pub async fn changed(ports: &Ports, run: &Run, change: &str) {
    if !run.input.user().opened_home {
        return;
    }
    let (team, user, now) = (&run.team, &run.user, ports.clock.now());
    let message = Envelope {
        trace_id: run.trace_id.clone(),
        payload: Payload::Home {},
        ..Envelope::of_run(team, user, &run.session, run.id.clone(), now)
    };
    let group = format!("home:{team}:{user}");
    let dedup = format!("home:{}:{change}", run.id);
    let message = Outgoing::new(QueueName::Runs, message, group, dedup);
    if let Err(error) = ports.queue.send(&message).await {
        tracing::warn!(run.id = %run.id, %error, "a Home tab isn't brought up to date");
    }
}
