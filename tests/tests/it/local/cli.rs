//! `alfred` on a data folder of its own, typed as in a shell.

use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::process::Command;

use crate::local::process::{Serving, alfred, run, stderr, stdout};

/// One that no other account gets into, or the first word would be about that.
pub fn folder() -> TempDir {
    let mut builder = tempfile::Builder::new();
    let ours = Permissions::from_mode(0o700);
    builder.permissions(ours).tempdir().unwrap()
}

pub struct Cli {
    data: PathBuf,
    _folder: Option<TempDir>,
}

impl Cli {
    pub fn new() -> Self {
        let folder = folder();
        Self {
            data: folder.path().canonicalize().unwrap(),
            _folder: Some(folder),
        }
    }

    /// On a folder that somebody else looks after.
    pub fn on(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            _folder: None,
        }
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The command of a line: words, and what stands in '…' is one.
    pub fn command(&self, line: &str) -> Command {
        let mut words = Vec::new();
        for (at, part) in line.split('\'').enumerate() {
            match at % 2 {
                1 => words.push(part),
                _ => words.extend(part.split_whitespace()),
            }
        }
        alfred(&self.data, &words)
    }

    /// What a command prints that succeeds.
    pub async fn said(&self, line: &str) -> String {
        self.ends(0, line).await
    }

    pub async fn said_json(&self, line: &str) -> Value {
        serde_json::from_str(&self.said(line).await).unwrap()
    }

    /// What a command prints that ends with this code.
    pub async fn ends(&self, code: i32, line: &str) -> String {
        ends(code, &mut self.command(line)).await
    }

    pub async fn serve(&self) -> Serving {
        Serving::start(self.command("serve --port 0"), &self.data).await
    }
}

/// What a command prints that ends with this code: its answer, or what is wrong.
pub async fn ends(code: i32, command: &mut Command) -> String {
    let output = run(command).await;
    let (answer, wrong) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(code), "{answer}\n{wrong}");
    match answer.is_empty() {
        true => wrong,
        false => answer,
    }
}

/// A text as it is every time: ids, sums and the time of day are left out.
pub fn steady(text: &str) -> String {
    let mut steady = String::new();
    for word in text.split_inclusive([' ', '\n', ')']) {
        let end = word.trim_end_matches([' ', '\n', ')', '.', ',']).len();
        let (word, end) = word.split_at(end);
        let id = word.split_once('_').filter(|(_, id)| id.len() > 20);
        match id {
            Some((kind, _)) => steady.push_str(&format!("{kind}_1")),
            None => steady.push_str(word),
        }
        steady.push_str(end);
    }
    steady
}
