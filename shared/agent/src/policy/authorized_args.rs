//! Types for arguments before and after the gate.

use serde_json::Value;

use crate::policy::{Facts, Requirement, require};

/// A value written by a model or other people. It can only be shown or passed to the gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Untrusted<T>(T);

impl<T> Untrusted<T> {
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// A reference isn't enough to run a tool.
    pub fn shown(&self) -> &T {
        &self.0
    }
}

/// Arguments that passed the gate. Only the gate creates them, and tools run with nothing else.
#[derive(Debug)]
pub struct AuthorizedArgs(Value);

impl AuthorizedArgs {
    pub fn into_value(self) -> Value {
        self.0
    }

    /// Arguments for a part of this call. They are allowed because the whole call was.
    pub fn part(&self, arguments: Value) -> Self {
        Self(arguments)
    }

    /// A copy to run the call again after its commit lost a race and had no effect.
    pub(crate) fn again(&self) -> Self {
        Self(self.0.clone())
    }

    pub fn value(&self) -> &Value {
        &self.0
    }
}

pub fn pass(
    facts: &Facts<'_>,
    arguments: Untrusted<Value>,
) -> Result<AuthorizedArgs, (Requirement, Untrusted<Value>)> {
    match require(facts) {
        Requirement::Skip => Ok(AuthorizedArgs(arguments.0)),
        other => Err((other, arguments)),
    }
}

/// Authorizes approved arguments if the current digest equals the approved one.
pub(crate) fn approved(
    arguments: Untrusted<Value>,
    digest_now: &str,
    digest_approved: &str,
) -> Option<AuthorizedArgs> {
    (digest_now == digest_approved).then_some(AuthorizedArgs(arguments.0))
}
