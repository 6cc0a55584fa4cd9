//! Ana's mailbox and calendar.

use alfred_core::ports::{Account, Event, MailMessage, Mailbox};
use alfred_testkit::{MemoryCalendar, MemoryMail};
use jiff::tz::TimeZone;
use std::sync::Arc;

use crate::world::{World, team};

pub fn ana() -> Account {
    Account {
        team: team(),
        user: "U1".into(),
    }
}

fn owner() -> Mailbox {
    Mailbox::new("Ana", "ana@example.com")
}

impl World {
    /// Ana has these mails, and nobody else has any.
    pub fn has_mails(&mut self, mails: Vec<MailMessage>) -> Arc<MemoryMail> {
        let mail = MemoryMail::new(self.ports.clock.clone()).with(&ana(), owner(), mails);
        let mail = Arc::new(mail);
        let mut accounts = self.ports.accounts.clone();
        accounts.mail = mail.clone();
        self.connect(accounts);
        mail
    }

    /// Ana has these events, and nobody else has any.
    pub fn has_events(&mut self, events: Vec<Event>) {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let calendar = MemoryCalendar::default().with(&ana(), owner(), berlin, events);
        let mut accounts = self.ports.accounts.clone();
        accounts.calendar = Arc::new(calendar);
        self.connect(accounts);
    }
}
