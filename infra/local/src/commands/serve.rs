//! `alfred serve`: everything in one process until Ctrl-C or SIGTERM.

use alfred_core::config::{ALFRED_MODEL, variable};
use alfred_demo_model::NAME as DEMO;

use std::io;

use super::own_servers;
use crate::app::sessions::LINK_MINUTES;
use crate::app::{Absent, LocalApp, SLACK_PATH, open_folder, socket};
use crate::cli::Cli;
use crate::exit::Exit;
use crate::server::Server;
use crate::terminal::{say, started_as};

pub async fn run(cli: &Cli, functions: Option<&str>) -> anyhow::Result<Exit> {
    let folder = open_folder(&cli.data, Absent::Begun)?;
    let server = match functions {
        None => Server::start(folder, cli.chosen(), cli.port).await?,
        Some(url) => Server::before(url, folder, cli.chosen(), cli.port).await?,
    };
    let ended = ends()?;
    say(&banner(&server.app).await);
    socket::until(&server.app, ended).await?;
    say("Alfred stops. Whatever was under way goes on at the next start.");
    Ok(Exit::Done)
}

/// Waits for Ctrl-C or SIGTERM. From here on neither kills the process.
fn ends() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

async fn banner(app: &LocalApp) -> String {
    let mut lines = vec![format!(
        "Alfred is up. Everything is stored in {}",
        app.folder.path().display()
    )];
    match app.page_link() {
        Some(link) => lines.extend([
            format!("Open {link} to talk to it: a page that plays Slack."),
            format!(
                "The link lets one browser in, within {LINK_MINUTES} minutes; `{} page` prints another.",
                started_as()
            ),
        ]),
        None if app.socket.is_some() => lines.push("Slack's messages come over Socket Mode.".into()),
        None => lines.push(format!("Slack's request URL is {}{SLACK_PATH}", app.url)),
    }
    if app.model == DEMO {
        lines.push(
            "Model: demo:offline, which knows set phrases, no AI. \
             Set OPENAI_API_KEY, ALFRED_MODEL or ALFRED_MODEL_URL for a real one."
                .into(),
        );
        if variable(ALFRED_MODEL).is_none() {
            lines.extend(own_servers::offers().await);
        }
    } else {
        lines.push(format!("Model: {}", app.model));
    }
    lines.extend(app.mail.clone());
    lines.push("Stop with Ctrl-C.".into());
    lines.join("\n")
}
