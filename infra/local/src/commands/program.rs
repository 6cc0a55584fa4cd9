//! Finds and checks the program of a worker file, describes it, and asks its person for consent.

use alfred_agent::Work;
use alfred_agent::model::Snapshot;
use alfred_agent::tool::SharedTool;
use alfred_workers::models::{self, Named};
use alfred_workers::{Below, Registry, Settings, WorkerFile};
use std::collections::BTreeMap;
use std::path::Path;

use super::owner;
use crate::api::Trust;
use crate::cli::{Cli, How, TRUST_NOW};
use crate::exit::{Usage, none_of};
use crate::terminal::{ask, complain, one_line};

/// The program and its worker files. An error if any of them can't be used.
pub fn found(
    cli: &Cli,
    named: &Path,
    folder: Option<&Path>,
) -> anyhow::Result<(Snapshot, Vec<WorkerFile>)> {
    let here = std::env::current_dir()?;
    let catalogue = alfred_tools::catalogue();
    let registry = registry(&catalogue)?;
    let program = alfred_workers::find(named, below(cli, folder, &here));
    let program = program.map_err(Usage::error)?;
    for source in &program.workers {
        for line in alfred_workers::left_out(&source.path, &source.text) {
            complain(&one_line(&format!("left out: {line}")));
        }
    }
    none_of(alfred_workers::problems(&program, &registry))?;
    let files = program.workers.iter();
    let files = files.map(|source| WorkerFile::parse(&source.path, &source.text));
    let files = files.collect::<Result<_, _>>().map_err(Usage::error)?;
    Ok((program, files))
}

pub fn below<'a>(cli: &'a Cli, folder: Option<&'a Path>, here: &'a Path) -> Below<'a> {
    Below {
        folder: folder.unwrap_or(here),
        always: folder.is_some(),
        data: Some(&cli.data),
    }
}

fn registry(catalogue: &[SharedTool]) -> anyhow::Result<Registry<'_>> {
    let mut registry = Registry::of(catalogue).with_modules_of_programs();
    let mcp = alfred_workers::mcp::checked(alfred_workers::mcp::Host::one_machine());
    registry.register(alfred_workers::mcp::NAME, mcp)?;
    Ok(registry)
}

pub fn described(
    program: &Snapshot,
    files: &[WorkerFile],
    models: &BTreeMap<String, String>,
) -> String {
    let lines = files.iter().zip(&program.workers).map(|(file, source)| {
        let toolsets: Vec<&str> = file.toolsets.keys().map(String::as_str).collect();
        let with = match toolsets.as_slice() {
            [] => "no tools".to_owned(),
            names => names.join(", "),
        };
        let named = |what: &str, names: Vec<String>| match names.as_slice() {
            [] => String::new(),
            names => format!("; {what} {}", names.join(", ")),
        };
        let model = models.get(&file.name).cloned();
        let model = named("model", model.into_iter().collect());
        let calls = named("calls", file.may_call().collect());
        let reads = named("reads", file.may_read());
        let (name, path) = (&file.name, &source.path);
        one_line(&format!("{name}: {with}{model}{calls}{reads} ({path})"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The work of a program, once the person has consented to exactly these files.
pub async fn let_run(
    cli: &Cli,
    program: &Snapshot,
    files: &[WorkerFile],
    how: &How,
    chat: bool,
) -> anyhow::Result<Work> {
    trusted(cli, program, files, how).await?;
    let settings = Settings::of(program).map_err(Usage::error)?;
    Ok(Work::Program {
        digest: program.digest().map_err(Usage::error)?,
        chat,
        approval: how.approval.unwrap_or_else(|| settings.approval()),
        headless: how.headless,
    })
}

/// Checks that the person consents to exactly these files, now or earlier.
async fn trusted(
    cli: &Cli,
    program: &Snapshot,
    files: &[WorkerFile],
    how: &How,
) -> anyhow::Result<()> {
    let digest = program.digest().map_err(Usage::error)?;
    match how.trust.as_deref() {
        Some(TRUST_NOW) => complain(&format!("you trust these files from now on: {digest}")),
        Some(named) if named != digest => {
            let words = "--trust: these files aren't the ones it names; they are";
            let words = format!("{words} {digest}. Look at what changed first");
            return Err(Usage::error(words));
        }
        _ => {}
    }
    let question = |given| Trust {
        user: cli.user.clone(),
        program: program.clone(),
        given,
    };
    if owner::ask(cli, &question(how.trust.is_some())).await? {
        return Ok(());
    }
    let named = Named {
        command_line: how.model.as_deref(),
        ..Named::default()
    };
    // Model problems are reported when the program runs.
    let (models, _) = models::of(program, named, &|_| None);
    let shown = described(program, files, &models);
    let asked = if how.headless || cli.json {
        None
    } else {
        ask(&trust_question(&shown))?
    };
    match asked {
        Some(true) if owner::ask(cli, &question(true)).await? => Ok(()),
        _ => Err(Usage::error(how_to_trust(&shown, &digest))),
    }
}

fn how_to_trust(files: &str, digest: &str) -> String {
    format!(
        "these worker files haven't run for you before:\n{files}\nTheir words guide what is done with your data. \
         Read them, then run this again with --trust at its end, or --trust {digest} for exactly these"
    )
}

fn trust_question(files: &str) -> String {
    format!(
        "These worker files haven't run for you before:\n{files}\nTheir words guide what is done with your data. Let them run? [y/N] "
    )
}
