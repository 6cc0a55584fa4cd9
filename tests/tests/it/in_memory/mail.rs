use alfred_agent::StepKind;
use alfred_agent::model::Status;
use alfred_agent::slack::edit;
use alfred_core::Config;
use alfred_core::policy::Setting;
use alfred_core::ports::{
    AccountError, Accounts, Calendar, Clock, Mail, MailStatus, NewEvent, Span,
};
use alfred_core::{ResponseType, Role};
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{MemoryCalendar, MemoryMail, When};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::{click, stored, value, waiting};
use crate::in_memory::effects::{submitted, undo_button};
use crate::in_memory::world::{World, dm, message, results, script};

pub struct Office {
    pub world: World,
    pub mail: Arc<MemoryMail>,
    calendar: Arc<MemoryCalendar>,
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
    let calendar = world.has_events(vec![], &[("ben@example.com", &[])]);
    if lose {
        let detail = "lost".into();
        let error = AccountError::Unknown { detail };
        world.faults.fail_next("mail.send", When::After, error);
    }
    Office {
        world,
        mail,
        calendar,
    }
}

async fn status(office: &Office, id: &str) -> MailStatus {
    let found = office.mail.read(&ana(), &id.into()).await.unwrap();
    found.unwrap().summary.status
}

fn reply() -> String {
    json!({"emailId": "Lunch?", "action": "send_reply", "replyText": "At one, then."}).to_string()
}

#[tokio::test]
async fn archiving_asks_nobody_and_can_be_taken_back() {
    let args = json!({"emailId": "Lunch?", "action": "archive"}).to_string();
    let mut office = office("email_processEmail", &args, false).await;
    office
        .world
        .ask(dm("U1", "1.1", "Archive the lunch mail"))
        .await;
    assert!(waiting(&office.world).await.is_empty());
    assert_eq!(status(&office, "Lunch?").await, MailStatus::Archived);
    assert_snapshot!(office.world.answers().pop().unwrap(), @r#"
    Here is where it stands.
    ✓ Archived "Lunch?" (your mailbox)
    "#);
    let button = undo_button(&office.world);
    let undo = click("U1", "effect_undo_0", &button, "t1");
    office.world.ask(undo).await;
    assert_eq!(status(&office, "Lunch?").await, MailStatus::Unread);
    assert_snapshot!(office.world.answers().pop().unwrap(), @r"
    Done.
    ✓ Put 1 e-mail back (your mailbox)
    ");
}

#[tokio::test]
async fn an_answer_waits_for_its_owner_and_is_sent_once_even_if_that_isnt_heard() {
    let (mut cards, mut replies) = (Vec::new(), Vec::new());
    for lose in [false, true] {
        let mut office = office("email_processEmail", &reply(), lose).await;
        office
            .world
            .ask(dm("U1", "1.1", "Answer Chiyo: at one"))
            .await;
        assert!(
            office.mail.sent(&ana()).is_empty(),
            "nothing before the yes"
        );
        let approval = waiting(&office.world).await.remove(0);
        cards.push(office.world.answers().pop().unwrap());
        for _ in 0..2 {
            office.world.decide(&approval, "approval_approve").await;
        }
        office.world.settle().await;
        let sent = office.mail.sent(&ana());
        assert_eq!(sent.len(), 1, "lost: {lose}");
        let said = "At one, then.\n\nOn Sat, 21 Nov 2026 at 09:00, Chiyo Tanaka <chiyo@example.com> wrote:\n> At noon?";
        assert_eq!(sent[0].mail.text, said);
        let decided = stored(&office.world, &approval).await.status;
        assert_eq!(decided, Status::Approved);
        replies.push(office.world.answers().pop().unwrap());
    }
    assert_eq!((&cards[0], &replies[0]), (&cards[1], &replies[1]));
    assert_snapshot!(cards[0], @r#"
Send an e-mail reply
To: Chiyo Tanaka <chiyo@example.com> ⚠️ not known to your workspace
Subject: Re: Lunch?
Answers: "Lunch?", 2026-11-21 09:00 from Chiyo Tanaka <chiyo@example.com>
Quotes: the e-mail it answers, below your text, each line behind “>”
Then: the e-mail is marked as processed
│ At one, then.
│ 
│ On Sat, 21 Nov 2026 at 09:00, Chiyo Tanaka <chiyo@example.com> wrote:
│ > At noon?
Why I ask: 
• this is always asked
• it reaches other people
• you didn't name chiyo@example.com, and your workspace doesn't know them
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(replies[0], @r"
    Here is where it stands.
    ✓ Sent an e-mail reply to chiyo@example.com
    ");
}

#[tokio::test]
async fn no_setting_sends_an_answer_unasked() {
    let mut office = office("email_processEmail", &reply(), false).await;
    let mut config = Config::default();
    let free = ("email_processEmail".to_owned(), Setting::PreApproved);
    config.policy.tools.extend([free]);
    office.world.reconfigure(config);
    let named = "Answer chiyo@example.com: at one";
    office.world.ask(dm("U1", "1.1", named)).await;
    assert_eq!(waiting(&office.world).await.len(), 1);
    assert!(office.mail.sent(&ana()).is_empty());
}

#[tokio::test]
async fn a_call_is_judged_by_the_arguments_it_would_run_with() {
    // With a duplicate field the last value counts, for the gate and for the tool.
    for (first, last, asked) in [
        ("archive", "send_reply", true),
        ("send_reply", "archive", false),
    ] {
        let args = format!(
            r#"{{"action": "{first}", "emailId": "Lunch?", "replyText": "Hi", "action": "{last}"}}"#
        );
        let mut office = office("email_processEmail", &args, false).await;
        office.world.ask(dm("U1", "1.1", "Deal with it")).await;
        assert_eq!(!waiting(&office.world).await.is_empty(), asked, "{args}");
        assert!(office.mail.sent(&ana()).is_empty());
        assert_eq!(status(&office, "Lunch?").await, MailStatus::Unread);
    }
}

#[tokio::test]
async fn what_was_read_in_mail_stays_in_the_direct_message() {
    let mut office = office("email_viewEmails", "{}", false).await;
    let kind = ResponseType::Thread;
    let asked = message("U1", "C1", "1.1", Some("1.0"), kind, "Any mail?");
    office.world.ask(asked).await;
    let taint = office.world.root().await.taint;
    assert!(taint.untrusted.contains("email_viewEmails"), "{taint:?}");
    assert!(taint.private.contains("email_viewEmails"), "{taint:?}");
    let answer = &office.world.chat.posted()[0];
    assert_eq!(answer.channel.as_str(), "D1");
}

#[tokio::test]
async fn without_an_account_it_is_said_which_one_is_needed() {
    let mut office = office("email_processEmail", &reply(), false).await;
    office.world.connect(Accounts::none());
    office.world.ask(dm("U1", "1.1", "Answer Chiyo")).await;
    assert!(
        waiting(&office.world).await.is_empty(),
        "no card for nothing"
    );
    let run = office.world.root().await;
    let results: Vec<Value> = results(&office.world.steps(&run.id).await);
    let error = results[0]["error"].as_str().unwrap();
    assert!(error.contains("needs your e-mail account"), "{error}");
}

async fn meetings(office: &Office) -> usize {
    let now = office.world.clock.now();
    let span = Span {
        start: now,
        end: now + jiff::SignedDuration::from_hours(24 * 30),
    };
    let page = office.calendar.events(&ana(), span).await.unwrap();
    page.events.len()
}

#[tokio::test]
async fn a_meeting_is_asked_with_its_time_and_made_once() {
    let args = json!({"attendees": ["@ben"], "needsPrepTime": true}).to_string();
    let mut office = office("calendar_scheduleMeeting", &args, false).await;
    let approval = office.world.asked("Meet Ben").await;
    let shown = approval.preview.as_text();
    let when = shown.lines().find(|line| line.starts_with("When: "));
    let when = when.unwrap().trim_start_matches("When: ").to_owned();
    assert!(when.ends_with("(Europe/Berlin)"), "{when}");
    let card = office.world.answers().pop().unwrap();
    assert_snapshot!(card.replace(&when, "WHEN"), @r#"
    Schedule a meeting
    With: Ben <ben@example.com>
    Title: Meeting with Ben
    When: WHEN
    Minutes: 30
    Preparation: 08:45–09:00, as a block in your day
    Why I ask: it reaches other people
    Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
    "#);
    assert_eq!(meetings(&office).await, 0, "nothing before the yes");
    let later = std::time::Duration::from_secs(8 * 60);
    office.world.clock.advance(later);
    for trigger in ["t1", "t2"] {
        let yes = click("U1", "approval_approve", &value(&approval), trigger);
        office.world.ask(yes).await;
    }
    assert_eq!(meetings(&office).await, 1);
    let reply = office.world.answers().pop().unwrap();
    assert_snapshot!(reply.replace(&when, "WHEN"), @r#"
    Here is where it stands.
    ✓ Scheduled "Meeting with Ben" for WHEN, invited ben@example.com, added "Prepare: Meeting with Ben" to your day at 08:45–09:00 (your calendar)
    "#);
}

#[tokio::test]
async fn a_time_that_is_gone_is_not_replaced_by_another() {
    let args = json!({"attendees": ["@ben"]}).to_string();
    let mut office = office("calendar_scheduleMeeting", &args, false).await;
    let approval = office.world.asked("Meet Ben").await;
    let later = std::time::Duration::from_secs(5 * 60);
    office.world.clock.advance(later);
    let busy = Span {
        start: office.world.clock.now(),
        end: office.world.clock.now() + jiff::SignedDuration::from_hours(24 * 5),
    };
    let away = NewEvent {
        title: "Away".into(),
        span: busy,
        time_zone: "Europe/Berlin".into(),
        description: String::new(),
        attendees: vec![],
        repeat: None,
        video_call: false,
    };
    let taken = office.calendar.create(&ana(), &away, "away").await;
    taken.unwrap();
    office.world.decide(&approval, "approval_approve").await;
    assert_eq!(meetings(&office).await, 1, "only the other one");
    assert_snapshot!(office.world.answers().pop().unwrap(), @"
Here is where it stands.
✗ Not done: Schedule a meeting: Ben <ben@example.com> (it changed after you approved it)
Nothing was sent or changed.
");
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
