use alfred_core::ports::MailStatus;
use alfred_testkit::conformance::{self, AccountSide, calendar, mail};

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
        pymap().put(world.login, mailbox, &how, &mail::rfc5322(&mail));
    }
    for (name, text) in [
        ("calendar", calendar::ics()),
        (calendar::COLLEAGUE, calendar::colleague_ics()),
    ] {
        radicale().put(world.login, &format!("/{}/{name}/", world.login), &text);
    }
    let url = world.calendar_url();
    let page = world.connects(&[("calendar", &url)]).await;
    let services = "is connected, for reading and sorting mail, sending mail, calendar.";
    says(&page, 200, services);
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_the_suite() {
    let given = async || {
        let world = connected().await;
        AccountSide::new(world.servers.mail(), account("UANA"), world)
    };
    conformance::mail(given).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calendars_pass_the_suite() {
    let given = async || {
        let world = connected().await;
        AccountSide::new(world.servers.calendar(), account("UANA"), world)
    };
    conformance::calendar(given).await;
}
