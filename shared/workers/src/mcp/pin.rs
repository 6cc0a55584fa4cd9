//! Tool descriptions, read when a run begins and kept with it. Every resume shows the model the same
//! description, and a tool whose description changed isn't called.

use crate::{FileError, WorkerFile};
use alfred_agent::model::{Snapshot, Source};
use alfred_core::digest::canonical_json;
use std::collections::BTreeMap;
use thiserror::Error;

use super::NAME;
use super::client::{self, Described};
use super::error::ServerError;
use super::host::Host;
use super::settings::{Named, Settings};

/// Path prefix of the kept descriptions among a program's files.
const PREFIX: &str = "mcp:";

/// Bytes kept for one worker's servers, since every turn contains them.
const MOST_KEPT: usize = 100_000;

#[derive(Debug, Error)]
pub enum LearnError {
    #[error(transparent)]
    File(#[from] FileError),
    /// Invalid settings of a worker, or an unusable server.
    #[error("worker {worker}: toolsets.mcp: {wrong}")]
    Mcp { worker: String, wrong: String },
}

/// The path of a worker's kept descriptions.
fn path(worker: &str) -> String {
    format!("{PREFIX}{worker}")
}

/// Asks all servers of a program's workers for their named tools, and keeps the descriptions in the program. Existing
/// ones are discarded. A program without servers costs nothing. The error is the first unusable server.
pub async fn learn(program: &mut Snapshot, host: &Host) -> Result<(), LearnError> {
    program.beside.retain(|file| !file.path.starts_with(PREFIX));
    for source in &program.workers {
        let file = WorkerFile::parse(&source.path, &source.text)?;
        let Some(config) = file.toolsets.get(NAME) else {
            continue;
        };
        let wrong = |wrong| LearnError::Mcp {
            worker: file.name.clone(),
            wrong,
        };
        let tools = Settings::named(config.clone().unwrap_or_default(), &source.path, host);
        let tools = tools.map_err(wrong)?;
        let told = asked(&tools).await;
        let told = told.map_err(|error| wrong(error.to_string()))?;
        let text = canonical_json(&told).map_err(|error| wrong(error.to_string()))?;
        if text.len() > MOST_KEPT {
            let words = "tools: their descriptions are longer than 100 kB together; name fewer";
            return Err(wrong(words.into()));
        }
        program.beside.push(Source {
            path: path(&file.name),
            text,
        });
    }
    Ok(())
}

/// The tool descriptions, by the tools' names for models.
async fn asked(tools: &[Named]) -> Result<BTreeMap<&str, Described>, ServerError> {
    let mut by_server: BTreeMap<&str, Vec<&Named>> = BTreeMap::new();
    for tool in tools {
        by_server.entry(&tool.server.name).or_default().push(tool);
    }
    let mut told = BTreeMap::new();
    for named in by_server.values() {
        let names: Vec<&str> = named.iter().map(|tool| &*tool.tool).collect();
        let described = client::describe(&named[0].server, &names).await?;
        told.extend(named.iter().map(|tool| &*tool.name).zip(described));
    }
    Ok(told)
}

/// The kept descriptions of a worker's servers. An error if they are missing or unreadable.
pub(crate) fn kept(worker: &str, beside: &[Source]) -> Result<BTreeMap<String, Described>, String> {
    let path = path(worker);
    let found = beside.iter().find(|file| file.path == path);
    let missing =
        || "what its servers say of these tools wasn't kept when the run began".to_owned();
    serde_json::from_str(&found.ok_or_else(missing)?.text).map_err(|error| error.to_string())
}
