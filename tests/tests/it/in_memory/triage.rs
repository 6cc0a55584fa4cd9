use alfred_agent::model::Approval;
use alfred_core::ports::{MailMessage, Mailbox};
use alfred_testkit::fixtures;
use insta::assert_snapshot;
use serde_json::json;

use crate::in_memory::proposing::{noted, world};

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

fn approved(triage: &Approval, list: &str) -> Vec<String> {
    let ids = triage.payload["confirmation"][list].as_array();
    let ids = ids.unwrap().iter();
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
        let (id, name) = (format!("a{n}"), format!("Asker{n}"));
        mails.push(from(&id, &name, "Ask", "Shall we?"));
        mails.push(from(&format!("i{n}"), "Info", "Hello", "Nice weather."));
        mails.push(newsletter(&format!("n{n}")));
    }
    let mut world = world().await;
    world.has_mails(mails);
    let triage = world.proposed(TOOL, json!({})).await;
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
