//! The default calendar: whole events by id. A changed date of a series is an event of its own.

use alfred_core::html;
use alfred_core::ports::Span;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use mail_parser::decoders::html::html_to_text;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::asked::Asked;
use super::mail::{has_property, merge, unknown};
use super::series::{occurrences, set, span};
use super::{ANA, Answer, each, error, recorded, text};

const JOIN: &str = "https://teams.microsoft.com/l/meetup-join/19%3ameeting_";

#[derive(Default)]
pub struct Calendar {
    /// Its owner's time zone, as Outlook names it.
    pub zone: String,
    /// Whether a meeting stays when it is declined (Exchange's `PreserveDeclinedMeetings`).
    pub keeps_declined: bool,
    pub without_teams: bool,
    /// When others are busy who share their calendars.
    pub others: BTreeMap<String, Vec<Span>>,
    /// The mails that Exchange would have sent: what is told, to whom, of which start, with which comment.
    pub notices: Vec<String>,
    pub events: BTreeMap<String, Value>,
    /// Dates that were taken out of their series.
    taken_out: BTreeSet<String>,
    sequence: usize,
}

fn is_own(event: &Value) -> bool {
    event["organizer"]["emailAddress"]["address"] == ANA
}

fn as_html(body: &Value) -> Value {
    let content = text(&body["content"]);
    let lines: Vec<String> = content.lines().map(html::escaped).collect();
    let content = match body["contentType"].as_str() {
        Some("text") => format!("<html><body>{}</body></html>", lines.join("<br>")),
        _ => content.to_owned(),
    };
    json!({"contentType": "html", "content": content})
}

impl Calendar {
    /// Puts an event where others made it, or its owner. Gives its id.
    pub fn put(&mut self, fields: &Value) -> String {
        self.sequence += 1;
        let mut event = recorded("event");
        merge(&mut event, fields);
        let id = format!("AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0B{:04}", self.sequence);
        event["id"] = json!(id);
        event["body"] = as_html(&event["body"]);
        event["isOrganizer"] = json!(is_own(&event));
        if !event["recurrence"].is_null() {
            event["type"] = json!("seriesMaster");
        }
        self.change(event);
        id
    }

    /// Stores an event, or a date of a series, in a new version.
    fn change(&mut self, mut event: Value) -> Value {
        self.sequence += 1;
        event["@odata.etag"] = json!(format!("W/\"DwAAAB{}\"", self.sequence));
        if event["type"] == "occurrence" {
            event["type"] = json!("exception");
        }
        let id = text(&event["id"]).to_owned();
        self.events.insert(id, event.clone());
        event
    }

    /// An event or date gets another location elsewhere.
    pub fn relocate(&mut self, id: &str, location: &str) {
        let mut event = self.event(id).unwrap();
        event["location"]["displayName"] = json!(location);
        self.change(event);
    }

    /// Takes out an event or a date.
    pub fn take_out(&mut self, id: &str) {
        self.events
            .retain(|known, event| known != id && event["seriesMasterId"] != id);
        self.taken_out.insert(id.to_owned());
    }

    pub fn event(&self, id: &str) -> Result<Value, Answer> {
        if let Some(event) = self.events.get(id) {
            return Ok(event.clone());
        }
        let series = id
            .split_once('_')
            .and_then(|(series, _)| self.events.get(series));
        let dates = series.map(|series| self.dates(series, Timestamp::MAX));
        let mut dates = dates.into_iter().flatten();
        dates
            .find(|date| date["id"] == id)
            .ok_or_else(|| unknown(id))
    }

    /// The dates of a series that nobody changed.
    fn dates(&self, series: &Value, before: Timestamp) -> Vec<Value> {
        let mut dates = occurrences(series, before);
        dates.retain(|date| {
            let id = text(&date["id"]);
            !self.taken_out.contains(id) && !self.events.contains_key(id)
        });
        dates
    }

    /// Events and dates that touch a span, in order; of one series or all.
    fn within(&self, asked: Span, series: &str) -> Vec<Value> {
        let mut found = Vec::new();
        for (id, event) in &self.events {
            if series.is_empty() || id == series || event["seriesMasterId"] == series {
                if event["type"] == "seriesMaster" {
                    found.extend(self.dates(event, asked.end));
                } else {
                    found.push(event.clone());
                }
            }
        }
        found.retain(|event| {
            let Span { start, end } = span(event);
            start < asked.end && (end > asked.start || start >= asked.start)
        });
        found.sort_by_key(|event| span(event).start);
        found
    }

    fn tell(&mut self, event: &Value, told: &str, comment: &Value) {
        let people: Vec<&Value> = match told {
            "Answered" => vec![&event["organizer"]],
            _ => each(&event["attendees"]).collect(),
        };
        let addresses = people
            .iter()
            .map(|one| text(&one["emailAddress"]["address"]));
        let [at, zone] = ["dateTime", "timeZone"].map(|name| text(&event["start"][name]));
        let comment = text(comment);
        let others = addresses.filter(|address| *address != ANA);
        self.notices
            .extend(others.map(|to| format!("{told} {to} {at} {zone} {comment:?}")));
    }

    /// An event in UTC, with its text or HTML as was preferred.
    fn shown(&self, asked: &Asked, mut event: Value) -> Value {
        let whole = span(&event);
        set(&mut event, whole, &TimeZone::UTC);
        if asked
            .header("prefer")
            .contains(r#"outlook.body-content-type="text""#)
        {
            let words = html_to_text(text(&event["body"]["content"]));
            event["body"] = json!({"contentType": "text", "content": words});
        }
        let others = self.events.values();
        let changed = others.filter(|other| other["seriesMasterId"] == event["id"]);
        event["exceptionOccurrences"] = changed.map(|one| asked.selected(one.clone())).collect();
        event
    }

    fn page(&self, asked: &Asked, events: Vec<Value>) -> Value {
        let shown = events.into_iter().map(|event| self.shown(asked, event));
        asked.page(&shown.collect::<Vec<_>>())
    }

    pub fn answer(&mut self, asked: &Asked) -> Result<Value, Answer> {
        let (id, body) = (asked.id(3), &asked.body);
        let between = || Span {
            start: asked.query("startDateTime").parse().unwrap(),
            end: asked.query("endDateTime").parse().unwrap(),
        };
        Ok(match asked.call.name {
            "calendar.get" => {
                let mut shown = recorded("calendar");
                if self.without_teams {
                    shown["allowedOnlineMeetingProviders"] = json!([]);
                }
                shown
            }
            "calendar.getSchedule" => self.schedules(body)?,
            "calendarView.list" => self.page(asked, self.within(between(), "")),
            "events.instances" => self.page(asked, self.within(between(), id)),
            "events.list" => {
                let mut events: Vec<Value> = self.events.values().cloned().collect();
                events.retain(|event| has_property(event, asked.query("$filter")));
                self.page(asked, events)
            }
            "events.get" => self.shown(asked, self.event(id)?),
            "events.create" => {
                let event = self.created(body);
                self.shown(asked, event)
            }
            "events.patch" => {
                let event = self.patched(asked, id)?;
                self.shown(asked, event)
            }
            "events.delete" | "events.cancel" => {
                let event = self.event(id)?;
                self.tell(&event, "Cancelled", &body["comment"]);
                self.take_out(id);
                Value::Null
            }
            name => {
                let answer = match name {
                    "events.accept" => "accepted",
                    "events.decline" => "declined",
                    _ => "tentativelyAccepted",
                };
                let mut event = self.event(id)?;
                event["responseStatus"]["response"] = json!(answer);
                let event = self.change(event);
                self.tell(&event, "Answered", &body["comment"]);
                if answer == "declined" && !self.keeps_declined {
                    self.take_out(id);
                }
                Value::Null
            }
        })
    }

    /// Creates an event, once for its `transactionId`.
    fn created(&mut self, body: &Value) -> Value {
        let mut known = self.events.values();
        if let Some(known) = known.find(|event| event["transactionId"] == body["transactionId"]) {
            return known.clone();
        }
        let mut fields = body.clone();
        if body["isOnlineMeeting"] == true && !self.without_teams {
            fields["onlineMeeting"] = json!({"joinUrl": format!("{JOIN}{}", self.sequence)});
        }
        fields["originalStartTimeZone"] = body["start"]["timeZone"].clone();
        let id = self.put(&fields);
        let event = self.events[&id].clone();
        self.tell(&event, "Invited", &Value::Null);
        event
    }

    /// Changes the version that was read. Guests hear of all but extended properties.
    fn patched(&mut self, asked: &Asked, id: &str) -> Result<Value, Answer> {
        let mut event = self.event(id)?;
        let expected = asked.header("if-match");
        if !expected.is_empty() && event["@odata.etag"] != expected {
            return Err(error(412, "ErrorIrresolvableConflict"));
        }
        merge(&mut event, &asked.body);
        event["body"] = as_html(&event["body"]);
        let event = self.change(event);
        self.tell(&event, "Changed", &Value::Null);
        Ok(event)
    }

    fn schedules(&self, body: &Value) -> Result<Value, Answer> {
        let time = |name: &str| format!("{}Z", text(&body[name]["dateTime"]));
        let asked = Span {
            start: time("startTime").parse().unwrap(),
            end: time("endTime").parse().unwrap(),
        };
        let addresses = body["schedules"].as_array().unwrap();
        if addresses.len() > 20 || asked.end.duration_since(asked.start).as_hours() >= 62 * 24 {
            return Err(error(400, "ErrorInvalidParameter"));
        }
        let each = addresses.iter().map(|address| {
            let mut shown = recorded("schedule");
            shown["scheduleId"] = address.clone();
            let address = text(address).to_lowercase();
            let mut items = Vec::new();
            for event in self.within(asked, "").iter().filter(|_| address == ANA) {
                let declined = event["responseStatus"]["response"] == "declined";
                if !declined && event["isCancelled"] != true {
                    items.push((event["showAs"].clone(), span(event)));
                }
            }
            match self.others.get(&address) {
                Some(busy) => items.extend(busy.iter().map(|span| (json!("busy"), *span))),
                None if address == ANA => {}
                None => shown["error"] = json!({"responseCode": "ErrorMailRecipientNotFound"}),
            }
            let items = items.into_iter().map(|(status, span)| {
                let mut item = json!({"status": status, "isPrivate": false});
                set(&mut item, span, &TimeZone::UTC);
                item
            });
            shown["scheduleItems"] = items.collect();
            shown
        });
        Ok(json!({"value": each.collect::<Vec<_>>()}))
    }
}
