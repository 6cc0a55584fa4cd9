//! A mail is sent once, or kept as a draft once: with any failure, and with two processes at work.

use super::calls::gmail;
use crate::google::once::{Change, once};

const SENT: Change = Change {
    port: gmail,
    given: "arrive Lunch INBOX UNREAD",
    methods: &[
        "gmail.users.getProfile",
        "gmail.users.messages.list",
        "gmail.users.drafts.create",
        "gmail.users.drafts.send",
        "gmail.users.messages.get",
    ],
    make: "send k",
    find: "sent? k",
    look: "outbox",
    shows: "SENT, in the thread of Lunch: true, an answer to it: true",
    survives: |_, _| false,
    is_known_at_once: true,
};

#[tokio::test]
async fn a_mail_is_sent_once() {
    once(SENT).await;
}

#[tokio::test]
async fn a_mail_is_sent_once_if_google_replaces_its_message_id() {
    let given = "arrive Lunch INBOX UNREAD; replace Message-IDs";
    once(Change { given, ..SENT }).await;
}

#[tokio::test]
async fn a_draft_is_kept_once() {
    let kept = Change {
        methods: &SENT.methods[..3],
        make: "keep k",
        find: "kept?",
        shows: "DRAFT, in the thread of Lunch: true, an answer to it: true",
        ..SENT
    };
    once(kept).await;
}
