#![doc = include_str!("../README.md")]

mod api;
mod app;
mod cli;
mod commands;
mod exit;
mod server;
mod terminal;

use std::process::ExitCode;
use std::sync::atomic::Ordering;

use cli::Cli;
use exit::Exit;

#[tokio::main]
async fn main() -> ExitCode {
    // Fails only if a provider is already installed, and there is no other.
    drop(rustls::crypto::ring::default_provider().install_default());
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            let words = error.render().to_string();
            if !error.use_stderr() {
                terminal::say(words.trim_end());
                return ended(Exit::Done);
            }
            terminal::complain(words.trim_start_matches("error: ").trim_end());
            return Exit::Usage.into();
        }
    };
    logging();
    match commands::run(&cli).await {
        Ok(exit) => ended(exit),
        Err(error) => {
            terminal::complain(&format!("{error:#}"));
            Exit::from(&error).into()
        }
    }
}

/// If output couldn't be written, the command failed.
fn ended(exit: Exit) -> ExitCode {
    if terminal::UNWRITTEN.load(Ordering::Relaxed) {
        return Exit::Failed.into();
    }
    exit.into()
}

/// Logs warnings to stderr, more with `RUST_LOG`. Stdout is for answers.
fn logging() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(terminal::colours(&std::io::stderr()))
        .init();
}
