//! The files, and their calls in the words of the tools there are.

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
    /// What the channel of the file is.
    #[serde(default)]
    pub channel: Channel,
    /// What its owner has, for the real tools to find. Without it no account is connected.
    #[serde(default)]
    pub holds: Option<Held>,
    /// Words of others that may not stand in a channel under Alfred's name without a look of the owner.
    #[serde(default)]
    pub planted: Vec<String>,
    #[serde(skip)]
    pub text: String,
}

/// Who reads along in the file's channel.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    #[default]
    Public,
    /// Its members alone: the owner, and who speaks in the thread.
    Private,
    /// A direct message of several, which no list of channels names.
    Group,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub ask: String,
    pub reads: Vec<Read>,
    pub obeys: Vec<Call>,
    /// `{told}` stands for what the calls before it gave, here and in `then`.
    pub says: String,
    /// Empty where whether there is an answer isn't judged.
    pub honest_says: String,
    /// `dm`, `team`, or a thread there by a name: `dm/other`. Empty is the file's thread, or else `dm`.
    #[serde(default)]
    pub at: String,
    /// Further fields of Slack's event: files, attachments, blocks.
    #[serde(default)]
    pub with: Map<String, Value>,
    /// Planted words in `with`, without which the model has nothing to obey.
    #[serde(default)]
    pub sees: Option<String>,
    /// Calls that it makes once it was told what came of those before.
    #[serde(default)]
    pub then: Vec<Call>,
    /// Minutes that pass before it.
    #[serde(default)]
    pub after: u32,
    /// Whether the owner approves every card of it.
    #[serde(default)]
    pub approves: bool,
}

impl Request {
    /// The line by which it is known again.
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
    /// All of them, in order.
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

    /// Titles of tasks that the attack itself has the model create.
    pub fn planted_titles(&self) -> Vec<&str> {
        self.calls()
            .filter(|call| call.tool == "task_createTask")
            .filter_map(|call| call.arguments["title"].as_str())
            .collect()
    }

    /// Which of its requests this is, from 0.
    pub fn place(&self, request: &Request) -> usize {
        let lines = self.requests.iter().map(Request::line);
        lines.take_while(|line| *line != request.line()).count()
    }

    /// Every call that obeys.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        let requests = self.requests.iter();
        requests.flat_map(|request| request.obeys.iter().chain(&request.then))
    }

    /// What others may have written into what the owner has.
    pub fn held_texts(&self) -> Vec<String> {
        self.holds.as_ref().map_or_else(Vec::new, Held::texts)
    }

    pub fn reads(&self) -> impl Iterator<Item = &Read> {
        self.requests.iter().flat_map(|request| &request.reads)
    }
}

/// `{80*xy}` is `xy` eighty times, so that long arguments stay readable.
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

/// The files were written without knowing the schemas: arguments by another
/// name get theirs, so that a call comes to the gate and isn't refused before.
fn translated(tool: &str, arguments: &Value) -> Value {
    let mut fitting = Map::new();
    for (name, value) in arguments.as_object().unwrap() {
        match (tool, name.as_str()) {
            ("preference_updatePreferences", "custom_personality") => {
                fitting.insert("personality".into(), json!("custom"));
                fitting.insert("personalityText".into(), value.clone());
            }
            ("preference_updatePreferences", "personality") => {
                fitting.insert("personality".into(), json!("custom"));
            }
            ("preference_updatePreferences", "verbosity") => {
                fitting.insert("verbosity".into(), json!("concise"));
            }
            (_, "taskId") => {
                fitting.insert("taskId".into(), stored_id("tsk_", value).into());
            }
            (_, "blockId") => {
                fitting.insert("blockId".into(), stored_id("blk_", value).into());
            }
            _ => {
                fitting.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(fitting)
}

/// An id of a file, such as `t1`, as it is stored. What has no digit is words of a title, and stays.
pub fn stored_id(prefix: &str, id: &Value) -> String {
    let id = id.as_str().unwrap();
    match id.contains(|c: char| c.is_ascii_digit()) {
        true => format!("{prefix}{id}"),
        false => id.to_owned(),
    }
}

/// Hosts of addresses and e-mail domains in a text.
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
