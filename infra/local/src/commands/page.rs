//! `alfred page`: prints a new link to the page of the serving process.

use alfred_embedded::FolderError;
use anyhow::bail;
use serde_json::json;

use super::owner::Process;
use crate::api::PageLink;
use crate::app::{Absent, open_folder};
use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::{made, say_made, started_as};

pub async fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let process = match open_folder(&cli.data, Absent::Refused) {
        Ok(_) | Err(FolderError::Empty { .. }) => {
            bail!(
                "nothing serves {}; `{} serve` does, and prints a link",
                cli.data.display(),
                started_as()
            );
        }
        Err(error) => Process::from_folder_error(error)?,
    };
    let link = process.post(&PageLink {}).await?;
    say_made(cli.json, &made(cli.json, &json!({"url": link}), || link)?);
    Ok(Exit::Done)
}
