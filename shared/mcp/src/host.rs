//! What the process that calls servers may do for them.

use std::fmt;
use std::sync::Arc;

use crate::client::Limits;

/// Looks a variable of the environment up.
type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What this process may do for MCP servers.
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
    /// One that only calls addresses over TLS: a function.
    pub fn function() -> Self {
        Self {
            one_machine: false,
            limits: Limits::default(),
            variables: Arc::new(|name| std::env::var(name).ok()),
        }
    }

    /// One that also starts programs and calls addresses of the machine itself.
    pub fn one_machine() -> Self {
        Self {
            one_machine: true,
            ..Self::function()
        }
    }

    /// Whether it is a machine of the person's own.
    pub fn is_one_machine(&self) -> bool {
        self.one_machine
    }

    /// With these time limits.
    #[cfg(test)]
    pub(crate) fn waiting(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// With these variables in place of the environment.
    #[cfg(test)]
    pub(crate) fn with_variables(
        mut self,
        variables: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.variables = Arc::new(variables);
        self
    }

    /// A variable that is set.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name)
    }
}
