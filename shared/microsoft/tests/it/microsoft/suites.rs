//! Outlook passes the suites of mail, whatever becomes of `Message-ID`, and of calendars.

use alfred_core::ports::MailStatus;
use alfred_testkit::conformance::mail::{self, rfc5322};
use alfred_testkit::conformance::{self, AccountSide};
use serde_json::json;

use crate::microsoft::support::{Outlook, account};

async fn with_mails(replaces_message_id: bool) -> Outlook {
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
        let fields = json!({"isRead": is_read, "receivedDateTime": at});
        mailbox.deliver(&raw, into, fields);
    }
    drop(mailbox);
    outlook
}

fn side(outlook: Outlook) -> AccountSide<alfred_microsoft::Microsoft> {
    AccountSide::new(outlook.mail.clone(), account(), outlook)
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_the_suite() {
    conformance::mail(async || side(with_mails(false).await)).await;
    conformance::mail(async || side(with_mails(true).await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calendars_pass_the_suite() {
    conformance::calendar_losing_declined(async || side(Outlook::new().await)).await;
    conformance::calendar(async || {
        let outlook = Outlook::new().await;
        outlook.mailbox().calendar.keeps_declined = true;
        side(outlook)
    })
    .await;
}
