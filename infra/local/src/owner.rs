//! Who owns the data folder: this process, or another one that is asked instead.

use alfred_embedded::FolderError;
use anyhow::{Context, anyhow};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;

use crate::cli::Cli;
use crate::house::{self, House};

/// The owner.
pub enum Owner {
    /// This process now.
    Us(Box<House>),
    /// Another process.
    Other(Process),
}

/// A process that owns the folder.
pub struct Process {
    address: String,
    token: SecretString,
}

/// Opens the folder to read in it, or finds who has it.
pub async fn of(cli: &Cli) -> anyhow::Result<Owner> {
    match house::open_folder(&cli.data) {
        Ok(folder) => {
            let house = house::furnish(folder, "http://127.0.0.1:0").await?;
            Ok(Owner::Us(Box::new(house)))
        }
        Err(error) => Ok(Owner::Other(Process::of(error)?)),
    }
}

impl Process {
    /// The process behind an error about a folder that is in use.
    pub fn of(error: FolderError) -> anyhow::Result<Self> {
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
    pub async fn post(&self, path: &str, body: &impl Serialize) -> anyhow::Result<String> {
        // It is on this machine: a proxy for the outside can't reach it.
        let client = reqwest::Client::builder().no_proxy().build()?;
        let response = client
            .post(format!("{}{path}", self.address))
            .bearer_auth(self.token.expose_secret())
            .json(body)
            .send()
            .await
            .context("the process that owns the data folder doesn't answer; start it again")?;
        let fine = response.status().is_success();
        let text = response.text().await?;
        if fine { Ok(text) } else { Err(anyhow!(text)) }
    }
}
