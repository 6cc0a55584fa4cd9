use alfred_agent::StepKind;
use alfred_agent::slack::edit;
use alfred_core::Role;
use alfred_core::ports::AccountError;
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{MemoryMail, When};
use serde_json::json;
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::effects::submitted;
use crate::in_memory::world::{World, dm, results, script};

pub struct Office {
    pub world: World,
    pub mail: Arc<MemoryMail>,
}

/// Ana with a mailbox and a calendar, and a model that makes this call.
pub async fn office(tool: &str, arguments: &str, lose: bool) -> Office {
    with_calls(&[&format!("{tool} {arguments}")], lose).await
}

pub async fn with_calls(made: &[&str], lose: bool) -> Office {
    let lines = [made, &[": Here is where it stands."]].concat();
    let mut world = World::new(script(&lines)).await;
    world.register("U2", "Ben", Role::Member).await;
    let mail = world.has_mails(mails());
    world.has_events(vec![], &[("ben@example.com", &[])]);
    if lose {
        let detail = "lost".into();
        let error = AccountError::Unknown { detail };
        world.faults.fail_next("mail.send", When::After, error);
    }
    Office { world, mail }
}

fn reply() -> String {
    json!({"emailId": "Lunch?", "action": "send_reply", "replyText": "At one, then."}).to_string()
}

#[tokio::test]
async fn an_edit_that_makes_less_of_a_call_is_asked_anew_and_done_as_what_it_is() {
    let mut office = office("email_processEmail", &reply(), false).await;
    office
        .world
        .ask(dm("U1", "1.1", "Answer Chiyo: at one"))
        .await;
    let first = waiting(&office.world).await.remove(0);
    let view = edit::view(&first).unwrap();
    let less = [("action", "draft_reply")];
    office.world.ask(submitted(&view, &less, "t1")).await;
    let second = waiting(&office.world).await.remove(0);
    assert_eq!((second.revision, &second.id), (2, &first.id));
    office.world.decide(&second, "approval_approve").await;
    assert!(office.mail.sent(&ana()).is_empty());
    let run = office.world.root().await;
    let steps = office.world.steps(&run.id).await;
    let intents = steps
        .iter()
        .filter(|step| matches!(step.did, StepKind::Intent { .. }));
    assert_eq!(intents.count(), 0, "it reaches nobody, so nothing is begun");
    assert_eq!(results(&steps)[0]["sent"], false);
    let draft = office.mail.drafts(&ana()).remove(0).mail;
    assert!(draft.text.starts_with("At one, then.\n\nOn "));
}
