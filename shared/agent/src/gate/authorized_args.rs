//! Arguments before and behind the gate.

use serde_json::Value;

use super::{Facts, Requirement, require};

/// Something that a model or other people wrote. It can be shown, and handed
/// to the gate; nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    /// Marks it.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// For showing, checking and hashing. A reference doesn't run a tool.
    pub fn shown(&self) -> &T {
        &self.0
    }
}

/// Arguments that passed the gate: what a tool runs with. Only the gate makes them.
#[derive(Debug)]
pub struct AuthorizedArgs(Value);

impl AuthorizedArgs {
    /// The arguments.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// What is done as a part of this very call, on what let the whole through.
    pub fn part(&self, arguments: Value) -> Self {
        Self(arguments)
    }

    /// The same once more, for a call whose writes lost a race and took no effect.
    pub(crate) fn again(&self) -> Self {
        Self(self.0.clone())
    }

    /// The arguments.
    pub fn value(&self) -> &Value {
        &self.0
    }
}

/// Lets arguments through when nothing has to be asked.
///
/// # Errors
/// What is required instead, with the arguments still untrusted.
pub fn pass(
    facts: &Facts<'_>,
    arguments: Untrusted<Value>,
) -> Result<AuthorizedArgs, (Requirement, Untrusted<Value>)> {
    match require(facts) {
        Requirement::Skip => Ok(AuthorizedArgs(arguments.0)),
        other => Err((other, arguments)),
    }
}

/// Lets arguments through that their owner approved: those of the very digest, and no others.
pub(crate) fn approved(
    arguments: Untrusted<Value>,
    digest_now: &str,
    digest_approved: &str,
) -> Result<AuthorizedArgs, Untrusted<Value>> {
    if digest_now == digest_approved {
        Ok(AuthorizedArgs(arguments.0))
    } else {
        Err(arguments)
    }
}
