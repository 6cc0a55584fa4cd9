//! `alfred dlq`: looks at messages that were given up, and settles them.

use super::owner;
use crate::api::{Dlq, DlqCommand};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};

pub async fn run(cli: &Cli, command: &DlqCommand) -> anyhow::Result<Exit> {
    if let DlqCommand::Drop { id, yes: false } = command {
        return Err(Usage::error(format!(
            "this deletes the message {id} and can't be undone; repeat it with --yes"
        )));
    }
    let (command, json) = (command.clone(), cli.json);
    let asked = Dlq { command, json };
    #[cfg(feature = "aws")]
    if let Some(text) = super::deployment::dlq(&asked).await? {
        crate::terminal::say_made(cli.json, &text);
        return Ok(Exit::Done);
    }
    owner::print(cli, &asked).await
}
