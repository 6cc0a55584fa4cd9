//! Transcripts: what people type in a shell and on the page, and what Alfred answers.
//!
//! `alfred_testkit::play` describes the files, `transcripts/*.txt`. Each case has a data folder and a working folder of
//! its own. bash runs the commands, with the functions of `transcripts/prelude.sh`. Lines of standard error begin with
//! `! `, and an exit code other than 0 is shown. Ids have numbers (`apr_1`), also in commands; folders have names.
//!
//! - `alfred serve --port $PORT &` serves in the background, until `kill`.
//! - `COMMAND | json /POINTER …` shows parts of its JSON, a line each; `*` stands for every element.
//! - `sql STATEMENT` reads or changes the database.
//! - `model 502 text/html WORDS` is what the model's service answers from then on.
//! - `GET PATH` and `POST PATH {…}` ask the process that serves, as its owner.
//! - `says`, `sees`, `clicks`, `unticks` and `picture` use Ana's direct message (`transcripts/page.rs`).
//!
//! `TRANSCRIPT=audit` plays one file, and `INSTA_UPDATE=always` writes what is shown now, for review.

mod page;

use alfred_testkit::LIMIT;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use alfred_testkit::wording::is_for_people;
use alfred_tests::Ids;
use async_trait::async_trait;
use futures_util::future::join_all;
use rusqlite::Connection;
use serde_json::{Deserializer, Value};
use std::path::PathBuf;
use std::process::{Output, Stdio};
use tempfile::TempDir;
use tokio::net::TcpSocket;
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::local::cli::folder;
use crate::local::process::{Serving, binary, claimed_port, stderr, stdout};
use crate::local::puppet::{self, Broken};
use crate::local::raw::ask;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transcripts_are_as_reviewed() {
    let wanted = std::env::var("TRANSCRIPT").unwrap_or_default();
    let files = std::fs::read_dir(here()).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "txt"));
    files.retain(|path| path.to_string_lossy().contains(&wanted));
    assert!(!files.is_empty(), "no transcript is called {wanted}");
    let played = files.into_iter().map(|path| tokio::spawn(check(path)));
    for file in join_all(played).await {
        file.unwrap();
    }
}

async fn check(path: PathBuf) {
    let text = std::fs::read_to_string(&path).unwrap();
    let now = play(&text, Shell::new).await;
    assert_reviewed(path.to_str().unwrap(), &text, &now);
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/local/transcripts")
}

struct Shell {
    files: TempDir,
    data: TempDir,
    port: TcpSocket,
    /// Nothing listens here.
    closed: TcpSocket,
    puppet: String,
    broken: Broken,
    serving: Option<Serving>,
    ids: Ids,
    /// Messages of the direct message that were shown.
    seen: usize,
}

#[async_trait]
impl Interpreter for Shell {
    async fn perform(&mut self, command: &str) -> String {
        // The waits of a command aren't `Send`.
        block_in_place(|| Handle::current().block_on(self.perform_here(command)))
    }
}

impl Shell {
    async fn perform_here(&mut self, command: &str) -> String {
        let command = self.ids.unmask(command);
        let (command, pointers) = match command.split_once(" | json ") {
            Some((command, pointers)) => (command, Some(pointers)),
            None => (command.as_str(), None),
        };
        let mut shown = self.shows(command).await;
        let answers = ["alfred ask", "alfred worker run", "alfred worker chat"];
        if answers.iter().any(|one| command.starts_with(one)) && pointers.is_none() {
            // Errors, offered commands and the demo's note are for whoever runs programs.
            let others = ["! ", "alfred", "(demo:"];
            let masked = self.masked(&shown);
            let said = masked.lines().filter(|line| {
                !line.contains("alfred ") && !others.iter().any(|one| line.starts_with(one))
            });
            is_for_people(&said.collect::<Vec<_>>().join("\n"));
        }
        if let Some(pointers) = pointers {
            let mut stream = Deserializer::from_str(&shown).into_iter::<Value>();
            let whole = stream.next().and_then(Result::ok);
            let whole = whole.unwrap_or_else(|| panic!("no JSON: {shown}"));
            let parts = pointers.split(' ').map(|pointer| parts(&whole, pointer));
            let parts: Vec<String> = parts.collect();
            shown = format!("{}{}", parts.join("\n"), &shown[stream.byte_offset()..]);
        }
        self.masked(&shown)
    }

    async fn new() -> Self {
        let (files, data) = (folder(), folder());
        let broken = Broken::default();
        Self {
            files,
            data,
            port: claimed_port(),
            closed: claimed_port(),
            puppet: puppet::serve_or_break(broken.clone()).await,
            broken,
            serving: None,
            ids: Ids::default(),
            seen: 0,
        }
    }

    async fn shows(&mut self, command: &str) -> String {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        match verb {
            "kill" if rest.is_empty() => {
                self.serving.take().unwrap().kill().await;
                String::new()
            }
            "model" => {
                let mut answer = rest.splitn(3, ' ').map(str::to_owned);
                let status = answer.next().unwrap().parse().unwrap();
                let [kind, body] = [(); 2].map(|()| answer.next().unwrap_or_default());
                *self.broken.lock().unwrap() = Some((status, kind, body));
                String::new()
            }
            "sql" => self.sql(rest),
            "GET" | "POST" => self.request(verb, rest),
            "says" | "sees" | "clicks" | "unticks" | "picture" => {
                self.on_the_page(verb, rest).await
            }
            _ => match command.strip_suffix(" &") {
                Some(serve) => {
                    let bash = self.bash(&serve.replacen("alfred ", "exec alfred ", 1));
                    self.serving = Some(Serving::start(bash, self.data.path()).await);
                    String::new()
                }
                None => shown(&ended(self.bash(command), command).await),
            },
        }
    }

    fn bash(&self, line: &str) -> Command {
        let own = |name| std::env::var(name).unwrap_or_default();
        let port = |socket: &TcpSocket| socket.local_addr().unwrap().port().to_string();
        let prelude = here().join("prelude.sh");
        let alfred = binary();
        let path = format!("{}:{}", alfred.parent().unwrap().display(), own("PATH"));
        let programs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("programs");
        let mut bash = Command::new("bash");
        bash.env_clear()
            .env("PATH", path)
            .env("REAL_HOME", own("HOME"))
            .env("ALFRED_DATA", self.data.path())
            .env("PORT", port(&self.port))
            .env("CLOSED", port(&self.closed))
            .env("PUPPET", &self.puppet)
            .env("PROGRAMS", programs)
            .args(["-c", &format!(". {}\n{line}", prelude.display())])
            .current_dir(self.files.path())
            .stdin(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        bash
    }

    /// The first columns of the rows, or the number of changed rows.
    fn sql(&self, statement: &str) -> String {
        let database = Connection::open(self.data.path().join("alfred.db")).unwrap();
        let mut statement = database.prepare(statement).unwrap();
        if statement.column_count() == 0 {
            return format!("{} changed", statement.execute([]).unwrap());
        }
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        let rows: Vec<String> = rows.map(|row| row.unwrap()).collect();
        rows.join("\n")
    }

    fn request(&self, method: &str, rest: &str) -> String {
        let serving = self.serving.as_ref().expect("a process that serves");
        let (path, body) = rest.split_once(' ').unwrap_or((rest, ""));
        let owner = format!("Bearer {}", serving.token);
        let headers = [
            ("authorization", owner.as_str()),
            ("content-type", "application/json"),
        ];
        let answer = ask(&serving.address, method, path, &headers, body);
        match answer.header("content-type") {
            Some("application/json") if answer.status == 200 => answer.body,
            kind => format!("{} {}", answer.status, kind.unwrap_or_default()),
        }
    }

    /// Without what differs each time, and with control characters that are visible.
    fn masked(&mut self, text: &str) -> String {
        let mut masked = text.to_owned();
        let folders = [(&self.files, "FOLDER"), (&self.data, "DATA")];
        for (folder, name) in folders {
            let path = folder.path().canonicalize().unwrap();
            masked = masked.replace(path.to_str().unwrap(), name);
        }
        let port = self.port.local_addr().unwrap().port();
        for before in [":", "port "] {
            masked = masked.replace(&format!("{before}{port}"), &format!("{before}PORT"));
        }
        masked = without_moments(&masked, "<!date^", ">");
        masked = without_moments(&masked, "You can decide until ", "\n");
        let visible = |c: char| match c {
            '\n' | '\t' => c.to_string(),
            c if c.is_control() || c == '\u{202e}' => c.escape_unicode().to_string(),
            c => c.to_string(),
        };
        let masked: String = masked.chars().map(visible).collect();
        self.ids.masked(&masked)
    }
}

/// Replaces the moment that follows `start`, up to `end`.
fn without_moments(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(end).unwrap_or(part.len());
        let is_moment = part.starts_with(char::is_alphanumeric);
        let moment = if is_moment { "MOMENT" } else { &part[..end] };
        shown += &format!("{start}{moment}{}", &part[end..]);
    }
    shown
}

/// A command's output. When its time is over, all its processes are killed.
async fn ended(mut bash: Command, line: &str) -> Output {
    let child = bash.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap();
    let group = format!("-{}", child.id().unwrap());
    match tokio::time::timeout(LIMIT, child.wait_with_output()).await {
        Ok(output) => output.unwrap(),
        Err(_) => {
            let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
            let killed = killed.await;
            panic!("{line} didn't end within {LIMIT:?}; killed: {killed:?}");
        }
    }
}

/// Standard output, lines of standard error, and the exit code if it isn't 0.
fn shown(output: &Output) -> String {
    let mut lines: Vec<String> = stdout(output).lines().map(str::to_owned).collect();
    lines.extend(stderr(output).lines().map(|line| format!("! {line}")));
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("exit {code}")),
        None => lines.push(format!("{}", output.status)),
    }
    lines.join("\n")
}

/// The parts of JSON at a pointer in which `*` stands for every element.
fn parts(whole: &Value, pointer: &str) -> String {
    let mut found = vec![whole];
    for step in pointer.split('/').skip(1) {
        let below = found.into_iter().flat_map(|value| children(value, step));
        found = below.collect();
    }
    let text = |value: &&Value| {
        let text = value.as_str();
        text.map_or_else(|| value.to_string(), str::to_owned)
    };
    found.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn children<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    match value {
        Value::Array(all) if step == "*" => all.iter().collect(),
        Value::Object(all) if step == "*" => all.values().collect(),
        _ => value.pointer(&format!("/{step}")).into_iter().collect(),
    }
}
