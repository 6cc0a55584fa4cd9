//! Outlook passes the suite of every mailbox, whatever becomes of `Message-ID`.

use alfred_core::ports::{Account, Mail, MailStatus};
use alfred_testkit::conformance::mail::{self, MailUnderTest, rfc5322};
use serde_json::json;
use std::sync::Arc;

use crate::microsoft::support::{self, Outlook, account};

async fn given(replaces_message_id: bool) -> Outlook {
    let outlook = Outlook::new().await;
    let mut mailbox = outlook.mailbox();
    mailbox.replaces_message_id = replaces_message_id;
    for mail in mail::mails() {
        let into = match mail.summary.status {
            MailStatus::Archived => "archive",
            _ => "inbox",
        };
        let raw = String::from_utf8(rfc5322(&mail, None)).unwrap();
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

impl MailUnderTest for Outlook {
    fn mail(&self) -> Arc<dyn Mail> {
        self.mail.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        support::stranger()
    }
}

mod message_id_kept {
    alfred_testkit::mail_conformance!(super::given(false).await);
}

mod message_id_replaced {
    alfred_testkit::mail_conformance!(super::given(true).await);
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
