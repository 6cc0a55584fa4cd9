//! Why a script gave nothing.

use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Why a script gave nothing. Nothing of it goes on, but for what `Time` says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The text is no ES module.
    #[error("{at}: {message}")]
    Syntax {
        /// Where.
        at: Position,
        /// What the engine says.
        message: String,
    },
    /// It imports something.
    #[error("a module can't import anything: {0}")]
    Import(String),
    /// There is no function of this name.
    #[error("there is no function \"{name}\"; exported are: {valid}")]
    NoFunction {
        /// The name.
        name: String,
        /// What there is.
        valid: String,
    },
    /// It threw an exception.
    #[error("{at}: {message}")]
    Threw {
        /// Where.
        at: Position,
        /// The exception's name and message.
        message: String,
    },
    /// It took too long. Where a function of the engine itself doesn't look at the time, that thread runs on until it is through.
    #[error("stopped after {} ms", .0.as_millis())]
    Time(Duration),
    /// It needed too much memory.
    #[error("stopped at {} KB of memory", .0 >> 10)]
    Memory(usize),
    /// Its calls went too deep.
    #[error("its calls go too deep")]
    Stack,
    /// It waits for what never comes.
    #[error("it waits for a promise that nothing keeps")]
    Waits,
    /// What it gave isn't JSON.
    #[error("its result isn't JSON: {0}")]
    NotJson(String),
    /// What it gave is too long.
    #[error("its result has {bytes} bytes of JSON; {most} at most")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// Others that took too long still run.
    #[error("too many scripts that were stopped are still running")]
    Busy,
    /// The engine itself failed.
    #[error("the engine failed: {0}")]
    Engine(String),
}

/// A place in a module's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The module.
    pub module: String,
    /// From 1 on; 0 where it isn't known.
    pub line: u32,
    /// From 1 on; 0 where it isn't known.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}", self.module),
            line => write!(out, "{}:{line}:{}", self.module, self.column),
        }
    }
}
