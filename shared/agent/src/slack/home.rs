//! Brings Home tabs up to date, for people who have opened theirs before. The classifier builds and publishes the tab.

use alfred_core::ports::{Outgoing, QueueName};
use alfred_core::{Envelope, Payload, ReplyAddress, RunId, SessionId, TeamId, UserId};

use crate::model::Run;
use crate::store::ports::Ports;

/// Asks for the Home tab of the run's owner to be published again. A failure is only logged, so it never delays a run:
/// the tab is built anew when its owner opens it.
pub async fn changed(ports: &Ports, run: &Run, change: &str) {
    if !run.input.user().opened_home {
        return;
    }
    let (team, user, now) = (&run.team, &run.user, ports.clock.now());
    let envelope = Envelope {
        trace_id: run.trace_id.clone(),
        ..Envelope::of_run(team, user, &run.session, run.id.clone(), now)
    };
    send(ports, envelope, &format!("{}:{change}", run.id)).await;
}

/// Asks for a person's Home tab to be published again, after a change outside of any run.
pub async fn changed_at(ports: &Ports, team: &TeamId, user: &UserId, change: &str) {
    let direct = ReplyAddress::direct(user).channel;
    let session = SessionId::new(team, user, &direct, None);
    let now = ports.clock.now();
    let envelope = Envelope::of_run(team, user, &session, RunId::default(), now);
    send(ports, envelope, change).await;
}

async fn send(ports: &Ports, envelope: Envelope, change: &str) {
    let group = format!("home:{}:{}", envelope.team, envelope.user);
    let envelope = Envelope {
        payload: Payload::Home {},
        ..envelope
    };
    let message = Outgoing::new(QueueName::Runs, envelope, group, format!("home:{change}"));
    if let Err(error) = ports.queue.send(&message).await {
        tracing::warn!(user.id = %message.envelope.user, %error, "a Home tab isn't brought up to date");
    }
}
