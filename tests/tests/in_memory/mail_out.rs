//! Mail that goes out, through the front door.

use alfred_core::Config;
use alfred_core::policy::Setting;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::accounts::ana;
use crate::approvals::waiting;
use crate::mail::{office, with_calls};
use crate::world::dm;

fn new_mail() -> Value {
    json!({
        "to": ["@ben", "zoe@harbour.example"],
        "cc": ["chiyo@example.com"],
        "subject": "Tables",
        "text": "Five of them.",
    })
}

#[tokio::test]
async fn a_new_mail_waits_for_its_owner_and_is_sent_once_even_if_that_isnt_heard() {
    let mut replies = Vec::new();
    for lose in [false, true] {
        let args = new_mail().to_string();
        let mut office = office("email_sendEmail", &args, lose).await;
        let approval = office.world.asked("Write to Ben and Zoe about tables").await;
        assert!(
            office.mail.sent(&ana()).is_empty(),
            "nothing before the yes"
        );
        let card = office.world.answers().pop().unwrap();
        assert!(card.contains("│ Five of them."), "{card}");
        for _ in 0..2 {
            office.world.decide(&approval, "approval_approve").await;
        }
        office.world.settle().await;
        let sent = office.mail.sent(&ana());
        assert_eq!(sent.len(), 1, "lost: {lose}");
        assert_eq!(sent[0].mail.text, "Five of them.");
        replies.push(office.world.answers().pop().unwrap());
    }
    assert_eq!(replies[0], replies[1]);
    assert_snapshot!(replies[0], @"
Here is where it stands.
✓ Sent an e-mail to ben@example.com, zoe@harbour.example, chiyo@example.com
");
}

#[tokio::test]
async fn what_is_rejected_isnt_sent() {
    let args = new_mail().to_string();
    let mut office = office("email_sendEmail", &args, false).await;
    let approval = office.world.asked("Write to Ben").await;
    office.world.decide(&approval, "approval_reject").await;
    office.world.settle().await;
    assert!(office.mail.sent(&ana()).is_empty());
    assert!(waiting(&office.world).await.is_empty());
}

#[tokio::test]
async fn no_setting_and_no_mail_that_was_read_sends_one_unasked() {
    let send = format!("email_sendEmail {}", new_mail());
    let read = r#"email_readEmail {"emailId": "Lunch?"}"#;
    for calls in [&[&*send][..], &[read, &send]] {
        let mut office = with_calls(calls, false).await;
        let mut config = Config::default();
        let free = ("email_sendEmail".to_owned(), Setting::PreApproved);
        config.policy.tools.extend([free]);
        office.world.reconfigure(config);
        let named = "Write to @ben, zoe@harbour.example and chiyo@example.com";
        office.world.ask(dm("U1", "1.1", named)).await;
        assert_eq!(waiting(&office.world).await.len(), 1, "{calls:?}");
        assert!(office.mail.sent(&ana()).is_empty());
    }
}
