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
use crate::house::{self, DEMO, House};
use crate::local_api::SLACK_PATH;
use crate::own_servers;
use crate::sessions::LINK_MINUTES;
use crate::terminal::say;
use crate::web;

/// For the last bytes of an answer.
const FAREWELL: Duration = Duration::from_millis(30);

/// A house whose doors are open. Dropping it closes them.
pub struct Open {
    pub house: Arc<House>,
    work: Vec<tokio::task::JoinHandle<()>>,
}

impl Open {
    /// Waits for other processes' questions that are under way, and goes.
    pub async fn close(self) {
        let clock = &self.house.ports.clock;
        while self.house.guests.load(Ordering::SeqCst) > 0 {
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
    let folder = house::open_folder(&cli.data)?;
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| {
            format!(
                "port {port} of 127.0.0.1 is taken; choose another one with --port, or --port 0"
            )
        })?;
    let port = listener.local_addr()?.port();
    let house = Arc::new(house::furnish(folder, port, cli.chosen()).await?);
    house
        .folder
        .publish(&house.url, &SecretString::from(house.token.clone()))?;
    let functions = Arc::new(Functions::new(&house)?);
    let router = web::router(house.clone(), port);
    let mut work = vec![
        tokio::spawn(functions.run()),
        tokio::spawn(alfred_loopback::serve(listener, move |_| router.clone())),
    ];
    if let Some(slack) = house.slack.clone() {
        work.push(tokio::spawn(async move { slack.deliver().await }));
    }
    Ok(Open { house, work })
}

/// Serves until Ctrl-C.
pub async fn serve(cli: &Cli) -> anyhow::Result<Exit> {
    let open = open(cli, cli.port).await?;
    say(&banner(&open).await);
    tokio::signal::ctrl_c().await?;
    say("Alfred stops. Whatever was under way goes on at the next start.");
    Ok(Exit::Done)
}

async fn banner(open: &Open) -> String {
    let house = &open.house;
    let mut lines = vec![format!(
        "Alfred is up. Everything is stored in {}",
        house.folder.path().display()
    )];
    match house.page_link() {
        Some(link) => lines.extend([
            format!("Open {link} to talk to it: a page that plays Slack."),
            format!(
                "The link lets one browser in, within {LINK_MINUTES} minutes; `cargo run -- page` prints another."
            ),
        ]),
        None => lines.push(format!("Slack's request URL is {}{SLACK_PATH}", house.url)),
    }
    if house.model == DEMO {
        lines.push(
            "Model: demo:offline, which understands everyday requests by parsing. \
             Set OPENAI_API_KEY, ALFRED_MODEL or ALFRED_MODEL_URL for a real one."
                .into(),
        );
        if std::env::var(ALFRED_MODEL).is_err() {
            lines.extend(own_servers::offers().await);
        }
    } else {
        lines.push(format!("Model: {}", house.model));
    }
    lines.extend(house.mail.clone());
    lines.push("Stop with Ctrl-C.".into());
    lines.join("\n")
}
