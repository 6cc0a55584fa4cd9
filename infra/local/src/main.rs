//! The `alfred` binary: all functions in one process, and the command line.

mod answer;
mod approvals;
mod ask;
mod audit;
mod cli;
#[cfg(feature = "aws")]
mod deployment;
mod exit;
mod forget;
mod functions;
mod link;
mod local_api;
mod local_app;
mod own_servers;
mod owner;
mod page;
mod people;
mod run_tool;
mod serve;
mod sessions;
mod start;
mod terminal;
mod tools;
mod trace;
mod web;
mod worker;
mod workspace;

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use cli::{Cli, Command, WorkerCommand};
use exit::Exit;

#[tokio::main]
async fn main() -> ExitCode {
    // Fails only if another provider was installed before, and there is no other.
    drop(rustls::crypto::ring::default_provider().install_default());
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            let words = error.render().to_string();
            if !error.use_stderr() {
                terminal::say(words.trim_end());
                return Exit::Done.into();
            }
            terminal::complain(words.trim_start_matches("error: ").trim_end());
            return Exit::Usage.into();
        }
    };
    logging();
    let ended = match &cli.command {
        None | Some(Command::Serve) => serve::serve(&cli).await,
        Some(Command::Page) => link::print(&cli).await,
        Some(Command::Ask { request }) => ask::ask(&cli, &request.join(" ")).await,
        Some(Command::Tools) => tools::list(&cli),
        Some(Command::Trace { id }) => trace::trace(&cli, id).await,
        Some(Command::RunTool { name, arguments }) => run_tool::run(&cli, name, arguments).await,
        Some(Command::Audit { command }) => audit::audit(&cli, command).await,
        Some(Command::Approvals { command }) => approvals::approvals(&cli, command).await,
        Some(Command::Users { command }) => people::people(&cli, command).await,
        Some(Command::Worker {
            command: WorkerCommand::Run { file, input },
        }) => worker::run(&cli, file, input.as_deref()).await,
    };
    match ended {
        Ok(Exit::Done) if terminal::UNWRITTEN.load(Ordering::Relaxed) => Exit::Failed.into(),
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::complain(&format!("{error:#}"));
            exit::of(&error).into()
        }
    }
}

/// Warnings to stderr, more with `RUST_LOG`; stdout is for answers.
fn logging() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
}
