use alfred_agent::model::Readers;
use alfred_core::ports::{
    Account, AccountError, AccountService, Accounts, Attendance, Attendee, Calendar, Event,
    EventTime, Mailbox, Span,
};
use alfred_core::{Preferences, ResponseType, ScheduleId};
use alfred_schedule::{Does, Job, JobState, Kind, Meetings, When, Why};
use alfred_testkit::{MemoryCalendar, MemoryMail, When as Moment, fixtures, unavailable};
use jiff::tz::TimeZone;
use std::sync::Arc;

use crate::office::Office;

/// Monday, 9:30 in Berlin.
const MONDAY: &str = "2026-11-23T08:30:00Z";

fn ana() -> Account {
    Account::of(&"T1".into(), &"U1".into())
}

fn at(time: &str) -> String {
    format!("2026-11-23T{time}:00Z")
}

fn meeting(id: &str, [from, to]: [&str; 2]) -> Event {
    Event {
        own: true,
        attendees: vec![Attendee {
            mailbox: Mailbox::new("Ben Okafor", "ben@example.com"),
            attendance: Attendance::Accepted,
        }],
        ..fixtures::event(id, &format!("About {id}"), &at(from), &at(to))
    }
}

struct Scene {
    office: Office,
    calendar: Arc<MemoryCalendar>,
    job: ScheduleId,
}

impl Scene {
    async fn with(events: Vec<Event>) -> Self {
        Self::on(events, |job| job).await
    }

    async fn on(events: Vec<Event>, change: impl FnOnce(Job) -> Job) -> Self {
        let mailbox = Mailbox::new("Ana", "ana@example.com");
        let calendar =
            MemoryCalendar::default().with(&ana(), mailbox.clone(), TimeZone::UTC, events);
        let calendar = Arc::new(calendar);
        let clock = Arc::new(alfred_testkit::ManualClock::at(MONDAY.parse().unwrap()));
        let ben = Mailbox::new("Ben Okafor", "ben@example.com");
        let machine = Mailbox::new("Ben's list", "ben@example.com");
        let mut list = fixtures::mail("m0", machine, "Digest", "");
        list.summary.automated = true;
        let subjects = ["Numbers", "Re: *Numbers*", "Old", "Older"];
        let mails = subjects.iter().enumerate().map(|(nth, subject)| {
            let mut mail = fixtures::mail(&format!("m{}", nth + 1), ben.clone(), subject, "");
            mail.summary.received_at -= jiff::SignedDuration::from_hours(nth as i64);
            mail
        });
        let mails = mails.chain([list]).collect();
        let accounts = Accounts {
            mail: Arc::new(MemoryMail::new(clock).with(&ana(), mailbox, mails)),
            calendar: calendar.clone(),
            ..Accounts::none()
        };
        let office = Office::with(alfred_core::Config::default(), accounts, MONDAY, []).await;
        let does = Does::Meetings(Meetings {
            minutes: 10,
            alone: false,
        });
        let looks = When::Interval {
            minutes: 2,
            from: office.now(),
        };
        let job = Job {
            kind: Some(Kind::MeetingReminder),
            ..office.job("1", does, looks, "Europe/Berlin")
        };
        let job = office.schedule(change(job)).await;
        Self {
            office,
            calendar,
            job,
        }
    }

    async fn minutes(&mut self, hour: u8, minutes: std::ops::RangeInclusive<u8>) {
        for minute in minutes {
            self.office
                .at_time(&at(&format!("{hour:02}:{minute:02}")))
                .await;
        }
    }

    fn told(&self) -> Vec<String> {
        let first = |said: String| said.lines().next().unwrap_or_default().to_owned();
        self.office.said().into_iter().map(first).collect()
    }

    async fn move_to(&self, id: &str, [from, to]: [&str; 2]) {
        let span = Span {
            start: at(from).parse().unwrap(),
            end: at(to).parse().unwrap(),
        };
        let id = id.into();
        let moved = self.calendar.reschedule(&ana(), &id, span, None, "k").await;
        moved.unwrap();
    }
}

#[tokio::test]
async fn each_is_told_once_ten_minutes_before_with_what_is_known_of_it() {
    let event = Event {
        title: "Numbers <!channel> `now`".into(),
        location: "Room 4".into(),
        description: "<p>Bring <b>figures</b>.</p> See https://docs.google.com/document/d/1/edit, \
                      https://evil.example/?d=1 and https://us02web.zoom.us/j/5?pwd=x_y"
            .into(),
        ..meeting("a", ["09:00", "10:00"])
    };
    let mut scene = Scene::with(vec![event]).await;
    scene.minutes(8, 30..=49).await;
    assert!(scene.office.said().is_empty());
    assert_eq!(scene.office.faults.calls("mail.list"), 0, "mails wait");
    scene.minutes(8, 50..=59).await;
    scene.minutes(9, 0..=10).await;
    let said = scene.office.said();
    assert_eq!(
        said,
        ["D1: *In 10 minutes: “Numbers &lt;!channel&gt; 'now'”*\n\
Mon 23 Nov 10:00–11:00\n\
Where: Room 4\n\
Call: <https://us02web.zoom.us/j/5?pwd=x_y>\n\
With Ben Okafor\n\
The invitation says: “Bring figures. See docs.google.com evil.example and us02web.zoom.us”\n\
Documents: <https://docs.google.com/document/d/1/edit>\n\
Your last mails with them:\n\n\
• Fri 20 Nov 09:00, from Ben Okafor: “Numbers”\n\
• Fri 20 Nov 08:00, from Ben Okafor: “Re: ∗Numbers∗”\n\
• Fri 20 Nov 07:00, from Ben Okafor: “Old”"]
    );
    // The calendar is read every 15 minutes and when a meeting is due. Mails are read only when one is due.
    assert_eq!(scene.office.faults.calls("calendar.events"), 4);
    assert_eq!(scene.office.faults.calls("mail.list"), 2);
}

#[tokio::test]
async fn what_is_no_meeting_is_not_told_of() {
    let declined = Event {
        attendance: Attendance::Declined,
        ..meeting("declined", ["09:00", "10:00"])
    };
    let alone = Event {
        attendees: Vec::new(),
        ..meeting("alone", ["09:00", "10:00"])
    };
    let mut whole_day = meeting("whole-day", ["09:00", "10:00"]);
    let day = jiff::civil::date(2026, 11, 23);
    whole_day.time = EventTime::AllDay {
        first: day,
        last: day,
    };
    let begun = meeting("begun", ["08:00", "10:00"]);
    let invited = Event {
        own: false,
        organizer: Some(Mailbox::new("Chiyo", "chiyo@example.com")),
        attendees: Vec::new(),
        ..meeting("invited", ["09:00", "10:00"])
    };
    let all = vec![declined, alone.clone(), whole_day, begun, invited];
    let mut scene = Scene::with(all).await;
    scene.minutes(8, 50..=59).await;
    assert_eq!(scene.told(), ["D1: *In 10 minutes: “About invited”*"]);
    let mut asked_for = Scene::on(vec![alone], |job| Job {
        does: Does::Meetings(Meetings {
            minutes: 5,
            alone: true,
        }),
        ..job
    })
    .await;
    asked_for.minutes(8, 50..=59).await;
    assert_eq!(asked_for.told(), ["D1: *In 5 minutes: “About alone”*"]);
}

#[tokio::test]
async fn what_is_moved_is_told_at_its_new_time_and_what_is_cancelled_is_not() {
    let times = ["09:00", "10:00"];
    let mut scene = Scene::with(vec![meeting("a", times), meeting("b", times)]).await;
    scene.minutes(8, 31..=45).await;
    let id = "b".into();
    let cancelled = scene.calendar.cancel(&ana(), &id, false, "k").await;
    assert!(cancelled.unwrap());
    scene.minutes(8, 46..=52).await;
    assert_eq!(scene.told(), ["D1: *In 10 minutes: “About a”*"]);
    scene.move_to("a", ["09:30", "10:00"]).await;
    scene.minutes(8, 53..=59).await;
    scene.minutes(9, 0..=29).await;
    assert_eq!(scene.told()[1..], ["D1: *In 10 minutes: “About a”*"]);
    let job = scene.office.stored(&scene.job).await;
    assert_eq!((job.runs, job.told.len()), (2, 1));
}

#[tokio::test]
async fn one_made_a_quarter_of_an_hour_before_is_still_told_and_none_that_has_begun() {
    for second in [0, 1, 30, 59] {
        let mut scene = Scene::with(vec![meeting("a", ["15:00", "16:00"])]).await;
        scene.minutes(8, 30..=40).await;
        scene
            .office
            .clock
            .set(format!("2026-11-23T08:40:{second:02}Z").parse().unwrap());
        scene.move_to("a", ["08:56", "09:30"]).await;
        scene.minutes(8, 41..=59).await;
        assert_eq!(scene.told().len(), 1, "made at {second}");
    }
    // The sweep didn't run for an hour.
    let mut scene = Scene::with(vec![
        meeting("a", ["09:00", "10:00"]),
        meeting("b", ["09:45", "10:00"]),
    ])
    .await;
    scene.office.at_time(&at("09:40")).await;
    assert_eq!(scene.told(), ["D1: *In 5 minutes: “About b”*"]);
}

#[tokio::test]
async fn a_reminder_that_waited_until_its_meeting_began_is_not_said() {
    let mut scene = Scene::with(vec![meeting("a", ["09:00", "10:00"])]).await;
    scene.office.clock.set(at("08:50").parse().unwrap());
    scene.office.sweep().await.unwrap();
    scene.office.clock.set(at("09:00").parse().unwrap());
    scene.office.work().await;
    assert!(scene.office.said().is_empty());
    assert_eq!(scene.office.stored(&scene.job).await.failures, 0);
}

#[tokio::test]
async fn wherever_a_sweep_dies_a_meeting_is_told_once() {
    for call in ["store.commit", "store.query", "store.get", "queue.send"] {
        for nth in 1..=6 {
            for moment in [Moment::Before, Moment::After] {
                let mut scene = Scene::with(vec![meeting("a", ["09:00", "10:00"])]).await;
                let faults = &scene.office.faults;
                let number = faults.calls(call) + nth;
                match call {
                    "queue.send" => faults.fail_at(call, number, moment, alfred_testkit::unsent()),
                    _ => faults.fail_at(call, number, moment, unavailable()),
                }
                for minute in 50..=58 {
                    let now = at(&format!("08:{minute}")).parse().unwrap();
                    scene.office.clock.set(now);
                    drop(scene.office.sweep().await);
                    scene.office.work().await;
                }
                assert_eq!(scene.told().len(), 1, "{call} {nth} {moment:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_calendar_that_cannot_be_read_is_told_once_and_paused_at_the_third_time() {
    let mut scene = Scene::with(vec![meeting("a", ["09:00", "10:00"])]).await;
    // The calendar service is down for ten minutes. That isn't reported and doesn't count as a failure.
    for _ in 0..5 {
        let away = AccountError::NotReached {
            detail: "down".into(),
            retry_after: None,
        };
        let faults = &scene.office.faults;
        faults.fail_next("calendar.events", Moment::Before, away);
    }
    scene.minutes(8, 32..=51).await;
    assert_eq!(scene.told().len(), 1);
    for nth in 1..=3 {
        let ended = AccountError::Expired(AccountService::Calendar);
        let faults = &scene.office.faults;
        faults.fail_next("calendar.events", Moment::Before, ended);
        scene.office.at_time(&at(&format!("{}:40", 9 + nth))).await;
        assert_eq!(scene.told().len(), 2, "{nth}");
    }
    let last = scene.office.said().pop().unwrap();
    assert!(
        last.starts_with("D1: I can't remind you of your meetings just now. My access to"),
        "{last}"
    );
    let state = scene.office.stored(&scene.job).await.state;
    assert_eq!(state, JobState::Paused { why: Why::Failing });
}

#[tokio::test]
async fn in_a_channel_its_owner_alone_reads_it_and_who_wants_nothing_unasked_gets_none() {
    let public = |mut job: Job| {
        job.place.channel_id = "C1".into();
        job.place.response_type = ResponseType::Channel;
        job
    };
    let mut scene = Scene::on(vec![meeting("a", ["09:00", "10:00"])], public).await;
    scene.minutes(8, 50..=59).await;
    let told = scene.told();
    assert_eq!(told[0], "D1: *In 10 minutes: “About a”*");
    assert!(told[1].starts_with("C1: ") && !told[1].contains("About"));
    let run = scene.office.runs.values().next().unwrap();
    assert_eq!(run.readers(), Readers::Owner);
    assert!(run.taint.untrusted.contains("calendar_viewMeetings"));

    let mut quiet = Scene::with(vec![meeting("a", ["09:00", "10:00"])]).await;
    let wants_none = Preferences {
        proactive_notifications: false,
        ..Preferences::default()
    };
    quiet.office.register_as(true, wants_none).await;
    quiet.minutes(8, 31..=59).await;
    assert!(quiet.told().is_empty());
    assert_eq!(quiet.office.faults.calls("calendar.events"), 0);
}
