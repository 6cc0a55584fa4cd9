//! Why an MCP server gives nothing.

use alfred_core::invisible::shown_on_one_line;
use thiserror::Error;

/// Characters that are kept of what a server says about a failure.
const BRIEF: usize = 300;

/// Why a server gives nothing. Nothing was called then.
#[derive(Debug, Error)]
pub enum ServerError {
    /// It is a program, and this process starts none.
    #[error("{server}: command: servers are started on one machine only; name one by its url")]
    NotHere {
        /// Which.
        server: String,
    },
    /// A variable that its settings name isn't set.
    #[error("{server}: {field}: the environment has no {variable}")]
    NoVariable {
        /// Which.
        server: String,
        /// Where it is named.
        field: String,
        /// Its name.
        variable: String,
    },
    /// What a variable holds can't stand where it is named.
    #[error("{server}: {field}: this is no value of a header")]
    BadValue {
        /// Which.
        server: String,
        /// Where it is named.
        field: String,
    },
    /// Its program doesn't start.
    #[error("{server} can't be started: {why}")]
    NotStarted {
        /// Which.
        server: String,
        /// What the system says.
        why: String,
    },
    /// No answer in time.
    #[error("{server} didn't answer within {seconds} s")]
    Silent {
        /// Which.
        server: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// It went away.
    #[error("{server} ended before it answered, or sent more than {most} MB")]
    Ended {
        /// Which.
        server: String,
        /// Megabytes that it may send.
        most: u64,
    },
    /// What comes back isn't the protocol.
    #[error("{server} isn't reached, or speaks no MCP: {why}")]
    NotMcp {
        /// Which.
        server: String,
        /// What came instead.
        why: String,
    },
    /// It doesn't have this tool.
    #[error("{server} has no tool \"{tool}\"; it has: {valid}")]
    NoTool {
        /// Which.
        server: String,
        /// The tool.
        tool: String,
        /// Some of those it has.
        valid: String,
    },
    /// What it says of a tool can't be shown to a model.
    #[error("{server}/{tool}: its schema {wrong}")]
    BadSchema {
        /// Which.
        server: String,
        /// The tool.
        tool: String,
        /// What is wrong.
        wrong: &'static str,
    },
    /// It says something else of the tool than when the run began.
    #[error("{server}/{tool}: the server describes it differently by now, so it wasn't called")]
    Changed {
        /// Which.
        server: String,
        /// The tool.
        tool: String,
    },
}

/// The beginning of what somebody else says, on one line, nothing in it unseen.
pub(crate) fn brief(said: impl ToString) -> String {
    let line = shown_on_one_line(&said.to_string());
    line.chars().take(BRIEF).collect()
}
