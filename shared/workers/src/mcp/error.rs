//! Errors of MCP servers.

use alfred_core::invisible::shown_on_one_line;
use thiserror::Error;

/// Characters that are kept of a server's error text.
const BRIEF: usize = 300;

pub(crate) type Result<T, E = ServerError> = std::result::Result<T, E>;

/// A server failed before anything was called.
#[derive(Debug, Error)]
#[error("{server}{why}")]
pub struct ServerError {
    pub server: String,
    pub why: Why,
}

#[derive(Debug, Error)]
pub enum Why {
    /// A missing environment variable: the place in the settings, and its name.
    #[error(": {0}: the environment has no {1}")]
    NoVariable(String, String),
    #[error(": {0}: this is no value of a header")]
    BadValue(String),
    #[error(" can't be started: {0}")]
    NotStarted(String),
    #[error(" didn't answer within {0} s")]
    Silent(u64),
    /// The connection ended, or was cut because the server sent too much.
    #[error(" ended before it answered, or sent more than 4 MB")]
    Ended,
    #[error(" isn't reached, or speaks no MCP: {0}")]
    NotMcp(String),
    /// The missing tool, and the available ones.
    #[error(" has no tool \"{0}\"; it has: {1}")]
    NoTool(String, String),
    /// A tool's schema can't be shown to a model, with the reason.
    #[error("/{0}: its schema {1}")]
    BadSchema(String, &'static str),
    #[error("/{0}: the server describes it differently by now, so it wasn't called")]
    Changed(String),
}

/// The start of a foreign text, on one line, without invisible characters.
pub(crate) fn brief(said: impl ToString) -> String {
    let line = shown_on_one_line(&said.to_string());
    line.chars().take(BRIEF).collect()
}
