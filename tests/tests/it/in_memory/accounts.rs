use alfred_core::ports::{Account, Event, MailMessage, Mailbox, Span};
use alfred_testkit::{MemoryCalendar, MemoryMail};
use jiff::tz::TimeZone;
use std::sync::Arc;

use crate::in_memory::world::{World, team};

pub fn ana() -> Account {
    Account::of(&team(), &"U1".into())
}

fn owner() -> Mailbox {
    Mailbox::new("Ana", "ana@example.com")
}

impl World {
    /// Connects a mailbox with these mails for Ana only.
    pub fn has_mails(&mut self, mails: Vec<MailMessage>) -> Arc<MemoryMail> {
        let mail = MemoryMail::new(self.ports.clock.clone()).with(&ana(), owner(), mails);
        let mail = Arc::new(mail);
        let faulty = self.faults.before(mail.clone());
        self.change_ports(|ports| ports.accounts.mail = faulty);
        mail
    }

    /// Connects a calendar with these events for Ana only. She sees when these colleagues are busy.
    pub fn has_events(
        &mut self,
        events: Vec<Event>,
        colleagues: &[(&str, &[Span])],
    ) -> Arc<MemoryCalendar> {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let mut calendar = MemoryCalendar::default().with(&ana(), owner(), berlin, events);
        for (address, busy) in colleagues {
            calendar = calendar.with_colleague(&ana(), address, busy.to_vec());
        }
        let calendar = Arc::new(calendar);
        let faulty = self.faults.before(calendar.clone());
        self.change_ports(|ports| ports.accounts.calendar = faulty);
        calendar
    }
}
