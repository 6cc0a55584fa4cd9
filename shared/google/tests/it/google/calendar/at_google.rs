//! What the cases of `calendar.txt` change at Google, or look at there.

use alfred_core::id::EventId;
use alfred_google_local::Account as GoogleAccount;
use serde_json::{Value, json};
use std::time::Duration;

use super::calls::Played;
use crate::google::support::{ANA, fault};

impl Played {
    /// Changes something at Google, or looks at it.
    pub(super) fn at_google(&self, call: &[&str]) -> String {
        let world = &self.world;
        match *call {
            ["put", name, fields] => self.put(name, fields),
            ["crowd", name, number] => {
                let guests = 1..=number.parse().unwrap();
                let guests = guests.map(|n: u32| {
                    json!({"email": format!("p{n}@example.com"), "responseStatus": "accepted"})
                });
                let own = json!({"email": ANA, "responseStatus": "needsAction"});
                let all: Vec<Value> = guests.chain([own]).collect();
                self.put(name, &json!({"attendees": all}).to_string());
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
            ["told"] => return self.told(),
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
            ["fail", method, times, ref words @ ..] => {
                let method = format!("calendar.{method}").replace("calendar.*", "*");
                let times = times.parse().unwrap();
                world.local().fail_next(&method, times, fault(words));
            }
            ["wait", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                world.clock.advance(seconds);
            }
            ["calls", method] => return world.calls(&format!("calendar.{method}")).to_string(),
            _ => panic!("no call {call:?}"),
        }
        String::new()
    }

    fn at(&self, name: &str) -> EventId {
        self.named(name)
            .unwrap_or_else(|| name.to_lowercase().into())
    }

    /// Adds an event of Ana's on 17 December, or changes these fields of one; `null` takes a field out.
    fn put(&self, name: &str, fields: &str) {
        let id = self.at(name);
        let mut event = self.world.kept(ANA, &id).unwrap_or_else(|| {
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
        self.world.put(ANA, event);
    }

    /// Who was notified of what since the last look.
    fn told(&self) -> String {
        let calendar = |account: &mut GoogleAccount| std::mem::take(&mut account.calendar.notices);
        let notices = self.world.ana(calendar).into_iter();
        let shown = notices.map(|notice| {
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
}
