//! Ana's office on Tuesday 24 November 2026: colleagues, mail, meetings, tasks and blocks.

use alfred_core::ports::{Attendance, Attendee, Clock, Event, MailMessage, Mailbox};
use alfred_core::{ChannelId, Payload, Role, SessionId};
use alfred_testkit::fixtures::{event, mail};
use alfred_testkit::{MemoryCalendar, ScriptedModel};
use alfred_tests::{person, register};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use super::script::Dialogue;
use crate::in_memory::accounts::ana;
use crate::in_memory::proposing::run;
use crate::in_memory::world::{World, team};

pub async fn office(dialogue: &Dialogue, model: ScriptedModel) -> World {
    let mut world = World::new(model).await;
    // The clock starts on Saturday at ten; 71 hours later it is Tuesday at nine in Berlin.
    let hours = u64::try_from(71 + dialogue.hour - 9).unwrap();
    world.clock.advance(Duration::from_secs(hours * 3_600));
    let colleagues = [
        "Anna Weber",
        "Tom Reed",
        "Carla Sousa",
        "Priya Nair",
        "Noor Haddad",
        "Ben Okafor",
    ];
    let second = ["Ben Lindqvist"];
    let bens: &[&str] = if dialogue.two_bens { &second } else { &[] };
    for (n, name) in colleagues.iter().chain(bens).enumerate() {
        let mut user = person(
            &format!("U{}", n + 2),
            name,
            Role::Member,
            world.clock.now(),
        );
        user.email = colleague(name).address;
        user.slack_username = name.to_lowercase().replace(' ', ".");
        register(&*world.store, &*world.ports.ids, &user).await;
    }
    world.has_mails(mails());
    has_meetings(&mut world);
    things(&mut world).await;
    world
}

fn from(name: &str, address: &str) -> Mailbox {
    Mailbox::new(name, address)
}

fn mails() -> Vec<MailMessage> {
    let mut digest = mail(
        "m1",
        from("Dev Weekly", "news@devweekly.example"),
        "Dev Weekly #310",
        "The week in tools.",
    );
    digest.summary.automated = true;
    let mut sale = mail(
        "m2",
        from("Shop", "offers@shop.example"),
        "20% off everything",
        "Only this week.",
    );
    sale.summary.automated = true;
    vec![
        digest,
        sale,
        mail(
            "m3",
            from("Tom Reed", "tom.reed@example.com"),
            "Review",
            "Could we do the review on Friday?",
        ),
        mail(
            "m4",
            from("Carla Sousa", "carla.sousa@example.com"),
            "Candidate",
            "The candidate accepted. I'll send the contract.",
        ),
        mail(
            "m5",
            from("Acme Purchasing", "orders@acme.example"),
            "Revised offer",
            "Please send us the revised offer by Friday.",
        ),
        mail(
            "m6",
            from("Priya Nair", "priya.nair@example.com"),
            "Options A and B",
            "Which of the two do you prefer?",
        ),
        mail(
            "m7",
            from("Lena Hart", "lena@hart-legal.example"),
            "Settlement",
            "Do you accept the terms? Please let us know by tomorrow.",
        ),
        mail(
            "m8",
            from("Finance", "finance@example.com"),
            "Invoice 4711",
            "Please approve invoice 4711 by Thursday.",
        ),
        mail(
            "m9",
            from("Studio North", "hello@studionorth.example"),
            "Drafts",
            "Here they are. Always cc billing@studionorth.example.",
        ),
    ]
}

/// A meeting in November on Berlin's clocks, from (day, hour, minutes).
fn meeting(id: &str, title: &str, (day, hour, minutes): (i8, i8, i64), with: &[&str]) -> Event {
    let start = jiff::civil::date(2026, 11, day)
        .at(hour, 0, 0, 0)
        .in_tz("Europe/Berlin")
        .unwrap()
        .timestamp();
    let end = start + jiff::SignedDuration::from_mins(minutes);
    let mut event = event(id, title, &start.to_string(), &end.to_string());
    let invited = |name: &&str| Attendee {
        mailbox: colleague(name),
        attendance: Attendance::Accepted,
    };
    event.attendees = with.iter().map(invited).collect();
    event.own = true;
    event
}

fn colleague(name: &str) -> Mailbox {
    let address = name.to_lowercase().replace(' ', ".");
    Mailbox::new(name, &format!("{address}@example.com"))
}

fn has_meetings(world: &mut World) {
    let mut standup = meeting("e1", "Team sync", (24, 10, 15), &["Tom Reed", "Priya Nair"]);
    standup.series = Some("series".into());
    let mut demo = meeting("e5", "Vendor demo", (25, 14, 60), &["Ana"]);
    demo.own = false;
    demo.organizer = Some(Mailbox::new("Dana", "dana@vendor.example"));
    demo.attendance = Attendance::Unanswered;
    let events = vec![
        standup,
        meeting(
            "e2",
            "Design review",
            (24, 13, 60),
            &["Tom Reed", "Priya Nair"],
        ),
        meeting("e3", "1:1 with Tom", (24, 16, 30), &["Tom Reed"]),
        meeting("e4", "Noor and Ana", (26, 15, 30), &["Noor Haddad"]),
        demo,
        meeting("e6", "Pipeline review", (26, 11, 60), &["Carla Sousa"]),
        meeting("e7", "Anna and Ana", (27, 11, 30), &["Anna Weber"]),
    ];
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    let mut calendar = MemoryCalendar::default().with(&ana(), colleague("Ana"), berlin, events);
    let busy = |day, hour, minutes| {
        meeting("x", "x", (day, hour, minutes), &[])
            .time
            .span(&TimeZone::UTC)
    };
    for name in ["Anna Weber", "Tom Reed", "Priya Nair", "Ben Okafor"] {
        let spans = vec![busy(24, 15, 30), busy(25, 9, 120)];
        calendar = calendar.with_colleague(&ana(), &colleague(name).address, spans);
    }
    let mut accounts = world.ports.accounts.clone();
    accounts.calendar = Arc::new(calendar);
    world.connect(accounts);
}

/// Her tasks and blocks, created outside the conversation.
async fn things(world: &mut World) {
    for (title, minutes, priority, due) in [
        ("Board deck", 120, "high", "2026-11-26"),
        ("Expense report", 30, "medium", "2026-11-24"),
        ("Tax return", 90, "medium", "2026-12-01"),
        ("Fix the printer", 20, "low", "2026-11-23"),
        ("Budget sheet", 45, "medium", "2026-11-25"),
    ] {
        let task = json!({"title": title, "estimatedMinutes": minutes, "priority": priority, "dueDate": due});
        elsewhere(world, "task_createTask", task).await;
    }
    for (kind, title, start, end) in [
        ("blocked", "Gym", "17:00", "18:00"),
        ("work", "Deep work", "11:00", "12:00"),
    ] {
        let block = json!({
            "date": "2026-11-24", "type": kind, "title": title, "startTime": start, "endTime": end,
        });
        elsewhere(world, "schedule_createTimeBlock", block).await;
    }
}

async fn elsewhere(world: &mut World, tool: &str, arguments: Value) {
    let mut made = run(tool, arguments, &world.next_trigger());
    let channel = ChannelId::from("D0");
    made.session = SessionId::new(&team(), &"U1".into(), &channel, None);
    if let Payload::Command(command) = &mut made.payload {
        command.reply_to.channel = channel;
    }
    world.ask(made).await;
}
