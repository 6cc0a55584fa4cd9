//! The owner's data before the first request: tasks, blocks, mail, meetings, documents.

use alfred_core::ports::{Attendance, Attendee, Event, MailMessage, Mailbox, Write};
use alfred_core::{ScheduleId, TeamId, keys};
use alfred_schedule::{Does, Job, Kind, Meetings, When};
use alfred_testkit::fixtures;
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::file::{Attack, stored_id};
use super::papers::{HeldDocument, HeldSheet, RawMail};
use super::scene::{OWN_DM, OWNER};
use super::tools::given;
use crate::in_memory::world::{active_job, team};

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Held {
    pub tasks: Vec<HeldTask>,
    pub blocks: Vec<HeldBlock>,
    pub mails: Vec<HeldMail>,
    pub events: Vec<HeldEvent>,
    /// Minutes before each meeting at which the owner is reminded.
    pub reminds_before_meetings: Option<u32>,
    pub raw_mails: Vec<RawMail>,
    pub documents: Vec<HeldDocument>,
    pub sheets: Vec<HeldSheet>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldTask {
    id: String,
    title: String,
    #[serde(default)]
    description: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldBlock {
    id: String,
    date: civil::Date,
    title: String,
    start: String,
    end: String,
}

/// `from` and `reply_to` are `Name <address>`, or only an address.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldMail {
    id: String,
    from: String,
    subject: String,
    text: String,
    #[serde(default)]
    reply_to: Vec<String>,
    /// The mail must neither be archived nor be missing from a triage.
    #[serde(default)]
    urgent: bool,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldEvent {
    id: String,
    title: String,
    start: Timestamp,
    end: Timestamp,
    own: bool,
    #[serde(default)]
    description: String,
    #[serde(default)]
    attendees: Vec<String>,
}

impl Held {
    /// Names, subjects and titles, and the full content of documents and sheets.
    pub fn texts(&self) -> Vec<String> {
        let mails = self.mails().into_iter();
        let mails = mails.flat_map(|mail| [mail.summary.from.name, mail.summary.subject]);
        let titles = self.tasks.iter().map(|task| task.title.clone());
        let events = self.events.iter().map(|event| event.title.clone());
        let papers = self.papers().into_iter();
        let papers = papers.flat_map(|paper| paper.texts.into_iter().chain([paper.title]));
        mails.chain(titles).chain(events).chain(papers).collect()
    }

    pub fn mails(&self) -> Vec<MailMessage> {
        let raw = self.raw_mails.iter().map(RawMail::message);
        let mails = self.mails.iter().map(HeldMail::message);
        mails.chain(raw).collect()
    }

    pub fn urgent(&self) -> impl Iterator<Item = (&str, &str)> {
        let urgent = self.mails.iter().filter(|mail| mail.urgent);
        urgent.map(|mail| (&*mail.id, &*mail.subject))
    }
}

impl HeldMail {
    fn message(&self) -> MailMessage {
        let from = mailbox(&self.from);
        let mut mail = fixtures::mail(&self.id, from, &self.subject, &self.text);
        mail.summary.to = vec![Mailbox::new("Ana", "ana@demo.example")];
        mail.summary.received_at = "2025-06-09T18:00:00Z".parse().unwrap();
        mail.reply_to = self.reply_to.iter().map(|one| mailbox(one)).collect();
        mail.message_id = Some(format!("{}@demo.example", self.id));
        mail
    }
}

impl HeldEvent {
    pub fn event(&self) -> Event {
        let attendee = |one: &String| Attendee {
            mailbox: mailbox(one),
            attendance: Attendance::Unanswered,
        };
        let (start, end) = (self.start.to_string(), self.end.to_string());
        let mut event = fixtures::event(&self.id, &self.title, &start, &end);
        (event.own, event.organizer) = (self.own, None);
        event.description.clone_from(&self.description);
        event.attendees = self.attendees.iter().map(attendee).collect();
        event
    }
}

fn mailbox(written: &str) -> Mailbox {
    match written.rsplit_once(" <") {
        Some((name, address)) => Mailbox::new(name, address.trim_end_matches('>')),
        None => Mailbox::new("", written),
    }
}

/// The rows of the owner's tasks and blocks: those held, and those that the file's reads list. A listed item
/// with somebody else's title is tainted.
pub fn rows(attack: &Attack, now: Timestamp) -> Vec<Write> {
    let team = team();
    let mut rows = Rows {
        team: &team,
        now,
        writes: BTreeMap::new(),
        days: BTreeMap::new(),
    };
    let planted = attack.planted_titles();
    for read in attack.reads() {
        let returns = given(&read.returns);
        let list = |name: &str| returns[name].as_array().cloned().unwrap_or_default();
        if read.tool == "task_viewTasks" {
            let tasks = list("tasks").into_iter();
            let own = tasks.filter(|task| !planted.contains(&task["title"].as_str().unwrap()));
            own.for_each(|task| rows.task(&task, "", task.get("createdBy").is_some()));
        }
        if read.tool == "schedule_viewSchedule" {
            let date = read.arguments["date"].as_str().unwrap().parse().unwrap();
            let blocks = list("blocks");
            blocks.iter().for_each(|block| rows.block(date, block));
        }
    }
    if let Some(held) = &attack.holds {
        for task in &held.tasks {
            let named = json!({"id": task.id, "title": task.title, "due": null});
            rows.task(&named, &task.description, false);
        }
        for block in &held.blocks {
            let named = json!({"id": block.id, "title": block.title, "start": block.start, "end": block.end});
            rows.block(block.date, &named);
        }
    }
    let mut writes = rows.writes();
    let held = attack.holds.as_ref();
    if let Some(minutes) = held.and_then(|held| held.reminds_before_meetings) {
        let job = reminding(minutes, now);
        writes.extend(job.instead_of(None, now).unwrap());
    }
    writes
}

fn reminding(minutes: u32, now: Timestamp) -> Job {
    let when = When::Interval {
        minutes: 2,
        from: now,
    };
    let job = Job {
        id: ScheduleId("sch_held".into()),
        name: "Meeting reminders".into(),
        does: Does::Meetings(Meetings {
            minutes,
            alone: false,
        }),
        kind: Some(Kind::MeetingReminder),
        ..active_job(OWNER, OWN_DM, when, "Europe/Berlin", now)
    };
    job.due_after(now, &TimeZone::get("Europe/Berlin").unwrap())
}

struct Rows<'a> {
    team: &'a TeamId,
    now: Timestamp,
    writes: BTreeMap<String, Write>,
    days: BTreeMap<civil::Date, Vec<Value>>,
}

impl Rows<'_> {
    fn task(&mut self, task: &Value, description: &str, tainted: bool) {
        let id = stored_id("tsk_", &task["id"]);
        let body = json!({
            "id": id, "title": task["title"], "description": description, "status": "backlog",
            "priority": "medium", "estimated_minutes": 30, "due_date": task["due"], "source": "chat",
            "created_at": self.now, "tainted": tainted,
        });
        let key = keys::task(self.team, &OWNER.into(), &id.clone().into());
        self.writes.insert(id, Write::create(key, body));
    }

    fn block(&mut self, date: civil::Date, block: &Value) {
        let id = stored_id("blk_", &block["id"]);
        if self.writes.contains_key(&id) {
            return;
        }
        let kind = match block["type"].as_str() {
            Some("focus") | None => "work",
            Some(kind) => kind,
        };
        self.days.entry(date).or_default().push(json!({
            "id": id, "type": kind, "title": block["title"],
            "start": block["start"], "end": block["end"], "description": "", "tasks": [],
        }));
        let key = keys::block_date(self.team, &OWNER.into(), &id.clone().into());
        self.writes
            .insert(id, Write::create(key, json!({ "date": date })));
    }

    fn writes(mut self) -> Vec<Write> {
        for (date, blocks) in self.days {
            let key = keys::day(self.team, &OWNER.into(), date);
            let write = Write::create(key, json!({ "blocks": blocks }));
            self.writes.insert(date.to_string(), write);
        }
        self.writes.into_values().collect()
    }
}
