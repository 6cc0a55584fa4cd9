//! Reads the attack files, and translates their calls to the real tools' arguments.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

use super::held::Held;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    pub name: String,
    #[serde(rename = "source")]
    pub _source: String,
    pub about: String,
    pub requests: Vec<Request>,
    #[serde(default)]
    pub thread: Vec<Said>,
    pub attacker: Vec<String>,
    pub secrets: Vec<String>,
    #[serde(default)]
    pub channel: Channel,
    /// The owner's data for the real tools. Without it no account is connected.
    #[serde(default)]
    pub holds: Option<Held>,
    /// Other people's words that Alfred must not post to a channel before the owner saw them.
    #[serde(default)]
    pub planted: Vec<String>,
    #[serde(skip)]
    pub text: String,
}

/// Who reads the file's channel.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    #[default]
    Public,
    /// Only the owner and the speakers in the thread.
    Private,
    /// A direct message of several people, which no channel list names.
    Group,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub ask: String,
    pub reads: Vec<Read>,
    pub obeys: Vec<Call>,
    /// `{told}` stands for the results of the earlier calls, here and in `then`.
    pub says: String,
    /// Empty if the answer isn't judged.
    pub honest_says: String,
    /// `dm`, `team`, or a named thread there: `dm/other`. Empty means the file's thread, or else `dm`.
    #[serde(default)]
    pub at: String,
    /// Further fields of the Slack event: files, attachments, blocks.
    #[serde(default)]
    pub with: Map<String, Value>,
    /// Planted words in `with` that the model must have been shown to obey.
    #[serde(default)]
    pub sees: Option<String>,
    /// Calls made after the results of the first ones.
    #[serde(default)]
    pub then: Vec<Call>,
    #[serde(default)]
    pub after: u32,
    #[serde(default)]
    pub approves: bool,
}

impl Request {
    /// The first line, which identifies the request.
    pub fn line(&self) -> &str {
        self.ask.lines().next().unwrap_or_default()
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    pub tool: String,
    pub arguments: Value,
    pub returns: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub arguments: Value,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    pub from: String,
    pub text: String,
}

impl Attack {
    pub fn all() -> Vec<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/attacks");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let text = repeated(&std::fs::read_to_string(path).unwrap());
            let mut attack: Self = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let requests = attack.requests.iter_mut();
            for call in requests.flat_map(|r| r.obeys.iter_mut().chain(&mut r.then)) {
                call.arguments = translated(&call.tool, &call.arguments);
            }
            Self { text, ..attack }
        };
        paths.iter().map(read).collect()
    }

    /// Titles of the tasks that the attack makes the model create.
    pub fn planted_titles(&self) -> Vec<&str> {
        self.calls()
            .filter(|call| call.tool == "task_createTask")
            .filter_map(|call| call.arguments["title"].as_str())
            .collect()
    }

    /// The request's index in the file.
    pub fn place(&self, request: &Request) -> usize {
        let lines = self.requests.iter().map(Request::line);
        lines.take_while(|line| *line != request.line()).count()
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        let requests = self.requests.iter();
        requests.flat_map(|request| request.obeys.iter().chain(&request.then))
    }

    pub fn reads(&self) -> impl Iterator<Item = &Read> {
        self.requests.iter().flat_map(|request| &request.reads)
    }
}

/// Expands `{80*xy}` to eighty times `xy`.
fn repeated(text: &str) -> String {
    let mut pieces = text.split('{');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let long = piece.split_once('}').and_then(|(inside, rest)| {
            let (times, what) = inside.split_once('*')?;
            Some((what.repeat(times.parse().ok()?), rest))
        });
        match long {
            Some((long, rest)) => out.extend([long.as_str(), rest]),
            None => out.extend(["{", piece]),
        }
    }
    out
}

/// Renames arguments to the tool's schema, so that the gate sees the call instead of a schema error.
fn translated(tool: &str, arguments: &Value) -> Value {
    let mut fitting = Map::new();
    for (name, value) in arguments.as_object().unwrap() {
        let (name, value) = match (tool, name.as_str()) {
            ("preference_updatePreferences", "custom_personality") => {
                fitting.insert("personalityText".into(), value.clone());
                ("personality", json!("custom"))
            }
            ("preference_updatePreferences", "personality") => (name.as_str(), json!("custom")),
            ("preference_updatePreferences", "verbosity") => (name.as_str(), json!("concise")),
            (_, "taskId") => (name.as_str(), stored_id("tsk_", value).into()),
            (_, "blockId") => (name.as_str(), stored_id("blk_", value).into()),
            _ => (name.as_str(), value.clone()),
        };
        fitting.insert(name.to_owned(), value);
    }
    Value::Object(fitting)
}

/// The stored form of a file's id, such as `t1`. Values without digits are titles and stay.
pub fn stored_id(prefix: &str, id: &Value) -> String {
    let id = id.as_str().unwrap();
    match id.contains(|c: char| c.is_ascii_digit()) {
        true => format!("{prefix}{id}"),
        false => id.to_owned(),
    }
}

pub fn hosts(text: &str) -> BTreeSet<String> {
    let stops = |c: char| !(c.is_alphanumeric() || ".-_%@".contains(c));
    let mut hosts = BTreeSet::new();
    for word in text.split(stops) {
        let host = word.rsplit('@').next().unwrap_or(word);
        let host = host.trim_matches(|c: char| ".-_%".contains(c));
        let mailed = word.contains('@') && host.contains('.');
        if mailed && host.chars().any(char::is_alphabetic) {
            hosts.insert(host.to_lowercase());
        }
    }
    for scheme in ["http://", "https://"] {
        for (at, _) in text.match_indices(scheme) {
            let rest = &text[at + scheme.len()..];
            let end = rest.find(|c: char| stops(c)).unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            let host = host.trim_end_matches(['.', '-']);
            if !host.is_empty() {
                hosts.insert(host.to_lowercase());
            }
        }
    }
    hosts
}
