//! JavaScript without any way out: a function of an ES module, called with JSON and giving JSON. No files, network, imports,
//! clock, randomness or text as code; memory, stack, time and the result are bounded. Each call has a fresh engine.

mod engine;
mod error;
mod on_thread;

pub use error::{Position, ScriptError};

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The text of an ES module. Cheap to clone; nothing of it runs before it is asked for.
#[derive(Clone, Debug)]
pub struct Script {
    name: Arc<str>,
    text: Arc<str>,
    limits: Limits,
}

/// How far a script may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of the engine's heap, in bytes; an empty one takes about 200 KB.
    pub memory: usize,
    /// Of the stack, in bytes.
    pub stack: usize,
    /// For the module and the call together.
    pub time: Duration,
    /// Of a result, in bytes of JSON.
    pub result: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 16 << 20,
            stack: 512 << 10,
            time: Duration::from_secs(1),
            result: 64 << 10,
        }
    }
}

/// What a module exports under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// Whether it is a function.
    pub callable: bool,
    /// Those of its members that are functions.
    pub methods: Vec<String>,
    /// It as JSON, which leaves functions out; none where that can't be.
    pub data: Option<Value>,
}

impl Script {
    /// A module; errors call it by this name.
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            limits: Limits::default(),
        }
    }

    /// Runs the module and looks at what it exports. Takes the thread for as long as `limits.time` and a little more.
    ///
    /// # Errors
    /// When the module can't be read or run within its limits.
    pub fn exports(&self) -> Result<BTreeMap<String, Export>, ScriptError> {
        let script = self.clone();
        on_thread::run(&self.limits, move || engine::exports(&script))
    }

    /// Calls a function with one argument: an export, or a method of one (`["tool", "execute"]`). A promise is awaited.
    /// Takes the thread for as long as `limits.time` and a little more.
    ///
    /// # Errors
    /// When there is no such function, it fails, goes too far, or gives what isn't JSON.
    pub fn call(&self, path: &[&str], argument: &Value) -> Result<Value, ScriptError> {
        let (script, argument) = (self.clone(), argument.to_string());
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        on_thread::run(&self.limits, move || engine::call(&script, &path, argument))
    }
}

#[cfg(test)]
mod tests;
