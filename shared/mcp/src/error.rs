//! Why an MCP server gives nothing.

use alfred_core::invisible::shown_on_one_line;
use thiserror::Error;

/// Characters that are kept of what a server says about a failure.
const BRIEF: usize = 300;

/// A server gives nothing. Nothing was called then.
#[derive(Debug, Error)]
#[error("{server}{why}")]
pub struct ServerError {
    /// Which.
    pub server: String,
    /// Why.
    pub why: Why,
}

/// Why a server gives nothing.
#[derive(Debug, Error)]
pub enum Why {
    /// The environment lacks a variable that its settings name: where, and which.
    #[error(": {0}: the environment has no {1}")]
    NoVariable(String, String),
    /// What a variable holds can't stand in this header.
    #[error(": {0}: this is no value of a header")]
    BadValue(String),
    /// Its program doesn't start, for what the system says.
    #[error(" can't be started: {0}")]
    NotStarted(String),
    /// No answer in so many seconds.
    #[error(" didn't answer within {0} s")]
    Silent(u64),
    /// It went away, or was cut since it sent too much.
    #[error(" ended before it answered, or sent more than 4 MB")]
    Ended,
    /// This came back, and isn't the protocol.
    #[error(" isn't reached, or speaks no MCP: {0}")]
    NotMcp(String),
    /// It doesn't have this tool, but those.
    #[error(" has no tool \"{0}\"; it has: {1}")]
    NoTool(String, String),
    /// The schema of this tool can't be shown to a model, for this reason.
    #[error("/{0}: its schema {1}")]
    BadSchema(String, &'static str),
    /// It says something else of this tool than when the run began.
    #[error("/{0}: the server describes it differently by now, so it wasn't called")]
    Changed(String),
}

/// The beginning of what somebody else says, on one line, nothing in it unseen.
pub(crate) fn brief(said: impl ToString) -> String {
    let line = shown_on_one_line(&said.to_string());
    line.chars().take(BRIEF).collect()
}
