use alfred_agent::approval::pending;
use alfred_agent::model::Approval;
use alfred_core::ports::QueueName;
use alfred_core::{Envelope, Role};
use alfred_testkit::{ScriptedModel, calls};

use crate::in_memory::world::{World, calling, dm, shown, team};

/// Sends Ben a message, then ends after its result.
pub fn sending_model() -> ScriptedModel {
    let lunch = r#"{"to": "U2", "text": "Lunch at noon?"}"#;
    calling(calls(&[("c1", "slack_sendMessage", lunch)]))
}

pub async fn sending() -> World {
    let world = World::new(sending_model()).await;
    world.register("U2", "Ben", Role::Member).await;
    world
}

impl World {
    /// Delivers everything that is queued, without moving the clock.
    pub async fn ask(&mut self, envelope: Envelope) {
        self.deliver_until_done(QueueName::Ingress, envelope).await;
        self.drain().await;
        assert!(self.dead.is_empty(), "{:?}", self.dead);
    }

    /// Ana sends a request; returns the card that waits for her then.
    pub async fn asked(&mut self, text: &str) -> Approval {
        self.ask(dm("U1", "1.1", text)).await;
        waiting(self).await.remove(0)
    }
}

pub use crate::in_memory::world::click;

/// What waits for the decision of the world's owner.
pub async fn waiting(world: &World) -> Vec<Approval> {
    let waiting = pending::pending(&*world.ports.store, &team(), &world.owner).await;
    waiting.unwrap()
}

pub async fn stored(world: &World, approval: &Approval) -> Approval {
    let found = pending::load(&*world.ports.store, &team(), &approval.id).await;
    found.unwrap().unwrap().0
}

pub fn value(approval: &Approval) -> String {
    format!("{}:{}", approval.id, approval.revision)
}

pub fn sent(world: &World) -> Vec<String> {
    let posted = world.chat.posted();
    let to_ben = posted.iter().filter(|kept| kept.channel.as_str() == "D2");
    to_ben.map(|kept| shown(&kept.text, &kept.blocks)).collect()
}
