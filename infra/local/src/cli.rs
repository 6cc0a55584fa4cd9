use alfred_core::Role;
use alfred_core::policy::Mode;
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::path::PathBuf;

use crate::api::{AuditCommand, DlqCommand};
use crate::app::workspace::Chosen;

/// Alfred, a chief of staff in Slack. Without a command: `serve`.
#[derive(Debug, Parser)]
#[command(name = "alfred", version)]
pub struct Cli {
    /// Where everything is stored.
    #[arg(long, global = true, env = "ALFRED_DATA", default_value = ".alfred")]
    pub data: PathBuf,
    /// Your mail and calendars: a folder with `mail/` and `calendar.ics`, `--user`'s own, or one with such
    /// a folder for each person. A sample in the data folder unless given.
    #[arg(long, global = true, env = "ALFRED_WORKSPACE", value_name = "DIR")]
    pub workspace: Option<PathBuf>,
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
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Parses the command line. `audit list` filters by user only if `--user` is given.
    pub fn read() -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches()?;
        let mut cli = Self::from_arg_matches(&matches)?;
        let mut inner = &matches;
        while let Some((_, deeper)) = inner.subcommand() {
            inner = deeper;
        }
        let named = inner.value_source("user") == Some(ValueSource::CommandLine);
        if let Some(Command::Audit {
            command: AuditCommand::List(wanted),
        }) = &mut cli.command
        {
            wanted.of = named.then(|| cli.user.clone());
        }
        Ok(cli)
    }

    /// How a command for the same data and person begins.
    pub fn again(&self) -> String {
        let mut words = "alfred".to_owned();
        let data = std::env::var_os("ALFRED_DATA").unwrap_or_else(|| ".alfred".into());
        if self.data != data {
            words += &format!(" --data {}", self.data.display());
        }
        if self.user != "ana" {
            words += &format!(" --user {}", self.user);
        }
        words
    }

    pub fn chosen(&self) -> Chosen<'_> {
        Chosen {
            folder: self.workspace.as_deref(),
            user: &self.user,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run Alfred and the page that plays Slack.
    Serve {
        /// Request URL of functions that run elsewhere: only the page that plays Slack runs here.
        #[arg(long, value_name = "URL")]
        functions: Option<String>,
    },
    /// Check everything that an installation needs. Nothing is changed.
    Doctor,
    /// Print a new link to the page of the process that serves.
    Page,
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
    /// The record of what was done, for whom, and on which decision.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// What waits for its owner.
    Approvals {
        #[command(subcommand)]
        command: ApprovalsCommand,
    },
    /// People.
    Users {
        #[command(subcommand)]
        command: UsersCommand,
    },
    /// The app in Slack.
    Slack {
        #[command(subcommand)]
        command: SlackCommand,
    },
    /// Messages that were given up.
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// Worker files.
    Worker {
        #[command(subcommand)]
        command: WorkerCommand,
    },
}

#[derive(Debug, Subcommand)]
pub enum ApprovalsCommand {
    /// List what waits, with all of what would run.
    List,
    /// Let it run, exactly as it is shown.
    Approve {
        /// The approval, `apr_…`.
        id: String,
    },
    /// Don't let it run.
    Reject {
        /// The approval, `apr_…`.
        id: String,
        /// Why not, for Alfred to read.
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum SlackCommand {
    /// Print the manifest from which the app is made: api.slack.com/apps → Create New App → From a manifest.
    Manifest {
        /// For Socket Mode, which needs no address.
        #[arg(long, conflicts_with = "url")]
        socket: bool,
        /// The address to which Slack sends its requests; on one machine it ends in /slack/events.
        #[arg(long, value_parser = https)]
        url: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub enum UsersCommand {
    /// List everybody who is registered.
    List,
    /// Register a person who is in Slack.
    Add {
        /// Their Slack user id.
        id: String,
        /// admin, member or guest.
        #[arg(long, default_value = "member", value_parser = role)]
        role: Role,
    },
    /// Delete everything stored about a person.
    Forget {
        /// Their Slack user id.
        id: String,
        /// It can't be undone; without this nothing is deleted.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum WorkerCommand {
    /// Run a worker once, with the person's data, and print its answer.
    Run {
        /// Its file, a folder with a `main.worker`, or its name in the program of this folder.
        worker: PathBuf,
        /// What it is to work on; `-` reads it from stdin.
        input: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Talk to a worker of `mode: chat`, which remembers what was said until `/new`. `/exit` leaves.
    Chat {
        /// As for `run`.
        worker: PathBuf,
        #[command(flatten)]
        how: How,
    },
    /// Look whether a worker, and all that it may call, can be run. Every error is shown with line and column.
    Check {
        /// As for `run`.
        worker: PathBuf,
        /// The program's folder; this one unless given.
        #[arg(long, value_name = "DIR")]
        program: Option<PathBuf>,
    },
    /// List the workers there are: the program's, then your own, then Alfred's.
    List {
        /// The program's folder; this one unless given.
        #[arg(long, value_name = "DIR")]
        program: Option<PathBuf>,
    },
}

pub const TRUST_NOW: &str = "now";

#[derive(Args, Debug)]
pub struct How {
    /// The program's folder; this one, or the file's own, unless given.
    #[arg(long, value_name = "DIR")]
    pub program: Option<PathBuf>,
    /// Let exactly the files of this digest run; without a digest, the files as they are now.
    #[arg(long, value_name = "DIGEST", num_args = 0..=1, default_missing_value = TRUST_NOW)]
    pub trust: Option<String>,
    /// The model of all workers, as provider:model; unless given, what their files say, ALFRED_MODEL, the program file.
    #[arg(long, value_name = "MODEL", value_parser = model)]
    pub model: Option<String>,
    /// How approvals are handled: interactive, approve_all (what reaches others still asks) or auto_deny.
    #[arg(long, env = "ALFRED_APPROVAL", value_name = "MODE", value_parser = mode)]
    pub approval: Option<Mode>,
    /// Nobody is there to be asked: what would ask is denied.
    #[arg(long)]
    pub headless: bool,
    /// A file for the worker to look at: text, a picture, a PDF. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
}

fn model(name: &str) -> Result<String, String> {
    alfred_workers::models::is_name(name).map(|()| name.to_owned())
}

fn mode(word: &str) -> Result<Mode, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "it is none of interactive, approve_all, auto_deny".into())
}

fn https(text: &str) -> Result<String, String> {
    let url = reqwest::Url::parse(text).ok();
    let url = url.filter(|url| url.scheme() == "https");
    url.map(String::from)
        .ok_or_else(|| "it is no address such as https://alfred.example.com/slack/events".into())
}

fn role(word: &str) -> Result<Role, String> {
    serde_json::from_value(word.into()).map_err(|_| "it is none of admin, member, guest".into())
}
