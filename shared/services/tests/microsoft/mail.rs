//! Outlook passes the suite of every mailbox, whatever becomes of `Message-ID`.

use alfred_core::ports::{Account, Mail, MailStatus};
use alfred_graph_local::mail::Folder;
use alfred_testkit::conformance::mail::{self, MailUnderTest, rfc5322};
use std::sync::Arc;

use crate::support::{self, Outlook, account};

async fn given(replaces_message_id: bool) -> Outlook {
    let outlook = Outlook::new().await;
    outlook.mailbox(|mailbox| {
        mailbox.replaces_message_id = replaces_message_id;
        for mail in mail::mails() {
            let folder = match mail.summary.status {
                MailStatus::Archived => Folder::Archive,
                _ => Folder::Inbox,
            };
            let is_read = mail.summary.status != MailStatus::Unread;
            mailbox.deliver(
                &rfc5322(&mail, None),
                folder,
                is_read,
                mail.summary.received_at,
            );
        }
    });
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
