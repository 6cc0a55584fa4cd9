//! Errors of scripts.

use std::time::Duration;
use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    #[error("a module can't import anything: {0}")]
    Import(String),
    /// The missing function, and the available ones.
    #[error("there is no function \"{0}\"; exported are: {1}")]
    NoFunction(String, String),
    /// A syntax error or an exception: its position, and its name and message.
    #[error("{0}: {1}")]
    Threw(String, String),
    /// Its thread may still run, since some functions of the engine don't check the time.
    #[error("stopped after {} ms", .0.as_millis())]
    Time(Duration),
    #[error("stopped at {} KB of memory", .0 >> 10)]
    Memory(usize),
    #[error("its calls go too deep")]
    Stack,
    #[error("it waits for a promise that never settles")]
    Waits,
    #[error("its result isn't JSON: {0}")]
    NotJson(String),
    #[error("its result has {bytes} bytes of JSON; {most} at most")]
    TooLong { bytes: usize, most: usize },
    /// Too many stopped scripts still run.
    #[error("too many scripts that were stopped are still running")]
    Busy,
    #[error("the engine failed: {0}")]
    Engine(String),
}
