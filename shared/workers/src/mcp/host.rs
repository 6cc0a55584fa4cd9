//! What this process may do for MCP servers.

use std::fmt;
use std::sync::Arc;

use super::client::Limits;

type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

#[derive(Clone)]
pub struct Host {
    pub(crate) one_machine: bool,
    pub(crate) limits: Limits,
    variables: Variables,
}

impl fmt::Debug for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Host");
        out.field("one_machine", &self.one_machine)
            .finish_non_exhaustive()
    }
}

impl Host {
    /// Only connects to URLs over TLS, for functions.
    pub fn function() -> Self {
        Self {
            one_machine: false,
            limits: Limits::default(),
            variables: Arc::new(|name| std::env::var(name).ok()),
        }
    }

    /// Also starts programs and connects to this machine.
    pub fn one_machine() -> Self {
        Self {
            one_machine: true,
            ..Self::function()
        }
    }

    pub fn is_one_machine(&self) -> bool {
        self.one_machine
    }

    #[cfg(test)]
    pub(crate) fn waiting(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Replaces the environment.
    #[cfg(test)]
    pub(crate) fn with_variables(
        mut self,
        variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.variables = Arc::new(variables);
        self
    }

    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name)
    }
}
