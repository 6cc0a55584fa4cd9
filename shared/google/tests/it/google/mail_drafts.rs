//! A draft is kept once, whatever is cut, and nobody gets it.

use alfred_core::ports::{Discarded, DraftRef, Mail, Mailbox, OutgoingMail};
use alfred_google_local::Fault;

use crate::google::mail::Gmail;
use crate::google::support::account;

/// The calls of keeping one, in their order.
const CALLS: [&str; 3] = [
    "gmail.users.getProfile",
    "gmail.users.messages.list",
    "gmail.users.drafts.create",
];

fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        ..OutgoingMail::default()
    }
}

/// As a run does: with the same key until it is told of a draft.
async fn kept(gmail: &Gmail, case: &str) -> DraftRef {
    for _ in 0..6 {
        let kept = gmail.mail.save_draft(&account(), &answer(), "k").await;
        if let Ok(draft) = kept {
            return draft;
        }
    }
    panic!("{case}: it was never kept");
}

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_one_draft_is_kept_in_its_thread() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
    ];
    for fault in &faults {
        for (call, times) in CALLS.iter().flat_map(|call| [(call, 1), (call, 4)]) {
            let gmail = Gmail::new().await;
            let lunch = gmail.arrive("Lunch", "2026-11-20T08:00:00Z");
            gmail.google().fail_next(call, times, fault.clone());
            let case = format!("{call} {fault:?} {times} times");
            let draft = kept(&gmail, &case).await;
            let drafts = gmail.mailbox(|mailbox| {
                let drafts = mailbox.with_label("DRAFT").into_iter();
                drafts.map(|(id, _)| id).collect::<Vec<_>>()
            });
            assert_eq!(drafts, vec![draft.version.clone()], "{case}");
            let thread = |id: &str| gmail.mailbox(|mailbox| mailbox.thread_of(id));
            assert_eq!(thread(&draft.version), thread(&lunch), "{case}");
            assert_eq!(kept(&gmail, &case).await, draft, "{case}");
            let gone = gmail.mail.discard_draft(&account(), &draft).await;
            assert_eq!(gone.unwrap(), Discarded::Deleted, "{case}");
            // What was kept under a key once isn't brought back.
            assert_eq!(kept(&gmail, &case).await, draft, "{case}");
            assert_eq!(
                gmail.mailbox(|mailbox| mailbox.with_label("DRAFT").len()),
                0
            );
            assert_eq!(gmail.mailbox(|mailbox| mailbox.with_label("SENT").len()), 0);
        }
    }
}
