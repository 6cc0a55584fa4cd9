//! `alfred worker run`: a worker file (seed 004), once, through the same loop
//! as every other run.

use alfred_agent::Work;
use alfred_workers::{Mode, WorkerFile};
use anyhow::Context;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{answer, owner};
use crate::api::{self, Answer, Start};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};

/// The longest worker file, and the longest input on stdin, in bytes.
const MOST: u64 = 1 << 20;
/// What a worker is told that may be started without input, and is.
const NO_INPUT: &str = "Begin. There is no input.";

pub async fn run(cli: &Cli, file: &Path, input: Option<&str>) -> anyhow::Result<Exit> {
    answer::report(cli, answer(cli, file, input).await)
}

async fn answer(cli: &Cli, file: &Path, input: Option<&str>) -> anyhow::Result<Answer> {
    let path = file.display().to_string();
    let text = File::open(file).and_then(read);
    let text = text.map_err(|error| Usage::error(format!("{path}: {error}")))?;
    let worker = checked(&path, &text)?;
    alfred_workers::check_program(file).map_err(Usage::error)?;
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
        work: Work::File { path, text },
        place: format!("worker-{}", worker.name),
        id: api::new_id(),
    };
    owner::ask_serving(cli, &start).await
}

/// The file, if a worker of it can be run today.
fn checked(path: &str, text: &str) -> anyhow::Result<WorkerFile> {
    let file = WorkerFile::parse(path, text).map_err(Usage::error)?;
    if file.mode == Mode::Chat {
        let words = "mode: chat workers can't be run yet, only single ones";
        return Err(Usage::error(format!("{path}: {words}")));
    }
    alfred_workers::agent(file.clone(), &alfred_tools::catalogue()).map_err(Usage::error)?;
    Ok(file)
}

fn stdin() -> anyhow::Result<String> {
    read(std::io::stdin()).context("stdin can't be read as text")
}

/// At most a megabyte: more is no worker file, and no model reads it.
fn read(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(MOST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::Error::other("it is longer than 1 MB"));
    }
    Ok(text)
}
