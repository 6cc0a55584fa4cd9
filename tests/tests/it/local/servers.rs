use alfred_testkit::pymap::{self, Pymap};
use alfred_testkit::radicale::{self, Radicale};
use alfred_testkit::smtp_server::Server;
use serde_json::json;
use std::path::Path;
use tokio::process::Command;

use crate::local::cli::{Cli, ends, folder};
use crate::local::office::Office;
use crate::local::process::Serving;

const MAIL: &str = "From: Petra Novak <petra@example.net>\r\nTo: ana@example.com\r\nSubject: Offer for the tables\r\nDate: Fri, 20 Nov 2026 09:30:00 +0000\r\nMessage-ID: <offer@example.net>\r\n\r\nFive tables, by Monday?\r\n";
const EVENT: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a@x\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20300114T090000Z\r\nDTEND:20300114T100000Z\r\nSUMMARY:Carpenter\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

struct Servers {
    imap: Pymap,
    caldav: Radicale,
    smtp: Server,
}

impl Servers {
    fn start() -> Self {
        let servers = Self {
            imap: Pymap::start(true),
            caldav: Radicale::start(&["ana"]),
            smtp: Server::start(),
        };
        servers.imap.deliver("ana", MAIL.as_bytes());
        servers.caldav.put("ana", "/ana/calendar/", EVENT);
        servers
    }

    fn known_to(&self, mut command: Command, workspace: &Path) -> Command {
        let (imap, caldav) = (self.imap.port(), self.caldav.port());
        let calendar = format!("http://ana@127.0.0.1:{caldav}/ana/calendar/");
        command
            .env("ALFRED_WORKSPACE", workspace)
            .env("ALFRED_IMAP_URL", format!("imap://ana@127.0.0.1:{imap}"))
            .env("ALFRED_IMAP_PASSWORD", pymap::PASSWORD)
            .env("ALFRED_SMTP_URL", self.smtp.url())
            .env("ALFRED_CALDAV_URL", calendar)
            .env("ALFRED_CALDAV_PASSWORD", radicale::PASSWORD);
        command
    }
}

#[tokio::test]
async fn mail_and_calendar_are_those_of_the_servers() {
    let (servers, cli, workspace) = (Servers::start(), Cli::new(), folder());
    std::fs::create_dir(workspace.path().join("documents")).unwrap();
    let run = |tool: &str, arguments: serde_json::Value| {
        let line = format!("run-tool {tool} '{arguments}'");
        servers.known_to(cli.command(&line), workspace.path())
    };
    let mails = ends(0, &mut run("email_viewEmails", json!({}))).await;
    assert!(mails.contains("Offer for the tables"), "{mails}");
    let day = json!({"from": "2030-01-14"});
    let meetings = ends(0, &mut run("calendar_viewMeetings", day)).await;
    assert!(meetings.contains("Carpenter"), "{meetings}");
    let letter = json!({"to": ["petra@example.net"], "subject": "Tables", "text": "By Monday."});
    let asked = ends(3, &mut run("email_sendEmail", letter)).await;
    assert!(asked.contains("petra@example.net"), "{asked}");
    assert_eq!(servers.smtp.taken().len(), 0);
}

#[tokio::test]
async fn a_mailbox_is_connected_on_the_page_and_asked() {
    let (imap, smtp, cli) = (Pymap::start(true), Server::start(), Cli::new());
    smtp.offer(&["AUTH PLAIN"]);
    imap.deliver("ana", MAIL.as_bytes());
    let mut command = cli.command("serve --port 0");
    command.env("ALFRED_MAIL_SERVERS", "127.0.0.1");
    let serving = Serving::start(command, cli.data()).await;
    let office = Office::on(cli, serving);
    let page = &office.page;
    page.eval("window.open = url => { window.opened = url; }");
    page.writes("/alfred connect mail");
    let button = "[...document.querySelectorAll('#message-list button')].findLast(b => b.textContent.includes('Connect IMAP mail'))";
    page.until(&format!("!!{button}"));
    page.eval(&format!("{button}.click()"));
    let link = page.until("window.opened");
    let form = office.browser.open(link.as_str().unwrap());
    form.until("!!document.querySelector('input[name=password]')");
    form.eval("document.querySelector('details').open = true");
    let (imap_port, smtp_port) = (imap.port(), smtp.port);
    for (name, value) in [
        ("email", "ana@example.com"),
        ("password", "wrong"),
        ("user", "ana"),
        ("imap", &format!("127.0.0.1:{imap_port}")),
        ("smtp", &format!("127.0.0.1:{smtp_port}")),
    ] {
        let value = json!(value);
        form.eval(&format!(
            "document.querySelector('input[name={name}]').value = {value}"
        ));
    }
    form.eval_and_leave("document.querySelector('button').click()");
    form.until("!!document.querySelector('[role=alert]')?.innerText.includes('incoming mail')");
    form.pictured("servers-form");
    let password = json!(pymap::PASSWORD);
    form.eval(&format!(
        "document.querySelector('input[name=password]').value = {password}"
    ));
    form.eval_and_leave("document.querySelector('button').click()");
    form.until("!!document.body?.innerText.includes('ana@example.com is connected')");
    page.shows("Your IMAP mail account ana@example.com is connected");
    page.writes("any new mail?");
    page.shows("Offer for the tables");
    page.pictured("servers-answer");
    office.serving.kill().await;
}
