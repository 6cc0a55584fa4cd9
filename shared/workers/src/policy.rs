//! Checks that the tools and workers in an administrator's policy exist.

use alfred_agent::tool::SharedTool;
use alfred_core::config::ConfigError;
use alfred_core::policy::Policy;
use std::collections::BTreeSet;

use crate::file::WorkerFile;
use crate::level::ALONE;
use crate::toolsets::filesystem;

/// The agent of calls without a model.
const DIRECT: &str = "direct";

/// Checks a policy before anything is served. `Invalid` names the first unknown tool or worker.
pub fn check_policy(policy: &Policy, catalogue: &[SharedTool]) -> Result<(), ConfigError> {
    let paths = crate::programs::workers();
    let files = paths.iter().filter_map(|path| {
        let file = WorkerFile::parse(path, &crate::programs::worker(path)?).ok()?;
        // Alfred's own workers have no team prefix.
        let alone = path.starts_with(ALONE).then_some(file.name);
        (!file.toolsets.is_empty()).then_some(alone.unwrap_or_else(|| path.clone()))
    });
    let workers: BTreeSet<String> = files.chain([DIRECT.to_owned()]).collect();
    let tools = catalogue.iter().map(|tool| &*tool.def().name);
    let tools = tools.chain(filesystem::names());
    let workers = workers.iter().map(String::as_str).collect();
    policy.check(&tools.collect(), &workers)
}
