//! An MCP server for tests: a Python program over stdio, well-behaved or not.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::tools::python;

const SCRIPT: &str = include_str!("mcp_server.py");

/// The stand-in, with the log of its starts and calls. Its tool is `look.up`, with a text `what`.
#[derive(Debug)]
pub struct McpServer {
    folder: TempDir,
    mode: &'static str,
}

impl McpServer {
    /// One that behaves like this; `"well"` is as it should be.
    pub fn behaving(mode: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder, mode }
    }

    pub fn settings(&self) -> Value {
        json!({ "command": python(), "args": ["-c", SCRIPT, self.mode, self.log()] })
    }

    pub fn calls(&self) -> Vec<String> {
        let lines = self.lines();
        let calls = lines.lines().filter_map(|line| line.strip_prefix("call "));
        calls.map(str::to_owned).collect()
    }

    pub fn starts(&self) -> usize {
        self.lines().lines().filter(|line| *line == "start").count()
    }

    /// Before its first start there is no log.
    fn lines(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("log")
    }
}
