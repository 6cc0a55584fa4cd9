//! The calls of `calendar.txt`, beside those of every calendar: what they change at Google, or look at there.

use alfred_core::id::EventId;
use alfred_google::Google;
use alfred_google_local::Account as GoogleAccount;
use alfred_testkit::conformance::calendar::CalendarCalls;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::prepare;
use crate::google::player::{Calls, Shown, plays, strs};
use crate::google::support::{ANA, World, account};

#[tokio::test]
async fn google_calendar_does_what_the_text_says() {
    plays("calendar/calendar.txt", calendar).await;
}

pub fn calendar() -> Box<dyn Calls> {
    Box::new(AtCalendar(CalendarCalls::new(account())))
}

struct AtCalendar(CalendarCalls);

#[async_trait]
impl Calls for AtCalendar {
    fn prefix(&self) -> &'static str {
        "calendar."
    }

    fn prepare(&self, world: &World) {
        prepare(world);
    }

    async fn port(&self, _: &World, google: &Google, words: &[&str]) -> Shown {
        let ["busy", span, number, "people", ref others @ ..] = *words else {
            return self.0.call(google, words).await;
        };
        let people = (0..number.parse().unwrap()).map(|n: u32| format!("p{n}@example.com"));
        let people: Vec<String> = people.collect();
        let call = [&["busy", span], &strs(&people)[..], others].concat();
        self.0.call(google, &call).await
    }

    fn inside(&self, world: &World, words: &[&str]) -> String {
        match *words {
            ["put", name, fields] => self.put(world, name, fields),
            ["crowd", name, number] => {
                let guests = 1..=number.parse().unwrap();
                let guests = guests.map(|n: u32| {
                    json!({"email": format!("p{n}@example.com"), "responseStatus": "accepted"})
                });
                let own = json!({"email": ANA, "responseStatus": "needsAction"});
                let all: Vec<Value> = guests.chain([own]).collect();
                self.put(world, name, &json!({"attendees": all}).to_string());
            }
            ["copy", name, email] => {
                let event = world.kept(ANA, &self.at(name)).unwrap();
                world.put(email, event);
            }
            ["kept", name, email, ref fields @ ..] => {
                let Some(kept) = world.kept(email, &self.at(name)) else {
                    return "none".into();
                };
                let fields = fields.iter().map(|field| kept.pointer(field));
                let shown = fields.map(|field| field.map_or("none".into(), Value::to_string));
                return shown.collect::<Vec<_>>().join(" ");
            }
            ["zone", zone] => world.ana(|account| account.calendar.time_zone = zone.into()),
            ["account", email] => world.local().put_account(GoogleAccount::new(email, "")),
            ["hide", email] => world.of(email, |account| account.calendar.shared = false),
            ["told"] => {
                let told = notices(world);
                world.ana(|account| account.calendar.notices.clear());
                return told;
            }
            ["notices"] => return notices(world),
            ["said"] => {
                let calls = world.local().calls().into_iter();
                let said = calls.filter_map(|call| {
                    let query = call.arguments["query"].as_array()?.iter();
                    let mut query = query.filter(|field| field[0] == "sendUpdates");
                    Some(query.next()?[1].as_str()?.to_owned())
                });
                return said.collect::<Vec<_>>().join(" ");
            }
            ["patched", pointer] => {
                let calls = world.local().calls().into_iter();
                let mut patches = calls.filter(|call| call.method == "calendar.events.patch");
                let body = &patches.next().unwrap().arguments["body"];
                return body.pointer(pointer).unwrap().to_string();
            }
            _ => panic!("no call {words:?}"),
        }
        String::new()
    }
}

impl AtCalendar {
    fn at(&self, name: &str) -> EventId {
        let known = self.0.known(name);
        known.unwrap_or_else(|| name.to_lowercase().into())
    }

    /// Adds an event of Ana's on 17 December, or changes these fields of one; `null` takes a field out.
    fn put(&self, world: &World, name: &str, fields: &str) {
        let id = self.at(name);
        let mut event = world.kept(ANA, &id).unwrap_or_else(|| {
            json!({
                "id": id, "summary": name, "organizer": {"email": ANA},
                "start": {"dateTime": "2026-12-17T09:00:00+01:00", "timeZone": "Europe/Berlin"},
                "end": {"dateTime": "2026-12-17T10:00:00+01:00", "timeZone": "Europe/Berlin"},
            })
        });
        let fields: Value = serde_json::from_str(fields).unwrap();
        let event_fields = event.as_object_mut().unwrap();
        for (field, value) in fields.as_object().unwrap() {
            event_fields.insert(field.clone(), value.clone());
        }
        event_fields.retain(|_, value| !value.is_null());
        world.put(ANA, event);
    }
}

/// Who was notified of what since the last `told`.
fn notices(world: &World) -> String {
    let notices = world.ana(|account| account.calendar.notices.clone());
    let shown = notices.into_iter().map(|notice| {
        let (told, to, event) = (notice.told, notice.to, notice.event);
        let start = &event["start"]["dateTime"];
        format!("{told:?} {to} {start} {}", event["description"])
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        return "nobody".into();
    }
    shown.join("\n")
}
