//! Mail, calendars, documents and sheets in memory pass the suites that the real ones pass.

use alfred_core::ports::{Account, Calendar, Mailbox, NewEvent, Notice, SheetSummary, Span};
use alfred_testkit::conformance::calendar::Given;
use alfred_testkit::conformance::{self, AccountSide, calendar, documents, mail, sheets};
use alfred_testkit::{
    ManualClock, MemoryCalendar, MemoryDocuments, MemoryMail, MemorySheets, StoredSheet,
};
use jiff::tz::TimeZone;
use std::sync::Arc;

struct Memory {
    mail: Arc<MemoryMail>,
    calendar: Arc<MemoryCalendar>,
    documents: Arc<MemoryDocuments>,
    sheets: Arc<MemorySheets>,
}

fn account(user: &str) -> Account {
    Account {
        team: "T1".into(),
        user: user.into(),
    }
}

impl Memory {
    fn new() -> Self {
        let ana = account("UANA");
        let clock = Arc::new(ManualClock::default());
        let documents = MemoryDocuments::new(clock.clone()).with(&ana, documents::given());
        let sheets = MemorySheets::new(clock.clone()).with(&ana, vec![budget()]);
        let mail = MemoryMail::new(clock).with(&ana, mail::owner(), mail::mails());
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        let given = calendar::given();
        let events = given.iter().flat_map(Given::occurrences).collect();
        let calendar = MemoryCalendar::default()
            .with(&ana, calendar::owner(), lisbon, events)
            .with_colleague(&ana, calendar::COLLEAGUE, calendar::colleague());
        Self {
            mail: Arc::new(mail),
            calendar: Arc::new(calendar),
            documents: Arc::new(documents),
            sheets: Arc::new(sheets),
        }
    }
}

fn budget() -> StoredSheet {
    StoredSheet {
        summary: SheetSummary {
            id: "s1".into(),
            title: "Spring budget".into(),
            modified: "2026-11-20T08:00:00Z".parse().unwrap(),
        },
        tabs: vec![("Sheet1".into(), sheets::given())],
        may_edit: true,
    }
}

#[tokio::test]
async fn documents_pass_the_suite() {
    let given = async || AccountSide::new(Memory::new().documents, account("UANA"), ());
    conformance::documents(given).await;
}

#[tokio::test]
async fn sheets_pass_the_suite() {
    let given = async || AccountSide::new(Memory::new().sheets, account("UANA"), ());
    conformance::sheets(given).await;
}

#[tokio::test]
async fn mail_passes_the_suite() {
    let given = async || AccountSide::new(Memory::new().mail, account("UANA"), ());
    conformance::mail(given).await;
}

#[tokio::test]
async fn calendars_pass_the_suite() {
    let given = async || AccountSide::new(Memory::new().calendar, account("UANA"), ());
    conformance::calendar(given).await;
}

#[tokio::test]
async fn attendees_are_told_of_a_move_once_for_its_key() {
    let (memory, ana) = (Memory::new(), account("UANA"));
    let span = |start: &str, end: &str| Span {
        start: start.parse().unwrap(),
        end: end.parse().unwrap(),
    };
    let new = NewEvent {
        title: "Tables".into(),
        span: span("2026-11-27T09:00:00Z", "2026-11-27T10:00:00Z"),
        time_zone: "UTC".into(),
        description: String::new(),
        attendees: vec![Mailbox::new("Ben", "ben@example.com")],
        repeat: None,
        video_call: false,
    };
    let made = memory.calendar.create(&ana, &new, "k").await.unwrap();
    let to = span("2026-11-27T13:00:00Z", "2026-11-27T14:00:00Z");
    for (to, key, told) in [(to, "m", 2), (new.span, "n", 3), (to, "m", 3)] {
        let why = Notice::default();
        let moved = memory
            .calendar
            .reschedule(&ana, &made.id, to, Some(&why), key);
        moved.await.unwrap();
        assert_eq!(memory.calendar.told(&ana).len(), told);
    }
}
