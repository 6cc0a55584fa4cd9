//! `alfred audit`: lists the audit entries and checks that they are intact.

use super::owner;
use crate::api::{Audit, AuditCommand};
use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::say_made;

pub async fn run(cli: &Cli, command: &AuditCommand) -> anyhow::Result<Exit> {
    let (command, json) = (command.clone(), cli.json);
    let asked = Audit { command, json };
    #[cfg(feature = "aws")]
    let report = match super::deployment::audit(cli, &asked).await? {
        Some(report) => report,
        None => owner::ask(cli, &asked).await?,
    };
    #[cfg(not(feature = "aws"))]
    let report = owner::ask(cli, &asked).await?;
    say_made(cli.json, &report.text);
    let clean = report.clean;
    Ok(if clean { Exit::Done } else { Exit::Failed })
}
