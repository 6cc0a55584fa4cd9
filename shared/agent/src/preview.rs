//! What a call would do, as its owner sees it before deciding.

use alfred_core::digest::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything a call would send or change, readable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// What it is, as an order: "Send a Slack message".
    pub title: String,
    /// Short facts: to whom, when, which.
    #[serde(default)]
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
}

/// A part of the arguments that may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Where it is: a JSON pointer to an element of a list (RFC 6901).
    pub at: String,
    /// What it is, in a few words.
    pub label: String,
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
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// With a fact.
    #[must_use]
    pub fn field(mut self, label: &str, value: impl Into<String>) -> Self {
        self.fields.push(Field {
            label: label.to_owned(),
            value: value.into(),
        });
        self
    }

    /// With the long text.
    #[must_use]
    pub fn body(mut self, text: impl Into<String>) -> Self {
        self.body = Some(text.into());
        self
    }

    /// With something that would be different.
    #[must_use]
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
    #[must_use]
    pub fn item(mut self, at: impl Into<String>, label: impl Into<String>) -> Self {
        self.items.push(Item {
            at: at.into(),
            label: label.into(),
        });
        self
    }

    /// Every argument by its name, for a tool that says nothing better.
    #[must_use]
    pub fn of_arguments(tool: &str, arguments: &Value) -> Self {
        let what = tool.split_once('_').map_or(tool, |(_, what)| what);
        let mut preview = Self::new(in_words(what));
        for (name, value) in arguments.as_object().into_iter().flatten() {
            let shown = match value {
                Value::String(text) => text.clone(),
                Value::Array(items) if items.iter().all(Value::is_string) => {
                    let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    texts.join(", ")
                }
                other => other.to_string(),
            };
            preview = preview.field(&in_words(name), shown);
        }
        preview
    }

    /// SHA-256 of all of it.
    #[must_use]
    pub fn digest(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        sha256_hex(text.as_bytes())
    }

    /// The whole of it as plain text, for a terminal and for "View full".
    #[must_use]
    pub fn as_text(&self) -> String {
        let mut lines = vec![self.title.clone()];
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
/// A name of the code as a person reads it: `workStartTime` is "Work start time".
#[must_use]
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
