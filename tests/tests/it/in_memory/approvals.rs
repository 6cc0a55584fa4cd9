use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status};
use alfred_agent::{RunState, StepKind};
use alfred_core::ports::QueueName;
use alfred_core::{Envelope, Role};
use alfred_testkit::{ScriptedModel, calls};
use insta::assert_snapshot;
use std::time::Duration;

use crate::in_memory::world::{World, calling, dm, mention, shown, team};

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

pub async fn waiting(world: &World) -> Vec<Approval> {
    pending::pending(&*world.ports.store, &team(), &"U1".into())
        .await
        .unwrap()
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

#[tokio::test]
async fn a_message_waits_for_its_owner_and_is_sent_once() {
    let mut world = sending().await;
    world.ask(dm("U1", "1.1", "Ask Ben for lunch")).await;
    assert!(sent(&world).is_empty(), "nothing before the yes");
    let waiting_for = waiting(&world).await;
    assert_eq!(waiting_for.len(), 1);
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
Send a Slack message
To: Ben (@ben), a direct message
│ Lunch at noon?
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    let run = world.root().await;
    assert_eq!(run.state, RunState::Asking { shown: true });
    let yes = click("U1", "approval_approve", &value(&waiting_for[0]), "t1");
    world.ask(yes.clone()).await;
    assert_eq!(sent(&world).len(), 1);
    assert_snapshot!(sent(&world)[0], @r"
    Lunch at noon?
    Sent by Alfred for Ana (<@U1>)
    ");
    assert_snapshot!(world.answers().pop().unwrap(), @r"
    Here is where it stands.
    ✓ Sent to Ben: “Lunch at noon?” (direct message) open
    ");
    assert_eq!(
        stored(&world, &waiting_for[0]).await.status,
        Status::Approved
    );
    world.ask(yes).await;
    world.decide(&waiting_for[0], "approval_approve").await;
    assert_eq!(sent(&world).len(), 1);
    assert!(waiting(&world).await.is_empty());
}

#[tokio::test]
async fn a_no_reaches_the_model_and_nothing_is_sent() {
    let mut world = sending().await;
    world.ask(dm("U1", "1.1", "Ask Ben for lunch")).await;
    let no = "no, he is on holiday";
    let ts = world.chat.say(&"DU1".into(), None, &"U1".into(), no);
    world.ask(dm("U1", &ts, no)).await;
    assert!(sent(&world).is_empty());
    let steps = world.steps(&world.root().await.id).await;
    let told = steps.iter().find_map(|step| match &step.did {
        StepKind::ToolResult(result) => result.output["error"].as_str().map(str::to_owned),
        _ => None,
    });
    assert!(told.unwrap().contains("he is on holiday"));
    assert_snapshot!(world.answers().pop().unwrap(), @"
Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (you rejected it)
Nothing was sent or changed.
");
}

#[tokio::test]
async fn nobody_else_decides() {
    let mut world = sending().await;
    world.register("U3", "Chiyo", Role::Admin).await;
    let approval = world.asked("Ask Ben for lunch").await;
    for user in ["U2", "U3"] {
        world
            .ask(click(user, "approval_approve", &value(&approval), user))
            .await;
    }
    let mut other_team = click("U1", "approval_approve", &value(&approval), "t9");
    other_team.team = "T2".into();
    world.ask(other_team).await;
    for forged in [
        "apr_x:1",
        "apr_00000000000000000000000000000000:1",
        &format!("{}:2", approval.id),
        "",
    ] {
        world
            .ask(click("U1", "approval_approve", forged, forged))
            .await;
    }
    assert!(sent(&world).is_empty());
    assert_eq!(stored(&world, &approval).await.status, Status::Pending);
}

#[tokio::test]
async fn expired_approval_can_be_renewed() {
    let mut world = sending().await;
    let approval = world.asked("Ask Ben for lunch").await;
    world.clock.advance(Duration::from_secs(3_601));
    world.sweep().await;
    assert_eq!(stored(&world, &approval).await.status, Status::Expired);
    assert_snapshot!(world.answers().pop().unwrap(), @"
Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (the approval expired)
Nothing was sent or changed.
");
    world.decide(&approval, "approval_approve").await;
    assert!(sent(&world).is_empty(), "too late");
    world.decide(&approval, "approval_renew").await;
    world.decide(&approval, "approval_renew").await;
    let renewed = waiting(&world).await;
    assert_eq!(renewed.len(), 1, "asked anew, once");
    assert_eq!(renewed[0].digest, approval.digest);
    world.decide(&renewed[0], "approval_approve").await;
    assert_eq!(sent(&world).len(), 1);
}

#[tokio::test]
async fn a_channel_gets_one_line_and_the_owner_the_card() {
    let mut world = sending().await;
    world.ask(mention("1.1", "Ask Ben for lunch")).await;
    let posted = world.chat.posted();
    let in_channel: Vec<&str> = posted
        .iter()
        .filter(|kept| kept.channel.as_str() == "C1")
        .map(|kept| kept.text.as_str())
        .collect();
    assert_eq!(
        in_channel,
        ["I've asked you in our direct message before I do anything."]
    );
    assert!(posted.iter().any(|kept| kept.channel.as_str() != "C1" && kept.text.contains("Send a Slack message")));
}

#[tokio::test]
async fn several_cards_of_one_request_are_one_line_in_the_channel() {
    let lunch = r#"{"to": "U2", "text": "Lunch?"}"#;
    let dinner = r#"{"to": "U2", "text": "Or dinner?"}"#;
    let both = calls(&[
        ("c1", "slack_sendMessage", lunch),
        ("c2", "slack_sendMessage", dinner),
    ]);
    let mut world = World::new(calling(both)).await;
    world.register("U2", "Ben", Role::Member).await;
    world.ask(mention("1.1", "Ask Ben")).await;
    assert_eq!(waiting(&world).await.len(), 2);
    let posted = world.chat.posted();
    let lines = posted.iter().filter(|kept| kept.channel.as_str() == "C1");
    assert_eq!(lines.count(), 1);
}
