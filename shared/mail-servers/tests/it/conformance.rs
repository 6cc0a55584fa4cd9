//! Runs the mail conformance suite on an IMAP server, with sending over SMTP.

use crate::world;

use alfred_core::ports::{Account, Mail};
use alfred_testkit::conformance::mail::{self, MailUnderTest};
use std::sync::Arc;
use world::{World, account};

impl MailUnderTest for World {
    fn mail(&self) -> Arc<dyn Mail> {
        self.mail.clone()
    }

    fn account(&self) -> Account {
        account("UANA")
    }

    fn stranger(&self) -> Account {
        account("UBEN")
    }
}

mod mailbox {
    alfred_testkit::mail_conformance!(super::World::holding(&super::mail::mails()).await);
}
