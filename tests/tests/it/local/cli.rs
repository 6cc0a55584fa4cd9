//! `alfred` on its own data folder, with commands typed as in a shell.

use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::net::TcpSocket;
use tokio::process::Command;

use crate::local::process::{Serving, alfred, claimed_port, run, stderr, stdout};

/// Mode 0700, because `alfred` would otherwise start with a warning.
pub fn folder() -> TempDir {
    let mut builder = tempfile::Builder::new();
    let ours = Permissions::from_mode(0o700);
    builder.permissions(ours).tempdir().unwrap()
}

pub struct Cli {
    data: PathBuf,
    port: TcpSocket,
    _folder: Option<TempDir>,
}

impl Cli {
    pub fn new() -> Self {
        let folder = folder();
        Self {
            data: folder.path().canonicalize().unwrap(),
            port: claimed_port(),
            _folder: Some(folder),
        }
    }

    /// Uses a folder that the caller owns.
    pub fn on(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            port: claimed_port(),
            _folder: None,
        }
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// A command whose model is the puppet at `url`.
    pub fn with_puppet(&self, line: &str, url: String) -> Command {
        let mut command = self.command(line);
        command.env("ALFRED_MODEL", "puppet:one");
        command.env("ALFRED_MODEL_URL", url);
        command.env("PUPPET_API_KEY", "pk-1");
        command
    }

    /// Parses a line into words; '…' is one word.
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

    pub async fn said(&self, line: &str) -> String {
        self.ends(0, line).await
    }

    pub async fn said_json(&self, line: &str) -> Value {
        serde_json::from_str(&self.said(line).await).unwrap()
    }

    /// The output of a command that must end with this exit code.
    pub async fn ends(&self, code: i32, line: &str) -> String {
        ends(code, &mut self.command(line)).await
    }

    /// Serves on the same port each time.
    pub async fn serve(&self) -> Serving {
        let port = self.port.local_addr().unwrap().port();
        Serving::start(self.command(&format!("serve --port {port}")), &self.data).await
    }
}

/// The output of a command that must end with this exit code: stdout, or stderr on failure.
pub async fn ends(code: i32, command: &mut Command) -> String {
    let output = run(command).await;
    let (answer, wrong) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(code), "{answer}\n{wrong}");
    match answer.is_empty() {
        true => wrong,
        false => answer,
    }
}
