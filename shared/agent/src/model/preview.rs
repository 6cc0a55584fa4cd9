//! Previews: what a call would do, as shown to its owner before the decision.

use alfred_core::digest::sha256_hex;
use alfred_core::{Failure, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const MOST_PEOPLE: usize = 300;
const MOST_NAMED: usize = 30_000;
const MOST_SHOWN: usize = 100_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// The action as an imperative: "Send a Slack message".
    pub title: String,
    /// The card lists all of them.
    pub audience: Option<Audience>,
    pub fields: Vec<Field>,
    pub body: Option<String>,
    pub changes: Vec<Change>,
    /// Parts that the owner may drop one by one.
    pub items: Vec<Item>,
    pub answers: Option<Answers>,
    /// Digests of content that no card can show, such as files.
    pub bound: Vec<String>,
    /// Without any, all arguments may be edited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audience {
    /// Their role: "To", "With".
    pub label: String,
    pub people: Vec<Addressee>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Addressee {
    /// With enough detail to rule out namesakes.
    pub shown: String,
    /// The address or Slack id, which makes the digest unambiguous.
    pub id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// JSON pointer (RFC 6901) to an element of a list in the arguments.
    pub at: String,
    pub label: String,
}

/// How the edit form shows an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub argument: String,
    /// The card's name for it, or empty to show the argument's name in words.
    pub label: String,
    /// The values to choose from. Without any, the argument is edited as text.
    pub choices: Vec<InputChoice>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputChoice {
    pub value: String,
    pub label: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    pub yes: String,
    pub no: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub label: String,
    pub value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub label: String,
    pub before: String,
    pub after: String,
}

impl From<(&str, &str)> for InputChoice {
    fn from((value, label): (&str, &str)) -> Self {
        let (value, label) = (value.to_owned(), label.to_owned());
        Self { value, label }
    }
}

impl Preview {
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    pub fn reaching(mut self, label: &str, people: Vec<Addressee>) -> Self {
        let label = label.to_owned();
        self.audience = (!people.is_empty()).then_some(Audience { label, people });
        self
    }

    pub fn field(mut self, label: &str, value: impl Into<String>) -> Self {
        let (label, value) = (label.to_owned(), value.into());
        self.fields.push(Field { label, value });
        self
    }

    pub fn any(self, label: &str, value: impl Into<String>) -> Self {
        let value = value.into();
        if value.is_empty() {
            return self;
        }
        self.field(label, value)
    }

    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.body = Some(text.into()).filter(|text| !text.is_empty());
        self
    }

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

    pub fn item(mut self, at: impl Into<String>, label: impl Into<String>) -> Self {
        let (at, label) = (at.into(), label.into());
        self.items.push(Item { at, label });
        self
    }

    pub fn answered(mut self, yes: &str, no: &str) -> Self {
        let (yes, no) = (yes.to_owned(), no.to_owned());
        self.answers = Some(Answers { yes, no });
        self
    }

    pub fn input(mut self, argument: &str, label: &str, choices: &[(&str, &str)]) -> Self {
        self.inputs.push(Input {
            argument: argument.to_owned(),
            label: label.to_owned(),
            choices: choices.iter().copied().map(InputChoice::from).collect(),
        });
        self
    }

    /// Lets every argument of a schema be edited, and offers the values that it lists.
    pub fn editable(mut self, schema: &Value) -> Self {
        for (name, argument) in schema["properties"].as_object().into_iter().flatten() {
            let values = argument["enum"].as_array().into_iter().flatten();
            // Limits of Slack's menus.
            let fits = |value: &&str| (1..=150).contains(&value.len());
            let values = values.filter_map(Value::as_str).filter(fits).take(100);
            let values: Vec<(&str, String)> = values.map(|it| (it, in_words(it))).collect();
            let choices = values.iter().map(|(value, label)| (*value, &**label));
            let choices: Vec<_> = choices.collect();
            if self.inputs.iter().all(|input| input.argument != *name) {
                self = self.input(name, "", &choices);
            }
        }
        self
    }

    pub fn bound(mut self, digests: impl IntoIterator<Item = String>) -> Self {
        self.bound.extend(digests);
        self
    }

    /// `task_createTask` becomes "Create task".
    pub fn title_of(tool: &str) -> String {
        in_words(tool.split_once('_').map_or(tool, |(_, what)| what))
    }

    /// Every argument by name, for tools without their own preview.
    pub fn of_arguments(tool: &str, arguments: &Value) -> Self {
        let mut preview = Self::new(Self::title_of(tool));
        for (name, value) in arguments.as_object().into_iter().flatten() {
            preview = preview.field(&in_words(name), argument(value));
        }
        preview
    }

    /// Fails with a message for the caller if it is too long for a person to read.
    pub fn check(&self) -> Result<(), String> {
        let people = self.audience.as_ref().map_or(&[][..], |of| &of.people);
        let named: usize = people.iter().map(|one| one.shown.chars().count()).sum();
        if people.len() > MOST_PEOPLE || named > MOST_NAMED {
            let many = people.len();
            return Err(format!(
                "this reaches {many} people, more than the person could look through on a card, so it isn't asked and isn't done. Reach fewer at once, or let the person do it themselves."
            ));
        }
        match self.as_text().chars().count() {
            0..=MOST_SHOWN => Ok(()),
            more => Err(format!(
                "this has {more} characters, more than the person could look through before deciding, so it isn't asked and isn't done. Make it shorter, or do it in parts."
            )),
        }
    }

    pub fn in_short(&self) -> String {
        let people = self.audience.as_ref().map_or(&[][..], |of| &of.people);
        let who = people.first().map(|one| match people.len() {
            1 => one.shown.clone(),
            all => format!("{} and {} more", one.shown, all - 1),
        });
        let what = || self.fields.first().map(|field| field.value.clone());
        let removed = self.changes.first().filter(|it| it.after.is_empty());
        let gone = || removed.map(|it| it.before.clone());
        match who.or_else(what).or_else(gone) {
            Some(about) => format!("{}: {about}", self.title),
            None => self.title.clone(),
        }
    }

    pub fn digest(&self) -> Result<String> {
        let text = serde_json::to_string(self).map_err(Failure::bug)?;
        Ok(sha256_hex(text.as_bytes()))
    }

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
        lines.extend(self.body.iter().map(|body| format!("\n{body}")));
        lines.join("\n")
    }
}

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

/// `workStartTime` becomes "Work start time".
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

/// Whether an argument of this name holds an id.
pub(crate) fn points(name: &str) -> bool {
    name == "id" || name.ends_with("Id") || name.ends_with("Ids")
}
