//! Outlook passes the suite of every mailbox, whatever becomes of `Message-ID`.

use alfred_core::ports::{Mail, MailStatus};
use alfred_testkit::conformance::mail::{self, rfc5322};
use alfred_testkit::conformance::{self, AccountSide};
use serde_json::json;

use crate::microsoft::support::{Outlook, account};

async fn given(replaces_message_id: bool) -> Outlook {
    let outlook = Outlook::new().await;
    let mut mailbox = outlook.mailbox();
    mailbox.replaces_message_id = replaces_message_id;
    for mail in mail::mails() {
        let into = match mail.summary.status {
            MailStatus::Archived => "archive",
            _ => "inbox",
        };
        let raw = String::from_utf8(rfc5322(&mail)).unwrap();
        let is_read = mail.summary.status != MailStatus::Unread;
        let at = mail.summary.received_at.to_string();
        mailbox.deliver(
            &raw,
            into,
            json!({"isRead": is_read, "receivedDateTime": at}),
        );
    }
    drop(mailbox);
    outlook
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_the_suite() {
    for replaces_message_id in [false, true] {
        let given = async || {
            let given = given(replaces_message_id).await;
            AccountSide::new(given.mail.clone(), account(), given)
        };
        conformance::mail(given).await;
    }
}

#[tokio::test]
async fn a_lists_page_is_signed_where_the_topmost_server_says_so() {
    let outlook = Outlook::new().await;
    for (above, signed) in [
        ("", true),
        ("Authentication-Results: spf=pass; dkim=none\r\n", false),
    ] {
        let raw = String::from_utf8(mail::of_a_list("")).unwrap();
        let raw = format!("{above}{raw}");
        let id = outlook.mailbox().deliver(&raw, "inbox", json!({}));
        let read = outlook.mail.read(&account(), &id.into()).await.unwrap();
        assert_eq!(read.unwrap().one_click.unwrap().signed, signed);
    }
}
