//! The command line.

use alfred_core::Role;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Alfred, a chief of staff in Slack. Without a command: `serve`.
#[derive(Debug, Parser)]
#[command(name = "alfred", version)]
pub struct Cli {
    /// Where everything is stored.
    #[arg(long, global = true, env = "ALFRED_DATA", default_value = ".alfred")]
    pub data: PathBuf,
    /// For whom: a Slack user id, handle, name or e-mail address.
    #[arg(long, global = true, default_value = "ana")]
    pub user: String,
    /// The Slack workspace, for `trace`.
    #[arg(long, global = true, default_value = "T0LOCAL001")]
    pub team: String,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Port of the page; 0 takes a free one.
    #[arg(long, global = true, default_value_t = 4141)]
    pub port: u16,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run Alfred and the page that plays Slack.
    Serve,
    /// Ask something and print the reply and what was done.
    Ask {
        /// The request, in plain words.
        #[arg(required = true)]
        request: Vec<String>,
    },
    /// List the tools with their arguments.
    Tools,
    /// Call one tool without a model.
    RunTool {
        /// The tool, as `tools` lists it.
        name: String,
        /// Its arguments, a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Print a run's journal as a tree with timings.
    Trace {
        /// A run's id (`run_…`) or a trace id.
        id: String,
    },
    /// People.
    Users {
        /// What to do.
        #[command(subcommand)]
        command: UsersCommand,
    },
    /// Worker files.
    Worker {
        /// What to do.
        #[command(subcommand)]
        command: WorkerCommand,
    },
}

/// What to do with people.
#[derive(Debug, Subcommand)]
pub enum UsersCommand {
    /// List everybody who is registered.
    List,
    /// Register somebody whom Slack knows.
    Add {
        /// Their Slack user id.
        id: String,
        /// admin, member or guest.
        #[arg(long, default_value = "member", value_parser = role)]
        role: Role,
    },
    /// Delete everything that is stored of somebody.
    Forget {
        /// Their Slack user id.
        id: String,
        /// It can't be undone; without this nothing is deleted.
        #[arg(long)]
        yes: bool,
    },
}

/// What to do with worker files.
#[derive(Debug, Subcommand)]
pub enum WorkerCommand {
    /// Run a worker file once, with the person's data, and print its answer.
    Run {
        /// The file, `….worker`.
        file: PathBuf,
        /// What it is to work on; `-` reads it from stdin.
        input: Option<String>,
    },
}

fn role(word: &str) -> Result<Role, String> {
    serde_json::from_value(word.into()).map_err(|_| "it is none of admin, member, guest".into())
}
