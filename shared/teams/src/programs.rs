use alfred_core::Failure;

use alfred_workers::WorkerFile;

pub struct Programs {
    pub orchestrator: WorkerFile,
    pub aggregator: WorkerFile,
    /// Pairs of name and description.
    pub teams: Vec<(String, String)>,
}

impl Programs {
    pub fn load() -> Result<Self, Failure> {
        let mut teams = Vec::new();
        for team in alfred_programs::teams() {
            let manager = read(&format!("{team}/manager"))?;
            teams.push((team, manager.description));
        }
        Ok(Self {
            orchestrator: read("alfred/orchestrator")?,
            aggregator: read("alfred/aggregator")?,
            teams,
        })
    }
}

fn read(path: &str) -> Result<WorkerFile, Failure> {
    let text = alfred_programs::worker(path)
        .ok_or_else(|| Failure::bug(format!("no worker file {path}")))?;
    WorkerFile::parse(path, &text).map_err(Failure::bug)
}
