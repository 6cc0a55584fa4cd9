//! `alfred page`: a new link to the page of the process that serves.

use anyhow::bail;
use serde_json::json;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::local_api::PAGE_PATH;
use crate::local_app;
use crate::owner::Process;
use crate::terminal::{say, say_json};

/// Asks the process that owns the data folder for a link, and prints it.
pub async fn print(cli: &Cli) -> anyhow::Result<Exit> {
    let process = match local_app::open_folder(&cli.data) {
        Ok(folder) => {
            bail!(
                "nothing serves {}; `cargo run` does, and prints a link",
                folder.path().display()
            );
        }
        Err(error) => Process::from_folder_error(error)?,
    };
    let link = process.post(PAGE_PATH, &json!(null)).await?;
    match cli.json {
        true => say_json(&json!({"url": link}))?,
        false => say(&link),
    }
    Ok(Exit::Done)
}
