//! Rights of this process towards MCP servers.

use alfred_core::config;
use std::time::Duration;

/// Time limits for a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// To describe its tools when a run begins. The server may have to be installed first.
    pub learn: Duration,
    /// To describe its tools at a call.
    pub start: Duration,
    /// To return a result. Together with `start` it must stay below the loop's limit for an effect (30 s).
    pub call: Duration,
}

#[derive(Clone, Debug)]
pub struct Host {
    pub one_machine: bool,
    pub(crate) limits: Limits,
    /// The environment.
    pub(crate) variable: fn(&str) -> Option<String>,
}

impl Host {
    /// Only connects to URLs over TLS, for functions.
    pub fn function() -> Self {
        Self {
            one_machine: false,
            limits: Limits {
                learn: Duration::from_secs(60),
                start: Duration::from_secs(12),
                call: Duration::from_secs(15),
            },
            variable: config::variable,
        }
    }

    /// Also starts programs and connects to this machine.
    pub fn one_machine() -> Self {
        Self {
            one_machine: true,
            ..Self::function()
        }
    }
}
