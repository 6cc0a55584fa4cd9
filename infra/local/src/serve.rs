//! `alfred serve`: everything in one process until Ctrl-C.

use alfred_core::config::ALFRED_MODEL;
use anyhow::Context;
use secrecy::SecretString;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;

use crate::ask;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::functions::Functions;
use crate::local_api::SLACK_PATH;
use crate::local_app::{self, DEMO, LocalApp};
use crate::own_servers;
use crate::sessions::LINK_MINUTES;
use crate::terminal::say;
use crate::web;

/// For the last bytes of an answer.
const FAREWELL: Duration = Duration::from_millis(30);

/// An app whose doors are open. Dropping it closes them.
pub struct Open {
    pub app: Arc<LocalApp>,
    work: Vec<tokio::task::JoinHandle<()>>,
}

impl Open {
    /// Waits for other processes' questions that are under way, and goes.
    pub async fn close(self) {
        let clock = &self.app.ports.clock;
        while self.app.guests.load(Ordering::SeqCst) > 0 {
            clock.sleep(ask::LOOK_EVERY).await;
        }
        // The last answer is on its way through the socket.
        clock.sleep(FAREWELL).await;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        for task in &self.work {
            task.abort();
        }
    }
}

/// Opens the data folder and starts everything on a port of 127.0.0.1.
pub async fn open(cli: &Cli, port: u16) -> anyhow::Result<Open> {
    let folder = local_app::open_folder(&cli.data)?;
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| {
            format!(
                "port {port} of 127.0.0.1 is taken; choose another one with --port, or --port 0"
            )
        })?;
    let port = listener.local_addr()?.port();
    let app = Arc::new(local_app::furnish(folder, port, cli.chosen()).await?);
    app.folder
        .publish(&app.url, &SecretString::from(app.token.clone()))?;
    let functions = Arc::new(Functions::new(&app)?);
    let router = web::router(app.clone(), port);
    let mut work = vec![
        tokio::spawn(functions.run()),
        tokio::spawn(alfred_loopback::serve(listener, move |_| router.clone())),
    ];
    if let Some(slack) = app.slack.clone() {
        work.push(tokio::spawn(async move { slack.deliver().await }));
    }
    Ok(Open { app, work })
}

pub async fn serve(cli: &Cli) -> anyhow::Result<Exit> {
    let open = open(cli, cli.port).await?;
    say(&banner(&open).await);
    tokio::signal::ctrl_c().await?;
    say("Alfred stops. Whatever was under way goes on at the next start.");
    Ok(Exit::Done)
}

async fn banner(open: &Open) -> String {
    let app = &open.app;
    let mut lines = vec![format!(
        "Alfred is up. Everything is stored in {}",
        app.folder.path().display()
    )];
    match app.page_link() {
        Some(link) => lines.extend([
            format!("Open {link} to talk to it: a page that plays Slack."),
            format!(
                "The link lets one browser in, within {LINK_MINUTES} minutes; `cargo run -- page` prints another."
            ),
        ]),
        None => lines.push(format!("Slack's request URL is {}{SLACK_PATH}", app.url)),
    }
    if app.model == DEMO {
        lines.push(
            "Model: demo:offline, which understands everyday requests by parsing. \
             Set OPENAI_API_KEY, ALFRED_MODEL or ALFRED_MODEL_URL for a real one."
                .into(),
        );
        if std::env::var(ALFRED_MODEL).is_err() {
            lines.extend(own_servers::offers().await);
        }
    } else {
        lines.push(format!("Model: {}", app.model));
    }
    lines.extend(app.mail.clone());
    lines.push("Stop with Ctrl-C.".into());
    lines.join("\n")
}
