//! A triage lists every waiting mail once. Words inside a mail can neither hide nor archive an urgent one.

use alfred_agent::model::Approval;
use alfred_core::ports::{AccountError, Mail, MailMessage, MailStatus, Mailbox};
use alfred_testkit::{MemoryMail, When, fixtures};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::proposing::{noted, world};
use crate::in_memory::world::World;

const TOOL: &str = "workflow_fillEmailBlock";

/// A mail of Friday; the clock shows Saturday, 21 November 2026.
fn from(id: &str, name: &str, subject: &str, text: &str) -> MailMessage {
    let address = format!("{}@x.example", name.to_lowercase());
    fixtures::mail(id, Mailbox::new(name, &address), subject, text)
}

fn newsletter(id: &str) -> MailMessage {
    let mut mail = from(id, "News", &format!("Issue {id}"), "Ten chairs.");
    mail.summary.automated = true;
    mail
}

fn audit() -> MailMessage {
    let text = "Please send us the statements by Monday.";
    from("audit", "Priya", "Documents for the audit", text)
}

fn inbox() -> Vec<MailMessage> {
    let mut old = from(
        "old",
        "Tom",
        "Samples arrived?",
        "Did the oak samples arrive?",
    );
    old.summary.received_at = "2026-11-10T09:00:00Z".parse().unwrap();
    let mut bank = from("bank", "Bank", "Your account", "Have a look at it.");
    bank.disguised_link = true;
    vec![
        audit(),
        from(
            "chairs",
            "Jörg",
            "Lieferung unvollständig",
            "Ein Stuhl ist gebrochen.",
        ),
        from("rooms", "Ben", "Offsite rooms", "Which rooms do you want?"),
        from("sintra", "Ben", "Offsite", "Shall we go to Sintra?"),
        old,
        from("roof", "Ann", "The roof", "Don't forget the roof."),
        from(
            "heating",
            "Office",
            "FYI: heating",
            "It is serviced on Thursday.",
        ),
        bank,
        newsletter("n1"),
        newsletter("n2"),
    ]
}

async fn status(mail: &MemoryMail, id: &str) -> MailStatus {
    let found = mail.read(&ana(), &id.into()).await.unwrap();
    found.unwrap().summary.status
}

async fn proposed(mails: Vec<MailMessage>, changes: Value) -> (World, Arc<MemoryMail>, Approval) {
    let mut world = world().await;
    let mailbox = world.has_mails(mails);
    let triage = world.proposed(TOOL, json!({"changes": changes})).await;
    (world, mailbox, triage)
}

fn approved(triage: &Approval, list: &str) -> Vec<String> {
    let ids = triage.payload["confirmation"][list]
        .as_array()
        .unwrap()
        .iter();
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// The sum of the group counts on a card, and the count in its title.
fn counts(triage: &Approval) -> (usize, usize) {
    let number = |text: &str| -> usize {
        let digits = text.chars().filter(char::is_ascii_digit);
        digits.collect::<String>().parse().unwrap()
    };
    let fields = triage.preview.fields.iter();
    let each = fields.map(|field| number(field.label.split(')').next().unwrap()));
    (each.sum(), number(&triage.preview.title))
}

#[tokio::test]
async fn each_group_has_a_bound_and_says_how_many_there_are_beside() {
    let mut mails = Vec::new();
    for n in 0..30 {
        let urgent = format!("Can you sign by Monday? {n}");
        let (id, name) = (format!("u{n}"), format!("Urgent{n}"));
        mails.push(from(&id, &name, "Sign", &urgent));
        mails.push(from(
            &format!("a{n}"),
            &format!("Asker{n}"),
            "Ask",
            "Shall we?",
        ));
        mails.push(from(&format!("i{n}"), "Info", "Hello", "Nice weather."));
        mails.push(newsletter(&format!("n{n}")));
    }
    let (mut world, _, triage) = proposed(mails, json!({})).await;
    assert_eq!(counts(&triage), (100, 100));
    let first = approved(&triage, "approvedUrgentIds");
    assert_eq!(first.len(), 5);
    assert_snapshot!(noted(&triage, " more"), @"
• and 25 more
• and 20 more
");
    assert_snapshot!(noted(&triage, "newest"), @"These are the newest 100 of 120 mails that wait.");
    let shown = triage.preview.as_text();
    for id in approved(&triage, "approvedArchiveIds") {
        assert!(shown.contains(&format!("Issue {id}\n")), "{id}: {shown}");
    }
    // Marked mails don't take places of unmarked ones.
    world.decide(&triage, "approval_approve").await;
    let next = world.proposed(TOOL, json!({})).await;
    let next = approved(&next, "approvedUrgentIds");
    assert_eq!(next.len(), 5);
    assert!(next.iter().all(|id| !first.contains(id)), "{next:?}");
}

#[tokio::test]
async fn of_steps_that_fail_the_others_are_done_and_the_rest_is_offered() {
    let mut world = world().await;
    let mailbox = world.has_mails([inbox(), vec![newsletter("n3")]].concat());
    let triage = world.proposed(TOOL, json!({})).await;
    // What its owner archived meanwhile isn't counted.
    let one = json!({"emailIds": ["n3"]});
    world.called("email_archiveBatch", one).await;
    for id in ["n1", "audit"] {
        let locked = AccountError::refused("It is locked.");
        mailbox.fail_to_change(&ana(), id, When::Before, locked);
    }
    world.decide(&triage, "approval_approve").await;
    assert_eq!(status(&mailbox, "n2").await, MailStatus::Archived);
    assert_eq!(status(&mailbox, "chairs").await, MailStatus::Backlog);
    assert_eq!(status(&mailbox, "audit").await, MailStatus::Unread);
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
```
archived: 1
blockId: –
failed:
  - n1
  - audit
phase: completed
problem: –
processed: 1
summary: Archived 1 e-mail; marked 1 e-mail for processing; 2 things didn't work.
```
✓ Archived 1 e-mail: "Issue n2" from News (your mailbox)
✓ Marked 1 e-mail for processing (your mailbox)
"#);
    let said = world.called("system_resumeWorkflow", json!({})).await;
    let next = &said["workflows"][0]["next"][0];
    assert_snapshot!(next["arguments"], @r#"{"changes":{"archive":["n1"],"nothingElse":true,"urgent":["audit"]}}"#);
    let again = world.proposed(TOOL, next["arguments"].clone()).await;
    assert_eq!(approved(&again, "approvedUrgentIds"), ["audit"]);
    assert_eq!(approved(&again, "approvedArchiveIds"), ["n1"]);
}
