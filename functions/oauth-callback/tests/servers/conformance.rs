use alfred_core::ports::{Account, Calendar, Mail, MailStatus};
use alfred_testkit::conformance::calendar::{self, CalendarUnderTest};
use alfred_testkit::conformance::mail::{self, MailUnderTest};
use std::sync::Arc;

use crate::world::{World, account, pymap, radicale, says};

async fn connected() -> World {
    let world = World::new().await;
    for mail in mail::mails() {
        let (mailbox, flags) = match mail.summary.status {
            MailStatus::Archived => ("Archive", ""),
            MailStatus::Unread => ("INBOX", ""),
            _ => ("INBOX", "\\Seen"),
        };
        let at = mail.summary.received_at.strftime("%d-%b-%Y %H:%M:%S +0000");
        let how = format!(" ({flags}) \"{at}\"");
        pymap().put(world.login, mailbox, &how, &mail::rfc5322(&mail, None));
    }
    for (name, text) in [
        ("calendar", calendar::ics()),
        (calendar::COLLEAGUE, calendar::colleague_ics()),
    ] {
        radicale().put(world.login, &format!("/{}/{name}/", world.login), &text);
    }
    let url = world.calendar_url();
    let page = world
        .sends(&world.link().await, &[("calendar", &url)])
        .await;
    says(
        &page,
        200,
        "is connected, for reading and sorting mail, sending mail, calendar.",
    );
    world
}

impl MailUnderTest for World {
    fn mail(&self) -> Arc<dyn Mail> {
        self.servers.mail()
    }

    fn account(&self) -> Account {
        account("UANA")
    }

    fn stranger(&self) -> Account {
        account("UBEN")
    }
}

impl CalendarUnderTest for World {
    fn calendar(&self) -> Arc<dyn Calendar> {
        self.servers.calendar()
    }

    fn account(&self) -> Account {
        account("UANA")
    }

    fn stranger(&self) -> Account {
        account("UBEN")
    }
}

mod mailbox {
    alfred_testkit::mail_conformance!(super::connected().await);
}

mod calendars {
    alfred_testkit::calendar_conformance!(super::connected().await);
}
