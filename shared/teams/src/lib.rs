//! Requests for several teams: the plan, the runs of the teams, their reports, and one answer for all.

mod aggregate;
pub mod children;
mod choose;
mod draft;
mod earlier;
mod handoff;
pub mod plan_time;
mod planning;
mod progress;
pub mod report;

pub use report::TeamReport;

use alfred_agent::Ports;
use alfred_core::{Failure, Result};
use alfred_workers::WorkerFile;
use std::sync::Arc;

#[derive(Clone)]
pub struct Teams {
    ports: Ports,
    programs: Arc<Programs>,
}

struct Programs {
    orchestrator: WorkerFile,
    aggregator: WorkerFile,
    /// Pairs of name and description.
    teams: Vec<(String, String)>,
}

impl Teams {
    /// Fails with `Bug` if a worker file of a team can't be read.
    pub fn new(ports: Ports) -> Result<Self> {
        let mut teams = Vec::new();
        for team in alfred_workers::programs::teams() {
            let manager = read(&format!("{team}/manager"))?;
            teams.push((team, manager.description));
        }
        let programs = Arc::new(Programs {
            orchestrator: read("alfred/orchestrator")?,
            aggregator: read("alfred/aggregator")?,
            teams,
        });
        Ok(Self { ports, programs })
    }

    pub fn with_ports(self, ports: Ports) -> Self {
        Self { ports, ..self }
    }
}

fn read(path: &str) -> Result<WorkerFile> {
    let text = alfred_workers::programs::worker(path)
        .ok_or_else(|| Failure::bug(format!("no worker file {path}")))?;
    WorkerFile::parse(path, &text).map_err(Failure::bug)
}
