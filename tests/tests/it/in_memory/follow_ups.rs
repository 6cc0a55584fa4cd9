//! "Tell me if she hasn't answered by Friday": a job that checks one e-mail.

use alfred_agent::model::NOTHING;
use alfred_core::ports::{Mailbox, Message, TurnRequest};
use alfred_schedule::{Does, row};
use alfred_testkit::{MemoryMail, ScriptedModel, calls, fixtures, says};
use serde_json::json;
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::world::{World, dm, simple, team, turns_taken};

const WRITTEN: &str = "out1";
const LOOK: &str = "Check whether e-mail out1 was answered, and tell me if it wasn't.";
const GONE: &str = "Your e-mail about the tables isn't there any more, so I can't tell.";
const UNANSWERED: &str = "Chiyo hasn't answered about the tables. Shall I draft a reminder?";

fn arriving(id: &str, from: Mailbox, subject: &str) -> alfred_core::ports::MailMessage {
    let mut mail = fixtures::mail(id, from, subject, "Five?");
    mail.summary.received_at = "2026-11-21T08:00:00Z".parse().unwrap();
    mail
}

/// Stores the e-mail's id in the job, and on Friday answers by the tool's result.
fn model() -> ScriptedModel {
    let look = json!({"emailId": WRITTEN}).to_string();
    let job = json!({"request": LOOK, "date": "friday", "time": "09:00"}).to_string();
    simple(move |request| {
        let scheduled = asked(request).contains(LOOK);
        Ok(match (turns_taken(request), scheduled) {
            (0, _) => calls(&[("c1", "email_checkAnswered", &look)]),
            (1, false) => calls(&[("c2", "job_createJob", &job)]),
            (_, false) => says("I'll look on Friday."),
            (_, true) => says(match found(request) {
                found if found.contains("notAnswered") => UNANSWERED,
                found if found.contains("gone") => GONE,
                _ => NOTHING,
            }),
        })
    })
}

fn asked(request: &TurnRequest) -> &str {
    let said = request.messages.iter().rev().find_map(|one| match one {
        Message::User { text } => Some(text.as_ref()),
        _ => None,
    });
    said.unwrap()
}

fn found(request: &TurnRequest) -> &str {
    let given = request.messages.iter().rev().find_map(|one| match one {
        Message::Tool { text, .. } => Some(text.as_ref()),
        _ => None,
    });
    given.unwrap()
}

/// She asks and approves on Saturday. Returns the world as of Thursday.
async fn asked_for() -> (World, Arc<MemoryMail>) {
    let mut world = World::new(model()).await;
    world.sweep().await;
    let mut written = arriving(WRITTEN, Mailbox::new("Ana", "ana@example.com"), "Tables");
    written.summary.to = vec![Mailbox::new("Chiyo", "chiyo@example.com")];
    let mail = world.has_mails(vec![written]);
    let text = "Tell me if Chiyo hasn't answered about the tables by Friday";
    world.ask(dm("U1", "1.1", text)).await;
    // The run read others' words, so the job is asked about.
    let approval = waiting(&world).await.remove(0);
    world.decide(&approval, "approval_approve").await;
    world.settle().await;
    let jobs = row::list(&*world.store, &team(), &"U1".into()).await;
    let job = jobs.unwrap().remove(0).job;
    let Does::Ask { request } = &job.does else {
        panic!("{:?}", job.does)
    };
    assert!(request.contains(WRITTEN) && !job.taint.untrusted.is_empty());
    at(&mut world, "2026-11-26T12:00:00Z").await;
    (world, mail)
}

async fn at(world: &mut World, time: &str) {
    world.clock.set(time.parse().unwrap());
    world.queue.forget_dedup();
    // After a jump, each sweep catches up one step.
    for _ in 0..4 {
        world.sweep().await;
    }
}

async fn told(world: &mut World) -> Vec<String> {
    let before = world.chat.posted().len();
    for time in [
        "2026-11-27T07:59:00Z",
        "2026-11-27T08:00:00Z",
        "2026-11-27T08:01:00Z",
        "2026-11-30T08:00:00Z",
    ] {
        at(world, time).await;
    }
    assert!(waiting(world).await.is_empty());
    let new = world.chat.posted().split_off(before).into_iter();
    new.map(|kept| kept.text).collect()
}

#[tokio::test]
async fn no_answer_is_told_once_and_an_answer_is_not() {
    let (mut world, _) = asked_for().await;
    assert_eq!(told(&mut world).await, [UNANSWERED]);

    let (mut world, mail) = asked_for().await;
    let mut answer = arriving(
        "in1",
        Mailbox::new("Chiyo", "chiyo@example.com"),
        "Re: Tables",
    );
    answer.summary.received_at = "2026-11-25T08:00:00Z".parse().unwrap();
    let own = answer.message_id.clone().unwrap();
    answer.references = vec![format!("<{WRITTEN}@example.com>"), own];
    mail.arrive(&ana(), answer);
    assert_eq!(told(&mut world).await, [""; 0]);
}

#[tokio::test]
async fn an_e_mail_that_is_gone_by_then_is_told_in_words() {
    let (mut world, mail) = asked_for().await;
    mail.delete(&ana(), WRITTEN);
    assert_eq!(told(&mut world).await, [GONE]);
}
