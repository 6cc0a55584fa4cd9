use alfred_core::Config;
use alfred_core::policy::Setting;
use alfred_core::ports::{Mailbox, OneClick, PageError, Pages, Web, WebPage};
use alfred_testkit::fixtures;
use async_trait::async_trait;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::mail::{office, with_calls};
use crate::in_memory::world::dm;

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
        let approval = office
            .world
            .asked("Write to Ben and Zoe about tables")
            .await;
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
async fn an_answer_to_all_shows_to_whom_it_goes_and_what_it_quotes() {
    let args = json!({
        "emailId": "Budget for the spring",
        "action": "send_reply",
        "replyText": "Will do.",
        "replyAll": true,
    });
    let mut office = office("email_processEmail", &args.to_string(), false).await;
    let approval = office.world.asked("Tell them all that I will").await;
    let card = office.world.answers().pop().unwrap();
    let card = card.lines().filter(|line| !line.starts_with("Only <@"));
    assert_snapshot!(card.collect::<Vec<_>>().join("\n"), @r#"
Send an e-mail reply
To: 2 people, 2 outside your workspace
• finance@example.com ⚠️ not known to your workspace
• chiyo@example.com (copy) ⚠️ not known to your workspace
Subject: Re: Budget for the spring
Answers: "Budget for the spring", 2026-11-20 10:30 from Ben Okafor <ben@example.com>
Quotes: the e-mail it answers, below your text, each line behind “>”
Then: the e-mail is marked as processed
│ Will do.
│ 
│ On Fri, 20 Nov 2026 at 10:30, Ben Okafor <ben@example.com> wrote:
│ > Hello Ana,
│ >
│ > could you look at the numbers by Monday?
│ >
│ > Ben
Why I ask: 
• this is always asked
• it reaches other people
• you didn't name finance@example.com, and your workspace doesn't know them
• you didn't name chiyo@example.com, and your workspace doesn't know them
"#);
    let before = office.world.faults.calls("mail.");
    office.world.decide(&approval, "approval_approve").await;
    office.world.settle().await;
    // Reads the mail and its thread once more, sends, and marks it as processed.
    assert_eq!(office.world.faults.calls("mail.") - before, 4);
    let sent = office.mail.sent(&ana()).remove(0).mail;
    let to = [&sent.to, &sent.cc].map(|boxes| boxes[0].address.as_str());
    assert_eq!(to, ["finance@example.com", "chiyo@example.com"]);
    let shown = approval.preview.body.unwrap();
    assert_eq!(sent.text, shown, "exactly what was shown");
}

#[tokio::test]
async fn a_file_of_a_mail_goes_along_once_its_owner_saw_its_name() {
    let mut args = new_mail();
    args["attach"] = json!([{"emailId": "Budget for the spring"}]);
    for (changed, expected) in [(false, 1), (true, 0)] {
        let mut office = office("email_sendEmail", &args.to_string(), false).await;
        let approval = office.world.asked("Send Zoe the numbers").await;
        let card = office.world.answers().pop().unwrap();
        assert!(card.contains("Files: numbers.csv (1 kB)"), "{card}");
        if changed {
            office.mail.refill_files(&ana(), b'y');
        }
        office.world.decide(&approval, "approval_approve").await;
        office.world.settle().await;
        let sent = office.mail.sent(&ana());
        assert_eq!(sent.len(), expected);
        let mut files = sent.iter().flat_map(|sent| &sent.mail.files);
        assert!(files.all(|file| file.content == vec![b'x'; 1_000]));
    }
}

#[tokio::test]
async fn a_list_is_left_once_its_owner_saw_to_whom_that_is_said() {
    let args = json!({"emailId": "Ten tables we liked", "action": "unsubscribe"});
    let mut office = office("email_processEmail", &args.to_string(), true).await;
    let approval = office.world.asked("Get me off that list").await;
    assert!(office.mail.sent(&ana()).is_empty());
    let card = office.world.answers().pop().unwrap();
    let to = "To: leave@kestrel.example ⚠️ not known to your workspace";
    assert!(card.contains(to), "{card}");
    for _ in 0..2 {
        office.world.decide(&approval, "approval_approve").await;
    }
    office.world.settle().await;
    assert_eq!(office.mail.sent(&ana()).len(), 1);
    assert_snapshot!(office.world.answers().pop().unwrap(), @"
Here is where it stands.
✓ Asked leave@kestrel.example to take you off its list
");
}

/// An unsubscribe page that accepts every request; if `lost`, its answer never arrives.
struct ListPage {
    asked: AtomicUsize,
    lost: bool,
}

#[async_trait]
impl Pages for ListPage {
    async fn fetch(&self, _: &str) -> Result<WebPage, PageError> {
        panic!("nothing is read");
    }

    async fn leave_list(&self, _: &str) -> Result<(), PageError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let detail = "reset".into();
        match self.lost {
            true => Err(PageError::Unanswered { detail }),
            false => Ok(()),
        }
    }
}

#[tokio::test]
async fn a_lists_page_is_asked_once_and_its_owner_where_it_doesnt_answer() {
    let mut replies = Vec::new();
    for lost in [false, true] {
        let args = json!({"emailId": "m-1", "action": "unsubscribe"});
        let mut office = office("email_processEmail", &args.to_string(), false).await;
        let page = Arc::new(ListPage {
            asked: AtomicUsize::new(0),
            lost,
        });
        let pages = page.clone();
        office.world.browse(Web {
            pages,
            ..Web::none()
        });
        let from = Mailbox::new("Letter", "letter@l.example");
        let mut letter = fixtures::mail("m-1", from, "The tide", "High water at noon.");
        letter.one_click = Some(OneClick {
            url: "https://l.example/off?u=7".into(),
            host: "l.example".into(),
            signed: true,
        });
        office.mail.arrive(&ana(), letter);
        let approval = office.world.asked("Get me off that list").await;
        assert_eq!(page.asked.load(Ordering::SeqCst), 0);
        for _ in 0..2 {
            office.world.decide(&approval, "approval_approve").await;
        }
        for _ in 0..10 {
            office.world.clock.advance(Duration::from_secs(60));
            office.world.queue.forget_dedup();
            office.world.sweep().await;
        }
        assert_eq!(page.asked.load(Ordering::SeqCst), 1, "lost: {lost}");
        assert_eq!(waiting(&office.world).await.len(), usize::from(lost));
        replies.push(office.world.answers().pop().unwrap());
    }
    assert_snapshot!(replies[0], @"
Here is where it stands.
✓ Asked l.example to take you off its list
");
    let asked = "I can't tell whether this was sent.";
    assert!(replies[1].contains(asked), "{}", replies[1]);
}

#[tokio::test]
async fn what_is_rejected_isnt_sent() {
    let answer = json!({"emailId": "Lunch?", "action": "send_reply", "replyText": "At one.", "replyAll": true});
    for (tool, args) in [
        ("email_sendEmail", new_mail()),
        ("email_processEmail", answer),
    ] {
        let mut office = office(tool, &args.to_string(), false).await;
        let approval = office.world.asked("Write to them").await;
        office.world.decide(&approval, "approval_reject").await;
        office.world.settle().await;
        assert!(office.mail.sent(&ana()).is_empty());
        assert!(waiting(&office.world).await.is_empty());
    }
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
