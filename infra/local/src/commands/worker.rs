//! `alfred worker`: runs, checks and lists worker files.

use alfred_agent::model::MOST_BYTES;
use alfred_workers::models::{self, Named};
use alfred_workers::{Found, Level, Listed, Mode};
use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use super::program::{below, described, found, let_run};
use super::{answer, chat, owner};
use crate::api::{self, Answer, Start};
use crate::app::model;
use crate::cli::{Cli, How, WorkerCommand};
use crate::exit::{Exit, Usage, none_of};
use crate::terminal::{complain, made, one_line, say, say_json, say_made};

/// Largest input on stdin, in bytes.
const MOST: u64 = 1 << 20;
const NO_INPUT: &str = "Begin. There is no input.";

pub async fn run(cli: &Cli, command: &WorkerCommand) -> anyhow::Result<Exit> {
    match command {
        WorkerCommand::Run { worker, input, how } => {
            let answered = answered(cli, worker, input.as_deref(), how).await;
            answer::report(cli, answered)
        }
        WorkerCommand::Chat { worker, how } => chat::run(cli, worker, how).await,
        WorkerCommand::Check { worker, program } => check(cli, worker, program.as_deref()),
        WorkerCommand::List { program } => list(cli, program.as_deref()),
    }
}

async fn answered(cli: &Cli, at: &Path, input: Option<&str>, how: &How) -> anyhow::Result<Answer> {
    let (program, files) = found(cli, at, how.program.as_deref())?;
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
                "{path}: the worker needs an input; give it after the file, or set allow_empty_input"
            )));
        }
    };
    let attach = how.attach.iter().map(|path| attached(path));
    let start = Start {
        user: cli.user.clone(),
        prompt,
        work: let_run(cli, &program, &files, how, false).await?,
        attach: attach.collect::<Result<_, _>>()?,
        place: format!("worker-{}", worker.name),
        program: Some(program),
        model: how.model.clone(),
        id: api::new_id(),
    };
    owner::ask_serving(cli, &start).await
}

fn attached(path: &Path) -> anyhow::Result<(String, String)> {
    let wrong = |error: io::Error| Usage::error(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(wrong)?;
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(wrong)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong(io::Error::other("it is longer than 10 MB")));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((name.into_owned(), STANDARD.encode(bytes)))
}

/// Prints what a worker consists of, if it can be run.
fn check(cli: &Cli, named: &Path, folder: Option<&Path>) -> anyhow::Result<Exit> {
    let (program, files) = found(cli, named, folder)?;
    let environment = model::set();
    let named = Named {
        environment: environment.as_deref(),
        ..Named::default()
    };
    // Checking files needs no keys.
    let (models, problems) = models::of(&program, named, &|_| None);
    none_of(problems)?;
    if cli.json {
        let workers = files.iter().zip(&program.workers).map(|(file, source)| {
            json!({
                "name": file.name, "path": source.path, "description": file.description,
                "model": models.get(&file.name).or(environment.as_ref()),
                "toolsets": file.toolsets.keys().collect::<Vec<_>>(),
                "calls": file.may_call().collect::<Vec<_>>(), "skills": file.may_read(),
            })
        });
        let workers: Vec<_> = workers.collect();
        say_json(
            &json!({ "program": program.name, "digest": program.digest().map_err(Usage::error)?, "workers": workers }),
        )?;
        return Ok(Exit::Done);
    }
    say(&described(&program, &files, &models));
    Ok(Exit::Done)
}

/// The available workers, and those hidden by another of the same name.
fn list(cli: &Cli, folder: Option<&Path>) -> anyhow::Result<Exit> {
    let here = std::env::current_dir()?;
    let found = Found::of(below(cli, folder, &here)).map_err(Usage::error)?;
    let whose = |level: Level| match level {
        Level::Program => "program",
        Level::Own => "own",
        Level::BuiltIn => "built-in",
    };
    let listed = found.list();
    let workers = listed.iter().map(|one| {
        json!({
            "name": one.name, "description": one.description, "model": one.model, "path": one.path,
            "level": whose(one.level), "behind": one.behind.map(whose),
        })
    });
    let workers: Vec<_> = workers.collect();
    let line = |one: &Listed| {
        let behind = one.behind.map(whose);
        let behind = behind.map(|by| format!(", hidden by the {by} one"));
        let model = one.model.as_ref().map(|name| format!(", {name}"));
        let (behind, model) = (behind.unwrap_or_default(), model.unwrap_or_default());
        let (name, level, path) = (&one.name, whose(one.level), &one.path);
        one_line(&format!("{name} {level}{behind}{model} {path}"))
    };
    let text = || listed.iter().map(line).collect::<Vec<_>>().join("\n");
    say_made(cli.json, &made(cli.json, &workers, text)?);
    let problems = found.problems();
    for problem in &problems {
        complain(&one_line(&problem.to_string()));
    }
    let fine = problems.is_empty();
    Ok(if fine { Exit::Done } else { Exit::Failed })
}

/// At most 1 MB, more than any model reads.
fn stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    let read = io::stdin().take(MOST + 1).read_to_string(&mut text);
    read.context("stdin can't be read as text")?;
    if text.len() as u64 > MOST {
        return Err(Usage::error("stdin: it is longer than 1 MB"));
    }
    Ok(text)
}
