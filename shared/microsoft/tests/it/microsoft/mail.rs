//! Outlook passes the suite of every mailbox, whatever becomes of `Message-ID`.

use alfred_core::ports::{Account, Mail, MailStatus};
use alfred_graph_local::mail::Folder;
use alfred_testkit::conformance::mail::{self, MailUnderTest, rfc5322};
use jiff::Timestamp;
use std::sync::Arc;

use crate::microsoft::support::{self, Outlook, account};

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

#[tokio::test]
async fn a_lists_page_is_signed_where_the_topmost_server_says_so() {
    let outlook = Outlook::new().await;
    let above = b"Authentication-Results: spf=pass; dkim=none\r\n".as_slice();
    for (above, signed) in [(&b""[..], true), (above, false)] {
        let raw = [above, &mail::of_a_list("")].concat();
        let id = outlook
            .mailbox(|mailbox| mailbox.deliver(&raw, Folder::Inbox, true, Timestamp::UNIX_EPOCH));
        let read = outlook.mail.read(&account(), &id.into()).await.unwrap();
        assert_eq!(read.unwrap().one_click.unwrap().signed, signed);
    }
}
