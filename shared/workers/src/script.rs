//! Calls functions of JavaScript modules (ES modules) with JSON. A script has no files, network, imports, clock or
//! randomness. Memory, stack, time and result are bounded, and each call has its own engine.

mod engine;
mod error;
mod on_thread;

pub use error::ScriptError;

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The text of a module. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Script {
    name: Arc<str>,
    text: Arc<str>,
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of the engine's heap. An empty one takes about 200 KB.
    memory: usize,
    /// Bytes of the stack.
    stack: usize,
    /// For the module and the call together.
    time: Duration,
    /// Bytes of a result's JSON.
    result: usize,
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

/// A value that a module exports.
pub struct Export {
    pub is_function: bool,
    /// Names of its members that are functions.
    pub methods: Vec<String>,
    /// Its JSON without functions, if it has one.
    pub data: Option<Value>,
}

impl Script {
    /// A module. Errors contain its name.
    pub fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            limits: Limits::default(),
        }
    }

    /// Runs the module, and returns its exports by name. Blocks the thread for up to 1.5 seconds.
    pub fn exports(&self) -> Result<BTreeMap<String, Export>, ScriptError> {
        let script = self.clone();
        on_thread::run(&self.limits, move || engine::exports(&script))
    }

    /// Calls an export, or a method of one (`["tool", "execute"]`), with one argument. A promise is awaited. Blocks
    /// the thread for up to 1.5 seconds.
    pub fn call(&self, path: &[&str], argument: &Value) -> Result<Value, ScriptError> {
        let (script, argument) = (self.clone(), argument.to_string());
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        on_thread::run(&self.limits, move || engine::call(&script, &path, argument))
    }
}

#[cfg(test)]
mod tests;
