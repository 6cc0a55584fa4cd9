use alfred_agent::model::Approval;
use alfred_agent::slack::edit;
use alfred_core::Payload;
use alfred_core::envelope::ViewSubmission;
use alfred_core::ports::ChatError;
use alfred_testkit::wording::{is_for_people, without_marks};
use alfred_testkit::{Kept, When};
use alfred_tests::event;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

use super::{office, shown};
use crate::in_memory::approvals::{sending, value, waiting};
use crate::in_memory::effects::{command, submitted};
use crate::in_memory::proposing::{places, submitted as modified};
use crate::in_memory::world::{World, click};

async fn asked() -> (World, Approval) {
    let mut world = sending().await;
    let approval = world.asked("Ask Ben for lunch").await;
    (world, approval)
}

/// The part of the card that never changes.
const CARD: &str = "Send a Slack message
To: Ben (@ben), a direct message
│ Lunch at noon?
Why I ask: it reaches other people";
const CARD_IN_DOUBT: &str = "Did this happen? Send a Slack message
I can't tell whether this was sent. Look at it yourself, let me look again, repeat it (it may then happen twice), or leave it.
To: Ben (@ben), a direct message
│ Lunch at noon?
Why I ask: it may have happened already, and repeating it could do it twice";

/// The current card of a revision, and Alfred's last message.
fn now(world: &World, approval: &Approval) -> String {
    let card = card(world, approval);
    let told = world.chat.posted().pop().unwrap();
    let seen = match told == card {
        true => plain(&shown(&card)),
        false => format!("{}\n-- {}", plain(&shown(&card)), plain(&shown(&told))),
    };
    let seen = seen.replace(CARD, "(the card)");
    seen.replace(CARD_IN_DOUBT, "(the card)")
}

fn card(world: &World, approval: &Approval) -> Kept {
    let key = format!("card:{}:{}", approval.id, approval.revision);
    let mut posted = world.chat.posted().into_iter();
    let is_it = |kept: &Kept| kept.idempotency_key.as_deref() == Some(&*key);
    posted.find(is_it).unwrap()
}

/// Removes Slack's date markup, which differs between runs.
fn plain(said: &str) -> String {
    let whole = without_marks(&said.replace("<@U1>", "@Ana"));
    whole.replace("  ", " ").trim_end().to_owned()
}

async fn decided(action: &str) -> String {
    let (mut world, approval) = asked().await;
    world.decide(&approval, action).await;
    now(&world, &approval)
}

#[tokio::test]
async fn decided_by_a_click() {
    let [approved, rejected, remembered] = [
        decided("approval_approve").await,
        decided("approval_reject").await,
        decided("approval_full").await,
    ];
    assert_snapshot!([approved, rejected, remembered].join("\n\n"), @"
(the card)
 Approved by @Ana 
│ ✓ Sent to Ben: “Lunch at noon?” (direct message)
-- Here is where it stands.
✓ Sent to Ben: “Lunch at noon?” (direct message) open

(the card)
 Rejected by @Ana . Nothing was sent or changed.
-- Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (you rejected it)
Nothing was sent or changed.

(the card)
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
");
}

#[tokio::test]
async fn decided_with_words_of_its_owner() {
    let (mut world, approval) = asked().await;
    let view = edit::reason_view(&approval);
    let values = json!({"reason": {"value": {"value": "He is away"}}});
    let reason = ViewSubmission {
        callback_id: view["callback_id"].as_str().unwrap().into(),
        view_id: "V1".into(),
        private_metadata: value(&approval),
        values,
    };
    world
        .ask(event("U1", "trg:t1", Payload::View(reason)))
        .await;
    let rejected = now(&world, &approval);
    let (mut world, approval) = asked().await;
    let view = edit::view(&approval).unwrap();
    words_of(&view);
    let dinner = submitted(&view, &[("text", "Dinner at eight?")], "t1");
    world.ask(dinner).await;
    let before = now(&world, &approval);
    let nobody = submitted(&view, &[("to", "Nobody")], "t2");
    let second = waiting(&world).await.remove(0);
    let again = alfred_core::Envelope {
        payload: match nobody.payload.clone() {
            Payload::View(view) => Payload::View(ViewSubmission {
                private_metadata: value(&second),
                ..view
            }),
            other => other,
        },
        ..nobody
    };
    world.ask(again).await;
    let unused = now(&world, &waiting(&world).await.remove(0));
    assert_snapshot!([rejected, before, unused].join("\n\n"), @r#"
(the card)
│ "He is away"
 Rejected by @Ana . Nothing was sent or changed.
-- Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (you rejected it)
Nothing was sent or changed.

(the card)
:pencil2: Edited by @Ana . This version can't be approved any more; the new one follows.
-- Send a Slack message
To: Ben (@ben), a direct message
│ Dinner at eight?
Why I ask: it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]

Send a Slack message
To: Ben (@ben), a direct message
│ Dinner at eight?
⚠️ Your edit couldn't be used, so this is as it was before: “Nobody” is nobody Alfred knows. An @handle, an e-mail address or a #channel would do.
Why I ask: it reaches other people
[Approve] [Edit] [Reject] [Reject, and say why] [View full]
"#);
}

#[tokio::test]
async fn ended_without_a_decision() {
    let (mut world, approval) = asked().await;
    world.clock.advance(Duration::from_secs(3_601));
    world.sweep().await;
    let expired = now(&world, &approval);
    let (mut world, approval) = asked().await;
    world.ask(command("U1", "stop", "t1")).await;
    let run = world.root().await.id.to_string();
    world.ask(click("U1", "run_stop", &run, "t2")).await;
    let stopped = now(&world, &approval);
    assert_snapshot!([expired, stopped].join("\n\n"), @"
(the card)
 Expired . Nothing was sent or changed.
[Renew]
-- Here is where it stands.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (the approval expired)
Nothing was sent or changed.

(the card)
 The request ended without it . Nothing was sent or changed.
-- Stopped, as you asked.
✗ Not done: Send a Slack message: Ben (@ben), a direct message (the request ended before)
Nothing was sent or changed.
");
}

/// Slack's answer to the message was lost, and the history can't be read.
async fn nobody_knows() -> (World, Approval) {
    let (mut world, approval) = asked().await;
    let unknown = ChatError::Unknown {
        detail: "cut".into(),
    };
    world.faults.fail_next("chat.post", When::After, unknown);
    world.decide(&approval, "approval_approve").await;
    let hidden = ChatError::Refused {
        method: "conversations.history",
        code: "missing_scope".into(),
    };
    world.faults.fail_next("chat.find", When::Before, hidden);
    while waiting(&world).await.is_empty() {
        world.clock.advance(Duration::from_secs(60));
        world.sweep().await;
    }
    let asked = waiting(&world).await.remove(0);
    (world, asked)
}

#[tokio::test]
async fn what_nobody_can_tell() {
    let (world, asked) = nobody_knows().await;
    let mut cards = vec![now(&world, &asked)];
    for action in ["approval_look", "approval_repeat", "approval_leave"] {
        let (mut world, asked) = nobody_knows().await;
        world.decide(&asked, action).await;
        cards.push(format!("{action}:\n{}", now(&world, &asked)));
    }
    assert_snapshot!(cards.join("\n\n"), @"
(the card)
[Look again] [Repeat it] [Leave it] [View full]

approval_look:
(the card)
 Answered by @Ana
-- Here is where it stands.
✓ Sent to Ben: “Lunch at noon?” (direct message) open

approval_repeat:
(the card)
 Answered by @Ana
-- Here is where it stands.
✓ Sent to Ben: “Lunch at noon?” (direct message) open

approval_leave:
(the card)
 Left as it is by @Ana . Nobody can tell whether it happened.
-- Here is where it stands.
? I can't tell whether this happened: Send a Slack message: Ben (@ben), a direct message
");
}

#[tokio::test]
async fn a_proposal_with_parts_left_out() {
    let mut office = office().await;
    let plan = waiting(&office.world).await.remove(0);
    let modal = edit::view(&plan).unwrap();
    words_of(&modal);
    let keep = places(&plan)[..1].to_vec();
    office.world.ask(modified(&plan, &keep, None, "t1")).await;
    let second = waiting(&office.world).await.remove(0);
    office.world.decide(&second, "approval_approve").await;
    let [before, after] = [&plan, &second].map(|one| plain(&shown(&card(&office.world, one))));
    assert_snapshot!([before, after].join("\n\n"), @r#"
Plan Sunday, 22 November 2026
│ 09:00–12:00 Focus (stays: already planned)
│   • Write the report (60 min)
│   • Call Dana (30 min)
│ 12:00–13:00 Lunch (new: lunch at your usual time)
│ 13:00–14:30 Focus work (new: a whole focus block)
│ 14:30–14:45 Break (new: after 90 minutes of work)
│ 14:45–15:15 Focus work (new: shorter, to keep 15 % of the day free)
│ 15:15–15:45 E-mail (new: e-mail in one go)
│ 
│ 15:45–17:00 stays free: 15 % of the day is kept for what comes up
│ It is a Sunday: planned because you asked for it.
│ Planned: 38 % → 84 % of 8 hours (300 min in one gap were free).
Why I ask: this is always asked
:pencil2: Edited by @Ana . This version can't be approved any more; the new one follows.

Plan Sunday, 22 November 2026
│ 09:00–12:00 Focus (stays: already planned)
│ 12:00–13:00 Lunch (new: lunch at your usual time)
│ 
│ 15:45–17:00 stays free: 15 % of the day is kept for what comes up
│ It is a Sunday: planned because you asked for it.
│ Planned: 38 % → 50 % of 8 hours (300 min in one gap were free).
Why I ask: this is always asked
 Approved by @Ana 
│ ✓ Created a block on 2026-11-22: "Lunch" 12:00–13:00 (Sunday)
"#);
}

/// Checks a modal's labels and input values for internal terms, except recipients given by id.
fn words_of(part: &Value) {
    match part {
        Value::Array(parts) => parts.iter().for_each(words_of),
        Value::Object(fields) => {
            let texts = [fields.get("text"), fields.get("initial_value")];
            let texts = texts.into_iter().flatten().filter_map(Value::as_str);
            texts.filter(|text| *text != "U2").for_each(is_for_people);
            fields.values().for_each(words_of);
        }
        _ => {}
    }
}
