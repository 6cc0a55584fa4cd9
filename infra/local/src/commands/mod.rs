//! The terminal commands. Each asks the process that owns the data folder, or becomes that process, and
//! prints the answer.

mod answer;
mod approvals;
mod ask;
mod audit;
mod chat;
#[cfg(feature = "aws")]
mod deployment;
mod dlq;
mod doctor;
mod own_servers;
mod owner;
mod page;
mod program;
mod run_tool;
mod serve;
mod slack;
mod tools;
mod trace;
mod users;
mod waiting;
mod worker;

use crate::cli::{Cli, Command};
use crate::exit::Exit;

pub async fn run(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        None => serve::run(cli, None).await,
        Some(Command::Serve { functions }) => serve::run(cli, functions.as_deref()).await,
        Some(Command::Doctor) => doctor::run(cli).await,
        Some(Command::Page) => page::run(cli).await,
        Some(Command::Ask { request }) => ask::run(cli, request.join(" ")).await,
        Some(Command::Slack { command }) => Ok(slack::run(command)),
        Some(Command::Tools) => tools::run(cli),
        Some(Command::Trace { id }) => trace::run(cli, id).await,
        Some(Command::RunTool { name, arguments }) => run_tool::run(cli, name, arguments).await,
        Some(Command::Audit { command }) => audit::run(cli, command).await,
        Some(Command::Approvals { command }) => approvals::run(cli, command).await,
        Some(Command::Users { command }) => users::run(cli, command).await,
        Some(Command::Dlq { command }) => dlq::run(cli, command).await,
        Some(Command::Worker { command }) => worker::run(cli, command).await,
    }
}
