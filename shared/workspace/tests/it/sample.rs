//! The sample can be read to the last letter, whatever the day.

use alfred_core::ports::{
    Account, Availability, Calendar, Mail, MailQuery, MailStatus, Mailbox, Span,
};
use alfred_testkit::{ManualClock, temp_dir};
use alfred_workspace::{Identity, Sample, Workspace};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::sync::Arc;
use tempfile::TempDir;

fn account(user: &str) -> Account {
    Account {
        team: "T1".into(),
        user: user.into(),
    }
}

fn laid(today: Date) -> (TempDir, Workspace) {
    let above = temp_dir();
    let folder = above.path().join("workspace");
    assert!(Sample::lay(&folder, today).unwrap());
    let people = Sample::PEOPLE.map(|(handle, address)| {
        let identity = Identity {
            account: account(handle),
            mailbox: Mailbox::new(handle, address),
            zone: TimeZone::get("Europe/Lisbon").unwrap(),
            calendar: None,
        };
        (identity, folder.join(handle))
    });
    let workspace = Workspace::new(people, Arc::new(ManualClock::default()));
    (above, workspace)
}

fn all() -> MailQuery {
    use MailStatus::{Archived, Unread};
    MailQuery {
        status: vec![Unread, Archived],
        limit: 500,
        ..MailQuery::default()
    }
}

#[tokio::test]
async fn every_mail_reads_well() {
    let (_folder, workspace) = laid("2026-11-21".parse().unwrap());
    let mut read = 0;
    for (handle, _) in Sample::PEOPLE {
        let ana = account(handle);
        let page = workspace.list(&ana, &all()).await.unwrap();
        assert_eq!(page.unreadable, []);
        for mail in page.mails {
            let whole = workspace.read(&ana, &mail.id).await.unwrap().unwrap();
            let texts = [&mail.subject, &mail.from.name, &whole.text];
            for text in texts {
                let broken = ["\u{FFFD}", "{{", "=?", "=C3", "&eacute;", "<td"];
                assert!(!broken.iter().any(|b| text.contains(b)), "{text}");
            }
            assert!(whole.text.trim().len() > 10 && !mail.from.address.is_empty());
            assert!(whole.message_id.is_some() && !whole.truncated);
            read += 1;
        }
    }
    assert!(read >= 25, "{read}");
}

#[tokio::test]
async fn encodings_lists_threads_and_files_are_as_they_should() {
    let (_folder, workspace) = laid("2026-11-21".parse().unwrap());
    let ana = account("ana");
    let page = workspace.list(&ana, &all()).await.unwrap();
    let named = |words: &str| {
        let found = page.mails.iter().find(|mail| mail.subject.contains(words));
        found.unwrap_or_else(|| panic!("{words}"))
    };
    assert_eq!(named("unvollständig").from.name, "Jörg Brandt");
    assert_eq!(named("サンプルの件").from.name, "山田 直子");
    assert!(named("Recibo").automated && named("Issue 214").automated);
    assert!(!named("Quarterly").automated && !named("URGENT").automated);
    let invoice = workspace.read(&ana, &named("Invoice").id).await;
    let files = invoice.unwrap().unwrap().attachments;
    let names: Vec<_> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["hours.csv", "AN-1187.txt"]);
    let mut thread = page.mails;
    thread.retain(|mail| mail.subject.ends_with("Offsite in Sintra"));
    assert_eq!(thread.len(), 3);
}

#[tokio::test]
async fn any_day_has_a_week_with_meetings() {
    let days = "2026-03-29 2026-10-25 2024-02-29 2027-01-01 2026-11-23";
    for today in days.split(' ') {
        let today: Date = today.parse().unwrap();
        let (_folder, workspace) = laid(today);
        let ana = account("ana");
        let at = |days: i64| -> Timestamp {
            let day = today.checked_add(days.days()).unwrap();
            day.to_zoned(TimeZone::UTC).unwrap().timestamp()
        };
        let span = Span {
            start: at(0),
            end: at(14),
        };
        let page = workspace.events(&ana, span).await.unwrap();
        assert_eq!(page.unreadable, []);
        let count = |title: &str| page.events.iter().filter(|e| e.title == title).count();
        assert!(
            count("Team meeting") >= 1 && count("Stand-up") >= 3,
            "{today}"
        );
        assert_eq!(count("Call with Casa Azul"), 0);
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        for team in page.events.iter().filter(|e| e.title == "Team meeting") {
            let start = team.time.span(&lisbon).start.to_zoned(lisbon.clone());
            assert_eq!(
                (start.hour(), start.weekday().to_monday_one_offset()),
                (10, 1)
            );
            assert!(team.own && team.series.is_some());
        }
        let others = ["ben@example.com".to_owned(), "eve@example.com".to_owned()];
        let seen = workspace.availability(&ana, &others, span).await.unwrap();
        let [Availability::Busy(busy), Availability::Hidden] = seen.as_slice() else {
            panic!("{seen:?}")
        };
        assert!(busy.len() >= 4, "{busy:?}");
    }
}
