//! `alfred worker`: worker files (seed 004), run through the same loop as every other request, or looked at.

use alfred_agent::Work;
use alfred_agent::program::Snapshot;
use alfred_workers::{Mode, Registry, WorkerFile};
use anyhow::Context;
use serde_json::json;
use std::io::{self, Read};
use std::path::Path;

use super::{answer, chat, owner};
use crate::api::{self, Answer, Start};
use crate::app::OWN_WORKERS;
use crate::cli::{Cli, WorkerCommand};
use crate::exit::{Exit, Usage};
use crate::terminal::{say, say_json};

/// The longest input on stdin, in bytes.
const MOST: u64 = 1 << 20;
/// What a worker is told that may be started without input, and is.
const NO_INPUT: &str = "Begin. There is no input.";

pub async fn run(cli: &Cli, command: &WorkerCommand) -> anyhow::Result<Exit> {
    match command {
        WorkerCommand::Run { worker, input } => {
            let answered = answered(cli, worker, input.as_deref()).await;
            answer::report(cli, answered)
        }
        WorkerCommand::Chat { worker } => chat::run(cli, worker).await,
        WorkerCommand::Check { worker } => check(cli, worker),
    }
}

async fn answered(cli: &Cli, named: &Path, input: Option<&str>) -> anyhow::Result<Answer> {
    let (program, files) = found(cli, named)?;
    let worker = files.first().context("a program without a worker")?;
    let path = &program.workers[0].path;
    if worker.mode == Mode::Chat {
        let words = "it is a chat; `alfred worker chat` begins one";
        return Err(Usage::error(format!("{path}: mode: {words}")));
    }
    let input = match input {
        Some("-") => stdin()?,
        Some(input) => input.to_owned(),
        None => String::new(),
    };
    let prompt = match (input.trim().is_empty(), worker.allow_empty_input) {
        (false, _) => input,
        (true, true) => NO_INPUT.to_owned(),
        (true, false) => {
            return Err(Usage::error(format!(
                "{path}: the worker needs an input; give it behind the file, or set allow_empty_input"
            )));
        }
    };
    let start = Start {
        user: cli.user.clone(),
        prompt,
        work: Work::Program {
            digest: program.digest().map_err(Usage::error)?,
            chat: false,
        },
        place: format!("worker-{}", worker.name),
        program: Some(program),
        id: api::new_id(),
    };
    owner::ask_serving(cli, &start).await
}

/// What can be run, and what it is made of.
fn check(cli: &Cli, named: &Path) -> anyhow::Result<Exit> {
    let (program, files) = found(cli, named)?;
    let workers = files.iter().zip(&program.workers);
    if cli.json {
        let workers = workers.map(|(file, source)| {
            json!({
                "name": file.name, "path": source.path, "description": file.description,
                "toolsets": file.toolsets.keys().collect::<Vec<_>>(),
                "calls": file.may_call().collect::<Vec<_>>(),
            })
        });
        let workers: Vec<_> = workers.collect();
        say_json(
            &json!({ "program": program.name, "digest": program.digest().map_err(Usage::error)?, "workers": workers }),
        )?;
        return Ok(Exit::Done);
    }
    let lines = workers.map(|(file, source)| {
        let toolsets: Vec<&str> = file.toolsets.keys().map(String::as_str).collect();
        let calls: Vec<String> = file.may_call().collect();
        let with = if toolsets.is_empty() {
            "no tools".to_owned()
        } else {
            toolsets.join(", ")
        };
        let calls = if calls.is_empty() {
            String::new()
        } else {
            format!("; calls {}", calls.join(", "))
        };
        format!("{}: {with}{calls} ({})", file.name, source.path)
    });
    say(&lines.collect::<Vec<_>>().join("\n"));
    Ok(Exit::Done)
}

/// The program, and its worker files, if all of it can be used.
pub fn found(cli: &Cli, named: &Path) -> anyhow::Result<(Snapshot, Vec<WorkerFile>)> {
    let own = cli.data.join(OWN_WORKERS);
    let here = std::env::current_dir()?;
    let program = alfred_workers::find(named, &here, Some(&own)).map_err(Usage::error)?;
    let catalogue = alfred_tools::catalogue();
    let mut registry = Registry::of(&catalogue).with_modules_of_programs();
    let mcp = alfred_mcp::checked(alfred_mcp::Host::one_machine());
    registry.register(alfred_mcp::NAME, mcp)?;
    alfred_workers::program(&program, &registry).map_err(Usage::error)?;
    let files = program.workers.iter();
    let files = files.map(|source| WorkerFile::parse(&source.path, &source.text));
    let files = files.collect::<Result<_, _>>().map_err(Usage::error)?;
    Ok((program, files))
}

/// At most a megabyte: no model reads more.
fn stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    let read = io::stdin().take(MOST + 1).read_to_string(&mut text);
    read.context("stdin can't be read as text")?;
    if text.len() as u64 > MOST {
        return Err(Usage::error("stdin: it is longer than 1 MB"));
    }
    Ok(text)
}
