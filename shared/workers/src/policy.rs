//! Whether an administrator's policy names what there is.

use alfred_agent::tool::SharedTool;
use alfred_core::config::ConfigError;
use alfred_core::policy::Policy;
use std::collections::BTreeSet;

use crate::file::WorkerFile;
use crate::toolsets::filesystem;

/// Who makes the calls that a person makes without a model.
const DIRECT: &str = "direct";
/// The folder of workers that make no program.
const ALONE: &str = "alfred/";

/// Holds a policy against the catalogue, the tools of files and the embedded workers, before anything is served under it.
///
/// # Errors
/// `Invalid` with the first tool or worker that isn't there.
pub fn check_policy(policy: &Policy, catalogue: &[SharedTool]) -> Result<(), ConfigError> {
    let paths = alfred_programs::workers();
    let files = paths.iter().filter_map(|path| {
        let file = WorkerFile::parse(path, &alfred_programs::worker(path)?).ok()?;
        // Of Alfred's own workers each is by itself.
        let name = match path.strip_prefix(ALONE) {
            Some(_) => file.name,
            None => path.clone(),
        };
        (!file.toolsets.is_empty()).then_some(name)
    });
    let workers: BTreeSet<String> = files.chain([DIRECT.to_owned()]).collect();
    let tools = catalogue.iter().map(|tool| &*tool.def().name);
    let tools = tools.chain(filesystem::names());
    policy.check(
        &tools.collect(),
        &workers.iter().map(String::as_str).collect(),
    )
}
