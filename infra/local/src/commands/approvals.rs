//! `alfred approvals`: lists and decides approvals in the terminal.

use alfred_agent::model::Verdict;

use super::{answer, owner};
use crate::api::{Approvals, Decide};
use crate::cli::{ApprovalsCommand, Cli};
use crate::exit::Exit;

pub async fn run(cli: &Cli, command: &ApprovalsCommand) -> anyhow::Result<Exit> {
    let (approval, verdict, reason) = match command {
        ApprovalsCommand::List => return list(cli).await,
        ApprovalsCommand::Approve { id } => (id, Verdict::Approve, None),
        ApprovalsCommand::Reject { id, reason } => (id, Verdict::Reject, reason.clone()),
    };
    let asked = Decide {
        reason,
        ..Decide::new(&cli.user, approval, verdict)
    };
    let exit = answer::report(cli, owner::ask_serving(cli, &asked).await)?;
    // A rejection that was accepted is a success, whatever the run's outcome.
    Ok(match verdict {
        Verdict::Reject if exit != Exit::Waiting => Exit::Done,
        _ => exit,
    })
}

async fn list(cli: &Cli) -> anyhow::Result<Exit> {
    let asked = Approvals {
        user: cli.user.clone(),
        alfred: cli.again(),
        json: cli.json,
    };
    owner::print(cli, &asked).await
}
