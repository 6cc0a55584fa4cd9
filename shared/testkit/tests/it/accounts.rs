//! Mail and calendars in memory pass the suites that the real ones pass.

use alfred_core::ports::{Account, Calendar, Notice};
use alfred_testkit::conformance::calendar::Given;
use alfred_testkit::conformance::{self, AccountSide, calendar, mail};
use alfred_testkit::{ManualClock, MemoryCalendar, MemoryMail};
use jiff::tz::TimeZone;
use std::sync::Arc;

fn ana() -> Account {
    Account::of(&"T1".into(), &"UANA".into())
}

#[tokio::test]
async fn mail_passes_the_suite() {
    let given = async || {
        let mail = MemoryMail::new(Arc::new(ManualClock::default()));
        let mail = mail.with(&ana(), mail::owner(), mail::mails());
        AccountSide::new(Arc::new(mail), ana(), ())
    };
    conformance::mail(given).await;
}

#[tokio::test]
async fn calendars_pass_the_suite() {
    let given = async || {
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        let events = calendar::given();
        let events = events.iter().flat_map(Given::occurrences).collect();
        let calendar = MemoryCalendar::default()
            .with(&ana(), calendar::owner(), lisbon, events)
            .with_colleague(&ana(), calendar::COLLEAGUE, calendar::colleague());
        AccountSide::new(Arc::new(calendar), ana(), ())
    };
    conformance::calendar(given).await;
}

#[tokio::test]
async fn attendees_are_told_of_a_move_once_for_its_key() {
    let (ana, calendar) = (ana(), MemoryCalendar::default());
    let calendar = calendar.with(&ana, calendar::owner(), TimeZone::UTC, Vec::new());
    let new = calendar::new_event("Tables", &["ben"]);
    let made = calendar.create(&ana, &new, "k").await.unwrap();
    let to = calendar::times("12-14T13:00/14:00");
    for (to, key, told) in [(to, "m", 2), (new.span, "n", 3), (to, "m", 3)] {
        let why = Notice::default();
        let moved = calendar.reschedule(&ana, &made.id, to, Some(&why), key);
        moved.await.unwrap();
        assert_eq!(calendar.told(&ana).len(), told);
    }
}
