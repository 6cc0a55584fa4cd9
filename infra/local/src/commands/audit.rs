//! `alfred audit`: lists the audit entries and checks that they are intact.

#[cfg(feature = "aws")]
use alfred_core::Progress;

use super::owner;
#[cfg(feature = "aws")]
use super::waiting;
use crate::api::{Audit, AuditCommand};
use crate::cli::Cli;
use crate::exit::Exit;
#[cfg(feature = "aws")]
use crate::server::audit::report;
use crate::terminal::say_made;

pub async fn run(cli: &Cli, command: &AuditCommand) -> anyhow::Result<Exit> {
    let asked = Audit {
        command: command.clone(),
        json: cli.json,
    };
    #[cfg(feature = "aws")]
    let report = match super::deployment::audit(&cli.team).await? {
        Some(record) => {
            let checking = Progress::default();
            let report = report(&record, &asked, &checking, |id| Ok(id.into()));
            waiting::shown(report, async || checking.words()).await?
        }
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
