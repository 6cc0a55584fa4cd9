//! `alfred audit`: who did what for whom, and whether the record is whole.

use super::owner;
use crate::api::{Audit, AuditCommand};
use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::say_made;

pub async fn run(cli: &Cli, command: &AuditCommand) -> anyhow::Result<Exit> {
    let asked = Audit {
        command: command.clone(),
        json: cli.json,
    };
    #[cfg(feature = "aws")]
    let report = match super::deployment::audit(&cli.team).await? {
        Some(record) => crate::server::audit::report(&record, &asked, |id| Ok(id.into())).await?,
        None => owner::ask(cli, &asked).await?,
    };
    #[cfg(not(feature = "aws"))]
    let report = owner::ask(cli, &asked).await?;
    say_made(cli.json, &report.text);
    Ok(if report.clean {
        Exit::Done
    } else {
        Exit::Failed
    })
}
