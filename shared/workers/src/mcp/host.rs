//! Rights of this process towards MCP servers.

use super::client::Limits;

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
            limits: Limits::default(),
            variable: |name| std::env::var(name).ok(),
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
