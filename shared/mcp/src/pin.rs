//! What servers say of the tools a program names, learnt when a run begins and kept with it: every resume shows a model
//! the same, and a server that says something else by then isn't called.

use alfred_agent::program::{Snapshot, Source};
use alfred_core::digest::canonical_json;
use alfred_workers::{FileError, WorkerFile};
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

use crate::NAME;
use crate::client::{self, Described};
use crate::error::ServerError;
use crate::host::Host;
use crate::settings::{Named, Settings};

/// How the kept words of servers are named among the files of a program.
const PREFIX: &str = "mcp:";

/// Bytes that are kept of one worker's servers: all of it is in every turn.
const MOST_KEPT: usize = 100_000;

/// Why nothing was learnt.
#[derive(Debug, Error)]
pub enum LearnError {
    /// A worker file can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// What a worker says about servers can't be used.
    #[error("worker {worker}: toolsets.mcp: {wrong}")]
    Settings {
        /// The worker.
        worker: String,
        /// What is wrong.
        wrong: String,
    },
    /// A server doesn't give what is named.
    #[error("worker {worker}: toolsets.mcp: {source}")]
    Server {
        /// The worker.
        worker: String,
        /// Why.
        source: ServerError,
    },
}

/// Where the words of a worker's servers are kept.
fn path(worker: &str) -> String {
    format!("{PREFIX}{worker}")
}

/// The folder in which a worker's servers are started: its file's, where that is on a disk.
pub(crate) fn folder(path: &str) -> Option<&Path> {
    let path = Path::new(path);
    path.is_absolute().then(|| path.parent()).flatten()
}

/// Asks every server that a program's workers name about the tools they name, and keeps that in the program.
/// What stood there before doesn't count. A program that names none costs nothing.
///
/// # Errors
/// With the first server that can't be used.
pub async fn learn(program: &mut Snapshot, host: &Host) -> Result<(), LearnError> {
    program.beside.retain(|file| !file.path.starts_with(PREFIX));
    for source in &program.workers {
        let file = WorkerFile::parse(&source.path, &source.text)?;
        let Some(config) = file.toolsets.get(NAME) else {
            continue;
        };
        let worker = file.name.clone();
        let settings = |wrong| LearnError::Settings {
            worker: worker.clone(),
            wrong,
        };
        let tools = Settings::named(config.clone().unwrap_or_default(), host).map_err(settings)?;
        let asked = asked(&tools, folder(&source.path), host).await;
        let told = asked.map_err(|source| LearnError::Server {
            worker: worker.clone(),
            source,
        })?;
        let text = canonical_json(&told).map_err(|error| settings(error.to_string()))?;
        if text.len() > MOST_KEPT {
            let words = "tools: their descriptions are longer than 100 kB together; name fewer";
            return Err(settings(words.into()));
        }
        program.beside.push(Source {
            path: path(&worker),
            text,
        });
    }
    Ok(())
}

/// What each server says of its tools, by the tools' names for models.
async fn asked<'a>(
    tools: &'a [Named],
    folder: Option<&Path>,
    host: &Host,
) -> Result<BTreeMap<&'a str, Described>, ServerError> {
    let mut by_server: BTreeMap<&str, Vec<&Named>> = BTreeMap::new();
    for tool in tools {
        by_server.entry(&tool.server.name).or_default().push(tool);
    }
    let mut told = BTreeMap::new();
    for named in by_server.values() {
        let names: Vec<&str> = named.iter().map(|tool| &*tool.tool).collect();
        let described = client::describe(&named[0].server, &names, (host, folder)).await?;
        told.extend(named.iter().map(|tool| &*tool.name).zip(described));
    }
    Ok(told)
}

/// What was kept of the servers of a worker.
///
/// # Errors
/// When nothing was, or it can't be read.
pub(crate) fn kept(worker: &str, beside: &[Source]) -> Result<BTreeMap<String, Described>, String> {
    let path = path(worker);
    let found = beside.iter().find(|file| file.path == path);
    let missing =
        || "what its servers say of these tools wasn't kept when the run began".to_owned();
    let kept = found.ok_or_else(missing)?;
    serde_json::from_str(&kept.text).map_err(|error| error.to_string())
}
