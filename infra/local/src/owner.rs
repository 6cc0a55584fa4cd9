//! Who owns the data folder: this process, or another one that is asked instead.

use alfred_embedded::FolderError;
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::time::{Duration, Instant};

use crate::ask::LOOK_EVERY;
use crate::cli::Cli;
use crate::exit::Usage;
use crate::local_api::Answer;
use crate::local_app::{self, LocalApp};
use crate::serve;

/// How long a folder between two owners is asked again.
const PATIENCE: Duration = Duration::from_secs(15);

pub enum Owner {
    Us(Box<LocalApp>),
    Other(Process),
}

/// A process that owns the folder.
pub struct Process {
    address: String,
    token: SecretString,
}

/// Opens the folder to read in it, or finds who has it.
pub async fn owner(cli: &Cli) -> anyhow::Result<Owner> {
    match local_app::open_folder(&cli.data) {
        Ok(folder) => {
            let app = local_app::furnish(folder, 0, cli.chosen()).await?;
            Ok(Owner::Us(Box::new(app)))
        }
        Err(error) => Ok(Owner::Other(Process::from_folder_error(error)?)),
    }
}

/// Has a question answered by the process that owns the folder, or opens it for this question.
/// A folder that is just being opened, or whose owner is just going, is asked again.
pub async fn answer<B: Serialize>(
    cli: &Cli,
    path: &str,
    question: &B,
    here: impl AsyncFn(&LocalApp, &B) -> anyhow::Result<Answer>,
) -> anyhow::Result<Answer> {
    let began = Instant::now();
    loop {
        let in_use = match serve::open(cli, 0).await {
            Ok(open) => {
                let answer = here(&open.app, question).await;
                open.close().await;
                return answer;
            }
            Err(error) => match error.downcast::<FolderError>()? {
                in_use @ FolderError::InUse { .. } => in_use,
                other => return Err(other.into()),
            },
        };
        let failed = match Process::from_folder_error(in_use) {
            Ok(process) => match process.post(path, question).await {
                Ok(text) => return Ok(serde_json::from_str(&text)?),
                Err(refused @ (NoAnswer::Refused(_) | NoAnswer::Usage(_))) => {
                    return Err(refused.into());
                }
                Err(NoAnswer::Gone(error)) => error,
            },
            Err(error) => error,
        };
        if began.elapsed() > PATIENCE {
            return Err(failed);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

impl Process {
    /// The process behind an error about a folder that is in use.
    pub fn from_folder_error(error: FolderError) -> anyhow::Result<Self> {
        match error {
            FolderError::InUse {
                address: Some(address),
                token: Some(token),
                ..
            } => Ok(Self { address, token }),
            other => Err(other.into()),
        }
    }

    /// Asks it, and gives the answer's text.
    pub async fn post(&self, path: &str, body: &impl Serialize) -> Result<String, NoAnswer> {
        let gone = |error: reqwest::Error| {
            let words = "the process that owns the data folder doesn't answer; start it again";
            NoAnswer::Gone(anyhow::Error::new(error).context(words))
        };
        // Our own process on this machine: no proxy on the way.
        let client = reqwest::Client::builder()
            .no_proxy()
            .build()
            .map_err(gone)?;
        let request = client
            .post(format!("{}{path}", self.address))
            .bearer_auth(self.token.expose_secret())
            .json(body);
        let response = request.send().await.map_err(gone)?;
        let status = response.status();
        let text = response.text().await.map_err(gone)?;
        if status.is_success() {
            Ok(text)
        } else if status == StatusCode::BAD_REQUEST {
            Err(NoAnswer::Usage(Usage(text)))
        } else {
            Err(NoAnswer::Refused(text))
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// It said no.
    #[error("{0}")]
    Refused(String),
    /// It was asked wrongly.
    #[error(transparent)]
    Usage(Usage),
    /// It isn't there, or went away.
    #[error(transparent)]
    Gone(anyhow::Error),
}
