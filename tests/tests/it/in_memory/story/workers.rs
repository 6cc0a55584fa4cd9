//! Workers, teams and their files.
//!
//! - `worker lead calls reader: FRONT MATTER` adds a worker whose instructions are "You are lead."; requests go to the
//!   first one. `settings TEXT` is the program's file. `beside m.js: TEXT` is a file that its workers use.
//! - `team data boss calls hand: FRONT MATTER` adds a worker to a team. `gone data` removes the team and its stored files.
//! - `file notes/a.md: text` puts a file into the program's folder, with the first bytes of its kind. `folder` is an
//!   empty one. `stored /a.md: text` is one of Ana's stored files, `stored by others /a.md: text` tainted.
//!   `without folders` plays a deployment that has none.
//! - `program` takes the workers from the folder, `example greeter` those of `tests/programs`, in a copy.
//! - `shop well` is an MCP server that behaves so; `SHOP` in front matter stands for its settings.
//! - `step` delivers one message. `deadline 70 s` is the time that a worker has for a message.
//! - A turn `→ @reader : words` is of the worker, the team or the step `plan`, `together`, `classifier`; `→ @foxes …` of
//!   whichever worker has the task `foxes`.
//! - Facts: `asked lead`: what the last request to a worker showed it. `asked lead: WORDS`: where these words are in it.
//!   `requests lead`: the number and the files of each. `tools lead`. `steps`: of the last run, with its levels.
//!   `parts`: the input of each team. `answers`: the messages but for the teams' progress. `file notes/a.md`, `stored /a.md`, `shop`: the calls that it got.

use alfred_agent::model::{Folder, Snapshot, Source};
use alfred_agent::{Program, RunInput};
use alfred_core::files::StoredFiles;
use alfred_core::keys;
use alfred_core::ports::{
    Clock, Files, Message, NoFolders, Store, TurnRequest, VirtualPath, Write,
};
use alfred_embedded::DiskFolders;
use alfred_testkit::mcp_server::McpServer;
use alfred_workers::mcp::{self, Host};
use alfred_workers::{Below, Registry};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

use super::Story;
use super::faults::duration;
use super::places::passage;
use super::script::player;
use crate::in_memory::world::team;

/// Letters of a text that are shown at each end.
const SHOWN: usize = 400;

/// The workers, teams and files of a story.
#[derive(Default)]
pub struct Crew {
    program: Snapshot,
    /// The program with what its servers offered at first.
    learned: Option<Snapshot>,
    teams: BTreeMap<String, Snapshot>,
    gone: BTreeSet<String>,
    folder: Option<(TempDir, PathBuf)>,
    shop: Option<McpServer>,
}

impl Crew {
    /// Adds `NAME calls A, B: FRONT`.
    fn hire(&self, program: &mut Snapshot, rest: &str) {
        let (head, front) = rest.split_once(": ").unwrap_or((rest, ""));
        let (name, called) = head.split_once(" calls ").unwrap_or((head, ""));
        let mut front = front.to_owned();
        if !called.is_empty() {
            front = format!("toolsets: {{workers: {{allowed_workers: [{called}]}}}}\n{front}");
        }
        if let Some(shop) = &self.shop {
            front = front.replace("SHOP", &shop.settings().to_string());
        }
        let text =
            format!("---\nname: {name}\ndescription: The {name}.\n{front}\n---\nYou are {name}.");
        program.workers.push(source(name, &text));
    }

    fn root(&mut self) -> &Path {
        let new = || {
            let folder = TempDir::new().unwrap();
            let root = folder.path().to_owned();
            (folder, root)
        };
        &self.folder.get_or_insert_with(new).1
    }

    fn put(&mut self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content(name, text)).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
        file.set_modified(long_ago).unwrap();
    }

    /// The program, and a copy of an example in the folder.
    fn find(&mut self, example: Option<&str>) {
        if let Some(name) = example {
            let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
            copy(&programs, self.root());
            let (_, root) = self.folder.as_mut().unwrap();
            root.push(name);
        }
        let folder = self.root().to_owned();
        let below = Below {
            folder: &folder,
            always: true,
            data: None,
        };
        self.program = alfred_workers::find(&folder, below).unwrap();
    }
}

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn works(&mut self, act: &str) -> bool {
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        let crew = &mut self.crew;
        match verb {
            "worker" => {
                let mut program = std::mem::take(&mut crew.program);
                crew.hire(&mut program, rest);
                crew.program = program;
                crew.program.name = "team".to_owned();
            }
            "settings" => crew.program.settings = Some(source("alfred.yaml", rest)),
            "beside" => {
                let (path, text) = rest.split_once(": ").unwrap();
                crew.program.beside.push(source(path, text));
            }
            "team" => {
                let (name, worker) = rest.split_once(' ').unwrap();
                let mut program = crew.teams.remove(name).unwrap_or_default();
                crew.hire(&mut program, worker);
                crew.teams.insert(name.to_owned(), program);
            }
            "gone" => {
                crew.gone.insert(rest.to_owned());
                self.forget(rest).await;
            }
            "step" => {
                let (queue, envelope) = self.world.next().unwrap();
                self.world.deliver_until_done(queue, envelope).await;
            }
            "folder" | "file" if verb == "folder" || rest.contains(": ") => {
                let (name, text) = rest.split_once(": ").unwrap_or((rest, ""));
                if verb == "file" {
                    crew.put(name, text);
                }
                let root = crew.root().to_str().unwrap().to_owned();
                let folder = Folder {
                    root,
                    readonly: false,
                };
                if crew.program.folder.replace(folder).is_none() {
                    self.world.spill();
                }
                self.world.work_in(DiskFolders::default());
            }
            "program" | "example" => {
                crew.find((verb == "example").then_some(rest));
                self.world.work_in(DiskFolders::default());
            }
            "without" => self.world.work_in(NoFolders),
            "stored" if rest.contains(": ") => self.store(rest).await,
            "shop" if !rest.is_empty() => {
                crew.shop = Some(McpServer::behaving(rest.to_owned().leak()))
            }
            "deadline" => self.world.deadline = Some(duration(rest)),
            _ => return false,
        }
        self.crew.learned = None;
        true
    }

    /// Lets the workers and teams take the requests that follow. Other settings make the world forget them.
    pub(super) async fn employ(&mut self) {
        let crew = &mut self.crew;
        if !crew.program.workers.is_empty() {
            let host = Host::one_machine();
            if crew.learned.is_none() {
                let mut learned = crew.program.clone();
                mcp::learn(&mut learned, &host).await.unwrap();
                crew.learned = Some(learned);
            }
            let learned = crew.learned.as_ref().unwrap();
            self.world.employ(bound(learned, host));
        }
        if !crew.teams.is_empty() {
            let there = crew.teams.iter();
            let there = there.filter(|(name, _)| !crew.gone.contains(*name));
            let there = there.map(|(name, program)| (name.clone(), program.clone()));
            self.world.found(there.collect::<Vec<_>>());
        }
    }

    /// Deletes the files that a team's runs had stored.
    async fn forget(&self, name: &str) {
        for run in self.world.runs().await {
            let is_meant = matches!(&run.input, RunInput::Team(input) if input.team == name);
            let key = keys::program(&team(), &run.id);
            if is_meant && self.world.store.get(&key).await.unwrap().is_some() {
                self.world.write(vec![Write::delete(key, None)]).await;
            }
        }
    }

    fn files(&self) -> StoredFiles {
        let store = self.world.ports.store.clone();
        StoredFiles::of(store, &team(), &"U1".into(), self.world.clock.now())
    }

    async fn store(&self, rest: &str) {
        let (path, text) = rest.split_once(": ").unwrap();
        let others = path.strip_prefix("by others ");
        let path = VirtualPath::parse(others.unwrap_or(path)).unwrap();
        let files = self.files();
        let writes = files.write(&path, text.as_bytes(), others.is_some()).await;
        self.world.write(writes.unwrap()).await;
    }

    pub(super) async fn worker_fact(&mut self, fact: &str) -> Option<Vec<String>> {
        let (kind, rest) = fact.split_once(' ').unwrap_or((fact, ""));
        let (name, words) = rest.split_once(": ").unwrap_or((rest, ""));
        let mut requests = self.world.model.requests();
        requests.retain(|request| player(request) == name);
        let last = requests.last();
        let last = || last.unwrap_or_else(|| panic!("{name} was never asked"));
        Some(match kind {
            "asked" if words.is_empty() => last().messages.iter().filter_map(said).collect(),
            "asked" => {
                let messages = last().messages.iter();
                messages.filter_map(|one| passage(one, words)).collect()
            }
            "requests" => {
                let each = requests.iter().map(files_of);
                std::iter::once(format!("{} requests", requests.len()))
                    .chain(each)
                    .collect()
            }
            "tools" if !name.is_empty() => {
                let shown = last().tools.iter().map(|tool| {
                    let attaches = tool.parameters["properties"].get("attachments").is_some();
                    let what = if attaches { ", with attachments" } else { "" };
                    format!("{}: {}{what}", tool.name, shortened(&tool.description))
                });
                shown.collect()
            }
            "steps" => {
                let run = self.last_run().await;
                let steps = self.world.steps(&run.id).await;
                let each = steps.chunks(1);
                each.map(|step| "› ".repeat(step[0].frame.depth()) + &alfred_tests::story(step))
                    .collect()
            }
            "answers" => {
                let posted = self.world.said().into_iter();
                posted.filter(|said| !said.starts_with("On it.")).collect()
            }
            "parts" => {
                let runs = self.world.runs().await.into_iter();
                let parts = runs.filter_map(|run| match run.input {
                    RunInput::Team(input) => Some(brief(serde_json::to_value(input).unwrap())),
                    _ => None,
                });
                parts.map(|part| part.to_string()).collect()
            }
            "file" => {
                let text = fs::read(self.crew.root().join(rest)).ok();
                let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                let text = text.as_deref().map_or("none".into(), shortened);
                vec![format!("{rest}: {text}")]
            }
            "stored" => {
                let found = self.files().read(&VirtualPath::parse(rest).unwrap()).await;
                let shown = found.ok().map(|body| {
                    let is_theirs = body.info.tainted;
                    let others = if is_theirs { " (others' words)" } else { "" };
                    String::from_utf8(body.bytes).unwrap() + others
                });
                vec![format!("{rest}: {}", shown.as_deref().unwrap_or("none"))]
            }
            "shop" => self.crew.shop.as_ref()?.calls(),
            _ => return None,
        })
    }
}

fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

fn bound(program: &Snapshot, host: Host) -> Program {
    let catalogue = alfred_tools::catalogue();
    let mut registry = Registry::of(&catalogue).with_modules_of_programs();
    registry.register(mcp::NAME, mcp::toolset(host)).unwrap();
    alfred_workers::program(program, &registry).unwrap()
}

/// The text after the first bytes that such a file has.
pub fn content(name: &str, text: &str) -> Vec<u8> {
    let first: &[u8] = match name.rsplit_once('.') {
        Some((_, "png")) => b"\x89PNG\r\n\x1a\n",
        Some((_, "pdf")) => b"%PDF-1.7 ",
        Some((_, "bin")) => &[0, 159, 146, 150],
        _ => b"",
    };
    [first, text.as_bytes()].concat()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

/// A message but for the instructions, in one line.
fn said(message: &Message) -> Option<String> {
    let (who, text) = match message {
        Message::System { .. } => return None,
        Message::User { text } => ("user", text.to_string()),
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls.iter();
            let calls = calls.map(|call| format!(" calls {}", call.name));
            ("assistant", text.to_string() + &calls.collect::<String>())
        }
        Message::Tool { text, .. } => ("result", text.to_string()),
        Message::Files { files } => {
            let files = files.iter();
            let files = files.map(|file| format!("{} {}", file.name, file.media_type));
            ("files", files.collect::<Vec<_>>().join(", "))
        }
    };
    Some(format!("{who}: {}", shortened(&text).replace('\n', " / ")))
}

fn files_of(request: &TurnRequest) -> String {
    let files = request.messages.iter().filter_map(|message| match message {
        Message::Files { files } => Some(files.iter().map(|file| file.name.to_string())),
        _ => None,
    });
    match files.flatten().collect::<Vec<_>>().join(", ").as_str() {
        "" => "with no files".to_owned(),
        names => format!("with {names}"),
    }
}

/// A long text without its middle.
fn shortened(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= 2 * SHOWN {
        return text.to_owned();
    }
    let part = |letters: &[char]| letters.iter().collect::<String>();
    let (first, last) = (&letters[..SHOWN], &letters[letters.len() - SHOWN..]);
    let left_out = letters.len() - 2 * SHOWN;
    format!("{}… {left_out} letters …{}", part(first), part(last))
}

/// A value with its long texts shortened.
fn brief(value: Value) -> Value {
    match value {
        Value::String(text) => shortened(&text).into(),
        Value::Array(parts) => parts.into_iter().map(brief).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields.map(|(name, value)| (name, brief(value))).collect()
        }
        other => other,
    }
}
