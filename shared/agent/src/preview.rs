//! What a call would do, as its owner sees it before deciding.

use alfred_core::digest::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// People a card names: more are several screens.
const MOST_PEOPLE: usize = 300;
/// Characters of all their names together.
const MOST_NAMED: usize = 30_000;
/// Characters of all that "View full" shows.
const MOST_SHOWN: usize = 100_000;

/// Everything a call would send or change, readable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// What it is, as an order: "Send a Slack message".
    pub title: String,
    /// Whom it reaches. A card never leaves one out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<Audience>,
    /// Short facts: when, which.
    pub fields: Vec<Field>,
    /// The long text that is sent or stored, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What is there now and would be different.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Parts of the arguments that its owner may leave out one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// What its yes and its no say, where more than "Approve" and "Reject" can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// Digests of what no card can show: a file that changes isn't what was approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bound: Vec<String>,
}

/// Whom a call reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audience {
    /// What they are to it: "To", "With".
    pub label: String,
    /// Each of them.
    pub people: Vec<Addressee>,
}

/// Somebody a call reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressee {
    /// As the owner knows them, with what makes it this one and no namesake.
    pub shown: String,
    /// The address or the Slack id. No card shows the latter; it tells namesakes apart in what was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A part of the arguments that may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Where it is: a JSON pointer to an element of a list (RFC 6901).
    pub at: String,
    /// What it is, in a few words.
    pub label: String,
}

/// The two answers to a card, in our own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// On the button that lets it run.
    pub yes: String,
    /// On the other one.
    pub no: String,
}

/// A short fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// What it is.
    pub label: String,
    /// Its value, whole.
    pub value: String,
}

/// Something that would be different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What changes.
    pub label: String,
    /// As it is; empty for something new.
    pub before: String,
    /// As it would be; empty for something that goes.
    pub after: String,
}

impl Preview {
    /// With a title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// With those whom it reaches; nobody where the list is empty.
    pub fn reaching(mut self, label: &str, people: Vec<Addressee>) -> Self {
        self.audience = (!people.is_empty()).then(|| Audience {
            label: label.to_owned(),
            people,
        });
        self
    }

    /// With a fact.
    pub fn field(mut self, label: &str, value: impl Into<String>) -> Self {
        self.fields.push(Field {
            label: label.to_owned(),
            value: value.into(),
        });
        self
    }

    /// With a fact, if there is one: an empty value is none.
    pub fn any(self, label: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        match value.is_empty() {
            true => self,
            false => self.field(label, value),
        }
    }

    /// With the long text, if there is one.
    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.body = Some(text.into()).filter(|text| !text.is_empty());
        self
    }

    /// With something that would be different.
    pub fn change(
        mut self,
        label: &str,
        before: impl Into<String>,
        after: impl Into<String>,
    ) -> Self {
        self.changes.push(Change {
            label: label.to_owned(),
            before: before.into(),
            after: after.into(),
        });
        self
    }

    /// With a part that may be left out.
    pub fn item(mut self, at: impl Into<String>, label: impl Into<String>) -> Self {
        self.items.push(Item {
            at: at.into(),
            label: label.into(),
        });
        self
    }

    /// With what the buttons say.
    pub fn answered(mut self, yes: &str, no: &str) -> Self {
        self.answers = Some(Answers {
            yes: yes.to_owned(),
            no: no.to_owned(),
        });
        self
    }

    /// Bound to contents that aren't shown, by their digests.
    pub fn bound(mut self, digests: impl IntoIterator<Item = String>) -> Self {
        self.bound.extend(digests);
        self
    }

    /// Every argument by its name, for a tool that says nothing better.
    pub fn of_arguments(tool: &str, arguments: &Value) -> Self {
        let what = tool.split_once('_').map_or(tool, |(_, what)| what);
        let mut preview = Self::new(in_words(what));
        for (name, value) in arguments.as_object().into_iter().flatten() {
            preview = preview.field(&in_words(name), argument(value));
        }
        preview
    }

    /// Whether its owner can be shown all of it.
    ///
    /// # Errors
    /// Words for whoever made the call, where it is more than anybody would read before deciding.
    pub fn check(&self) -> Result<(), String> {
        let people = self.audience.as_ref().map_or(&[][..], |of| &of.people);
        let named: usize = people.iter().map(|one| one.shown.chars().count()).sum();
        if people.len() > MOST_PEOPLE || named > MOST_NAMED {
            return Err(too_many_to_show(people.len()));
        }
        match self.as_text().chars().count() {
            0..=MOST_SHOWN => Ok(()),
            more => Err(too_much_to_show(more)),
        }
    }

    /// In a few words: what it is, and whom or what it is about.
    pub fn in_short(&self) -> String {
        let people = self.audience.as_ref().map_or(&[][..], |of| &of.people);
        let who = people.first().map(|one| match people.len() {
            1 => one.shown.clone(),
            all => format!("{} and {} more", one.shown, all - 1),
        });
        let what = || self.fields.first().map(|field| field.value.clone());
        let gone = || self.changes.first().filter(|it| it.after.is_empty());
        let gone = || gone().map(|it| it.before.clone());
        match who.or_else(what).or_else(gone) {
            Some(about) => format!("{}: {about}", self.title),
            None => self.title.clone(),
        }
    }

    /// SHA-256 of all of it.
    pub fn digest(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        sha256_hex(text.as_bytes())
    }

    /// The whole of it as plain text, for a terminal and for "View full".
    pub fn as_text(&self) -> String {
        let mut lines = vec![self.title.clone()];
        if let Some(audience) = &self.audience {
            let people: Vec<&str> = audience.people.iter().map(|one| &*one.shown).collect();
            lines.push(format!("{}: {}", audience.label, people.join(", ")));
        }
        for field in &self.fields {
            lines.push(format!("{}: {}", field.label, field.value));
        }
        for change in &self.changes {
            lines.push(match (change.before.as_str(), change.after.as_str()) {
                (before, "") => format!("- {}: {before}", change.label),
                ("", after) => format!("+ {}: {after}", change.label),
                (before, after) => format!("~ {}: {before} → {after}", change.label),
            });
        }
        if let Some(body) = &self.body {
            lines.push(String::new());
            lines.push(body.clone());
        }
        lines.join("\n")
    }
}

fn too_many_to_show(people: usize) -> String {
    format!(
        "this reaches {people} people, more than the person could look through on a card, so it isn't asked and isn't done. Reach fewer at once, or let the person do it themselves."
    )
}

fn too_much_to_show(characters: usize) -> String {
    format!(
        "this has {characters} characters, more than the person could look through before deciding, so it isn't asked and isn't done. Make it shorter, or do it in parts."
    )
}

/// An argument as a person reads it: texts as they are, anything else as JSON.
pub(crate) fn argument(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    }
}

/// A name of the code as a person reads it: `workStartTime` is "Work start time".
pub fn in_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        match letter {
            '_' => words.push(' '),
            letter if words.is_empty() => words.extend(letter.to_uppercase()),
            letter if letter.is_uppercase() => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            letter => words.push(letter),
        }
    }
    words
}
