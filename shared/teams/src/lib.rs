//! Requests for several teams: the plan, the runs of the teams, their reports, and one answer for all.

mod aggregate;
pub mod children;
mod choose;
mod draft;
mod earlier;
mod handoff;
pub mod plan_time;
mod planning;
mod programs;
mod progress;
pub mod report;

pub use report::TeamReport;

use alfred_agent::Ports;
use alfred_core::Failure;
use std::sync::Arc;

use programs::Programs;

/// Plans requests for teams and answers them.
#[derive(Clone)]
pub struct Teams {
    ports: Ports,
    programs: Arc<Programs>,
}

impl Teams {
    /// Fails with `Bug` if a worker file of a team can't be read.
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let programs = Arc::new(Programs::load()?);
        Ok(Self { ports, programs })
    }

    pub fn with_ports(self, ports: Ports) -> Self {
        Self { ports, ..self }
    }
}
