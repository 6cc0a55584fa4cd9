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
use crate::in_memory::mail::office;

fn new_mail() -> Value {
    json!({
        "to": ["@ben", "zoe@harbour.example"],
        "cc": ["chiyo@example.com"],
        "subject": "Tables",
        "text": "Five of them.",
    })
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
