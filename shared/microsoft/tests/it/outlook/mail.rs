//! Messages: whole resources by id, in folders whose ids hold their names.

use alfred_core::ports::Clock;
use alfred_testkit::ManualClock;
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::asked::Asked;
use super::{ANA, Answer, Calendar, each, error, mime, recorded, text};

const FOLDERS: &str = "inbox archive drafts sentitems deleteditems junkemail";
/// The most of a file that is given whole, and the step of larger ones
/// (<https://learn.microsoft.com/graph/outlook-large-attachments>).
const WHOLE: usize = 3 * 1024 * 1024;
const STEP: usize = 320 * 1024;

#[derive(Default)]
pub struct Mailbox {
    pub clock: ManualClock,
    pub calendar: Calendar,
    /// Whether a draft that is sent gets another `Message-ID` than it was written with.
    pub replaces_message_id: bool,
    /// Whether what is sent stays a draft until `finish_sending`.
    pub sends_later: bool,
    /// Twice the same included.
    pub times_sent: usize,
    pub messages: BTreeMap<String, Value>,
    /// What arrived, by id (RFC 5322).
    raw: BTreeMap<String, String>,
    submitted: BTreeSet<String>,
    /// What was consented to.
    pub scope: String,
    sequence: usize,
}

/// An id is malformed, or nothing has it.
pub fn unknown(id: &str) -> Answer {
    if id.starts_with("AAkALg") {
        error(404, "ErrorItemNotFound")
    } else {
        error(400, "ErrorInvalidIdMalformed")
    }
}

/// The id of a folder, by its id or name.
fn folder(name: &str) -> Option<String> {
    let name = name.trim_start_matches("AQMkAD-");
    let known = FOLDERS.split(' ').any(|known| known == name);
    known.then(|| format!("AQMkAD-{name}"))
}

/// Writes fields into a resource. Extended properties that aren't named stay.
pub fn merge(resource: &mut Value, fields: &Value) {
    for (name, value) in fields.as_object().unwrap() {
        let mut value = value.clone();
        if name == "singleValueExtendedProperties" {
            let named: Vec<&str> = each(&fields[name]).map(|one| text(&one["id"])).collect();
            let others = each(&resource[name]).filter(|one| !named.contains(&text(&one["id"])));
            value.as_array_mut().unwrap().extend(others.cloned());
        }
        resource[name] = value;
    }
}

/// Whether a filter asks for an extended property that the resource has.
pub fn has_property(resource: &Value, filter: &str) -> bool {
    each(&resource["singleValueExtendedProperties"]).any(|property| {
        let (id, value) = (text(&property["id"]), text(&property["value"]));
        let asked = format!("Any(ep: ep/id eq '{id}' and ep/value eq '{value}')");
        filter == format!("singleValueExtendedProperties/{asked}")
    })
}

fn fits(message: &Value, filter: &str) -> bool {
    if filter.starts_with("singleValueExtendedProperties") {
        return has_property(message, filter);
    }
    let mut terms = filter.split(" and ").filter(|term| !term.is_empty());
    terms.all(|term| {
        let words: Vec<&str> = term.splitn(3, ' ').collect();
        let known = message[words[0]].to_string().replace('"', "");
        let value = words[2].trim_matches('\'').replace("''", "'");
        match words[1] {
            "eq" => known == value,
            "ge" => known >= value,
            "le" => known <= value,
            other => panic!("{other} in {filter}"),
        }
    })
}

/// Whether all phrases of a search are found.
fn found(message: &Value, search: &str) -> bool {
    let search = search.trim_matches('"').to_lowercase();
    let mut clauses = search.split(" and ").filter(|clause| !clause.is_empty());
    clauses.all(|clause| {
        let (fields, phrase) = match clause.split_once(":\\\"") {
            Some(("from", phrase)) => ("from", phrase),
            Some(("to", phrase)) => ("toRecipients", phrase),
            _ => ("from toRecipients subject body", clause),
        };
        let fields = fields.split(' ').map(|name| message[name].to_string());
        let phrase = phrase.replace(['\\', '"'], "");
        fields.collect::<String>().to_lowercase().contains(&phrase)
    })
}

impl Mailbox {
    pub fn new(clock: ManualClock) -> Self {
        Self {
            clock,
            ..Self::default()
        }
    }

    /// A mail (RFC 5322) arrives. Gives its id.
    pub fn deliver(&mut self, raw: &str, into: &str, fields: Value) -> String {
        let mut message = mime::read(raw);
        merge(&mut message, &fields);
        let id = self.add(message, into);
        self.raw.insert(id.clone(), raw.to_owned());
        id
    }

    /// The ids of what is in a folder, oldest first.
    pub fn in_folder(&self, name: &str) -> Vec<String> {
        let there = self.messages.iter();
        let there = there.filter(|(_, message)| message["parentFolderId"] == folder(name).unwrap());
        there.map(|(id, _)| id.clone()).collect()
    }

    /// What was sent leaves the drafts.
    pub fn finish_sending(&mut self) {
        let now = self.now();
        for id in std::mem::take(&mut self.submitted) {
            let number = self.next();
            let Some(message) = self.messages.get_mut(&id) else {
                continue;
            };
            merge(
                message,
                &json!({
                    "isDraft": false, "changeKey": number, "parentFolderId": folder("sentitems"),
                    "sentDateTime": now, "receivedDateTime": now,
                }),
            );
            if self.replaces_message_id {
                message["internetMessageId"] = json!(format!("<DB9PR{number}@outlook.example>"));
            }
        }
    }

    /// A draft or mail is changed, elsewhere or by the client.
    pub fn change(&mut self, id: &str, fields: &Value) -> Result<&Value, Answer> {
        let version = self.next();
        let message = self.messages.get_mut(id).ok_or_else(|| unknown(id))?;
        merge(message, fields);
        message["changeKey"] = json!(version);
        Ok(message)
    }

    /// What the identity platform gives for any code and refresh token.
    pub fn token(&mut self, form: &BTreeMap<String, String>) -> Value {
        let claims = json!({"aud": form["client_id"], "preferred_username": ANA});
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
        let number = self.next();
        json!({
            "token_type": "Bearer",
            "access_token": format!("EwB{number}"),
            "expires_in": 3599,
            "scope": self.scope,
            "refresh_token": format!("M.C5{number}"),
            "id_token": format!("e30.{claims}."),
        })
    }

    pub fn answer(&mut self, asked: &Asked) -> Result<Value, Answer> {
        match asked.call.name {
            _ if !asked.is_permitted() => Err(error(403, "ErrorAccessDenied")),
            name if name.starts_with("events.") || name.starts_with("calendar") => {
                self.calendar.answer(asked)
            }
            "me.get" => Ok(recorded("user")),
            "mailboxSettings.get" => {
                let mut settings = recorded("settings");
                settings["timeZone"] = json!(self.calendar.zone);
                Ok(settings)
            }
            _ => self.mail(asked),
        }
    }

    fn mail(&mut self, asked: &Asked) -> Result<Value, Answer> {
        let (id, body) = (asked.id(2), &asked.body);
        Ok(match asked.call.name {
            "mailFolders.get" => {
                let mut shown = recorded("folder");
                shown["id"] = json!(folder(id).ok_or_else(|| unknown(id))?);
                shown
            }
            "mailFolders.messages.get" => {
                let message = self.message(asked.id(4))?;
                let there = folder(id).is_some_and(|id| message["parentFolderId"] == id);
                let message = there.then(|| message.clone());
                message.ok_or_else(|| unknown("AAkALg"))?
            }
            "messages.get" => self.message(id)?.clone(),
            "messages.mime" => match self.raw.get(id) {
                Some(raw) => json!(raw),
                None => json!(mime::written(self.message(id)?)),
            },
            "messages.create" => self.draft(body),
            "messages.createReply" => {
                let reply = mime::reply(self.message(id)?, &body["message"]);
                self.draft(&reply)
            }
            "messages.patch" => self.change(id, body)?.clone(),
            "messages.delete" => {
                self.change(id, &json!({"parentFolderId": folder("deleteditems")}))?;
                Value::Null
            }
            "messages.move" => {
                let to = folder(text(&body["destinationId"]));
                let to = to.ok_or_else(|| error(404, "ErrorFolderNotFound"))?;
                self.change(id, &json!({"parentFolderId": to}))?.clone()
            }
            "messages.list" | "messages.find" => self.list(asked)?,
            "messages.send" => self.send(id)?,
            "attachments.create" => {
                let content = text(&body["contentBytes"]);
                if BASE64_STANDARD.decode(content).unwrap().len() > WHOLE {
                    return Err(error(413, "ErrorMessageSizeExceeded"));
                }
                self.attach(id, body.clone())?;
                body.clone()
            }
            "attachments.createUploadSession" => {
                self.attach(id, body["AttachmentItem"].clone())?;
                let mut session = recorded("session");
                session["uploadUrl"] =
                    json!(format!("http://{}/upload/{id}", asked.header("host")));
                session
            }
            _ => self.upload(asked)?,
        })
    }

    fn list(&self, asked: &Asked) -> Result<Value, Answer> {
        let within = match asked.call.name {
            "messages.find" => None,
            _ => Some(folder(asked.id(2)).ok_or_else(|| error(404, "ErrorFolderNotFound"))?),
        };
        let (filter, search) = (asked.query("$filter"), asked.query("$search"));
        let mut all: Vec<Value> = self.messages.values().cloned().collect();
        all.retain(|message| {
            let there = within
                .as_ref()
                .is_none_or(|id| message["parentFolderId"] == *id);
            there && fits(message, filter) && found(message, search)
        });
        let order =
            |message: &Value| ["receivedDateTime", "id"].map(|name| message[name].to_string());
        all.sort_by_key(|message| std::cmp::Reverse(order(message)));
        Ok(asked.page(&all))
    }

    fn message(&self, id: &str) -> Result<&Value, Answer> {
        self.messages.get(id).ok_or_else(|| unknown(id))
    }

    fn draft(&mut self, fields: &Value) -> Value {
        let mut message = recorded("message");
        let number = self.next();
        message["internetMessageId"] = json!(format!("<AM0PR{number}@outlook.example>"));
        merge(&mut message, fields);
        let id = self.add(message, "drafts");
        self.messages[&id].clone()
    }

    fn send(&mut self, id: &str) -> Result<Value, Answer> {
        if self.message(id)?["isDraft"] != true {
            return Err(error(400, "ErrorInvalidOperation"));
        }
        self.times_sent += 1;
        self.submitted.insert(id.to_owned());
        if !self.sends_later {
            self.finish_sending();
        }
        Ok(Value::Null)
    }

    fn attach(&mut self, id: &str, file: Value) -> Result<(), Answer> {
        let mut files = self.message(id)?["attachments"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        files.push(file);
        self.change(id, &json!({"attachments": files, "hasAttachments": true}))?;
        Ok(())
    }

    /// A part of the draft's last file, next to the one before.
    fn upload(&mut self, asked: &Asked) -> Result<Value, Answer> {
        let id = asked.id(1);
        let mut files = self.message(id)?["attachments"].clone();
        let file = files.as_array_mut().unwrap().last_mut().unwrap();
        let mut content = BASE64_STANDARD.decode(text(&file["contentBytes"])).unwrap();
        let (from, size) = (content.len(), file["size"].clone());
        content.extend(&asked.bytes);
        let to = content.len();
        let range = format!("bytes {from}-{}/{size}", to - 1);
        let fits = size == to || asked.bytes.len().is_multiple_of(STEP);
        if asked.header("content-range") != range || !fits {
            return Err(error(416, "InvalidRange"));
        }
        file["contentBytes"] = json!(BASE64_STANDARD.encode(content));
        self.change(id, &json!({"attachments": files}))?;
        if size == to {
            return Ok(Value::Null);
        }
        Ok(json!({"nextExpectedRanges": [format!("{to}-")]}))
    }

    fn add(&mut self, mut message: Value, into: &str) -> String {
        let number = self.next();
        let id = format!("AAkALgAAAAAAHYQDEapmEc2byACqAC-EWg0A{number}");
        message["id"] = json!(id);
        message["changeKey"] = json!(number);
        message["parentFolderId"] = json!(folder(into));
        self.messages.insert(id.clone(), message);
        id
    }

    /// Counts what is made and changed. The digits sort as the numbers do.
    fn next(&mut self) -> String {
        self.sequence += 1;
        format!("{:06}", self.sequence)
    }

    fn now(&self) -> String {
        self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}
