//! Asks the owner of the data folder: this process or another one.

use alfred_embedded::FolderError;
use anyhow::anyhow;
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use std::time::{Duration, Instant};

use super::waiting;
use crate::api::{HowFar, Request};
use crate::app::{LocalApp, open_folder};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};
use crate::server::Server;
use crate::terminal::say_made;

/// How long to retry while the folder changes its owner.
const PATIENCE: Duration = Duration::from_secs(15);
const ASK_EVERY: Duration = Duration::from_millis(15);

pub struct Process {
    address: String,
    token: SecretString,
}

/// Answers a request that only needs the store, here or at the folder's owner.
pub async fn ask<R: Request>(cli: &Cli, question: &R) -> anyhow::Result<R::Answer> {
    match open_folder(&cli.data, question.absent()) {
        Ok(folder) => {
            let app = LocalApp::open(folder, 0, cli.chosen()).await?;
            waiting::shown(question.answer(&app), async || app.how_far()).await
        }
        Err(error) => {
            let process = Process::from_folder_error(error)?;
            waiting::shown(process.post(question), async || process.how_far().await).await
        }
    }
}

/// Prints the answer of a request that only needs the store.
pub async fn print(cli: &Cli, question: &impl Request<Answer = String>) -> anyhow::Result<Exit> {
    say_made(cli.json, &ask(cli, question).await?);
    Ok(Exit::Done)
}

/// Answers a request that starts runs, at the folder's owner or here with a temporary server.
pub async fn ask_serving<R: Request>(cli: &Cli, question: &R) -> anyhow::Result<R::Answer> {
    let mut answering = Answering::default();
    let answer = answering.ask(cli, question).await;
    answering.end().await;
    answer
}

/// Answers several requests one after the other. Without another owner of the folder, this process serves until the
/// end, since it can't reopen a folder that it served.
#[derive(Default)]
pub struct Answering(Option<Server>);

impl Answering {
    /// Retries while the folder is being opened or closed.
    pub async fn ask<R: Request>(&mut self, cli: &Cli, question: &R) -> anyhow::Result<R::Answer> {
        let began = Instant::now();
        loop {
            if let Some(server) = &self.0 {
                let app = &server.app;
                return waiting::shown(question.answer(app), async || app.how_far()).await;
            }
            let failed = match open_folder(&cli.data, question.absent()) {
                Ok(folder) => {
                    self.0 = Some(Server::start(folder, cli.chosen(), 0).await?);
                    continue;
                }
                Err(in_use @ FolderError::InUse { .. }) => {
                    match owner_answers(in_use, question).await {
                        Ok(answer) => return Ok(answer),
                        Err(NoAnswer::Refused(error)) => return Err(error),
                        Err(NoAnswer::Gone(error)) => error,
                    }
                }
                Err(other) => return Err(unusable(other)),
            };
            if began.elapsed() > PATIENCE {
                return Err(failed);
            }
            tokio::time::sleep(ASK_EVERY).await;
        }
    }

    pub async fn end(self) {
        if let Some(server) = self.0 {
            server.close().await;
        }
    }
}

async fn owner_answers<R: Request>(in_use: FolderError, asked: &R) -> Result<R::Answer, NoAnswer> {
    let process = Process::from_folder_error(in_use).map_err(NoAnswer::Gone)?;
    waiting::shown(process.try_post(asked), async || process.how_far().await).await
}

enum NoAnswer {
    Refused(anyhow::Error),
    /// It is starting, or has ended.
    Gone(anyhow::Error),
}

/// An empty folder is usually a mistyped name.
fn unusable(error: FolderError) -> anyhow::Error {
    match error {
        empty @ FolderError::Empty { .. } => Usage::error(empty),
        other => other.into(),
    }
}

impl Process {
    /// The owner of a folder that is in use.
    pub fn from_folder_error(error: FolderError) -> anyhow::Result<Self> {
        match error {
            FolderError::InUse {
                address: Some(address),
                token: Some(token),
                ..
            } => Ok(Self { address, token }),
            other => Err(unusable(other)),
        }
    }

    /// The progress of its long work, if it reports any.
    async fn how_far(&self) -> Option<String> {
        self.try_post(&HowFar {}).await.ok().flatten()
    }

    pub async fn post<R: Request>(&self, question: &R) -> anyhow::Result<R::Answer> {
        let answer = self.try_post(question).await;
        answer.map_err(|(NoAnswer::Refused(error) | NoAnswer::Gone(error))| error)
    }

    async fn try_post<R: Request>(&self, question: &R) -> Result<R::Answer, NoAnswer> {
        let gone = |error: reqwest::Error| {
            let words = "the process that owns the data folder doesn't answer; start it again";
            NoAnswer::Gone(anyhow::Error::new(error).context(words))
        };
        // Our own process on this machine, so no proxy.
        let client = reqwest::Client::builder().no_proxy().build();
        let client = client.map_err(gone)?;
        let request = client
            .post(format!("{}{}", self.address, R::PATH))
            .bearer_auth(self.token.expose_secret())
            .json(question);
        let response = request.send().await.map_err(gone)?;
        let status = response.status();
        let text = response.text().await.map_err(gone)?;
        if status.is_success() {
            serde_json::from_str(&text).map_err(|error| NoAnswer::Refused(error.into()))
        } else if status == StatusCode::BAD_REQUEST {
            Err(NoAnswer::Refused(Usage::error(text)))
        } else {
            Err(NoAnswer::Refused(anyhow!(text)))
        }
    }
}
