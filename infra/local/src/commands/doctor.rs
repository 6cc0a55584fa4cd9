//! `alfred doctor`: checks this machine, or the deployment that the environment names.

use alfred_core::config::{SLACK_BOT_TOKEN, variable};
use alfred_core::ports::{Clock, SystemClock};
use alfred_embedded::{DATABASE, Database, FileSecrets, SCHEMA_VERSION, SECRETS};
use alfred_models::{Selection, cost_of};
use alfred_operations::doctor::machine::Machine;
use alfred_operations::doctor::model::Models;
use alfred_operations::doctor::{Check, Verdict, report, run as all, worst};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::servers::Servers;
use crate::app::{accounts, config, hosted, slack};
use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::{made, say_made};

pub async fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let findings = all(checks_of(cli).await).await;
    say_made(cli.json, &made(cli.json, &findings, || report(&findings))?);
    Ok(match worst(&findings) {
        Verdict::Problem => Exit::Failed,
        Verdict::Ok | Verdict::Warning => Exit::Done,
    })
}

async fn checks_of(cli: &Cli) -> Vec<Check> {
    let all = std::env::vars_os();
    let texts =
        all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let environment: BTreeMap<String, String> = texts.collect();
    #[cfg(feature = "aws")]
    if variable(alfred_core::config::STATE_TABLE).is_some() {
        use alfred_operations::doctor::stack::Stack;
        return Stack::checks(environment, |lookup| wrong(lookup, false)).await;
    }
    of_machine(cli, environment).await
}

async fn of_machine(cli: &Cli, environment: BTreeMap<String, String>) -> Vec<Check> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = FileSecrets::new(cli.data.join(SECRETS));
    let token = variable(SLACK_BOT_TOKEN);
    let slack = token.as_ref().map(|_| slack::real(variable, clock.clone()));
    let selected = Selection::read(variable);
    let host = match &selected {
        Ok(Selection::Endpoints(endpoints)) => hosted::models(endpoints).await,
        _ => Ok(None),
    };
    let mut wrong = wrong(&variable, token.is_none());
    wrong.extend(shown([
        slack.and_then(Result::err),
        Servers::read(variable, &secrets).await.err(),
        accounts::built_in(variable).err(),
    ]));
    let host = host.map_err(|error| wrong.push(error.to_string()));
    let machine = Machine {
        environment,
        wrong,
        models: Models {
            selected,
            host: host.unwrap_or_default(),
            clock,
            has_demo: true,
        },
        data: cli.data.clone(),
        secrets,
    };
    let database = cli.data.join(DATABASE);
    machine.checks(move || {
        let place = database.display();
        let size = std::fs::metadata(&database).map_or(0, |file| file.len() / 1_000);
        match Database::check(&database) {
            Ok(true) => Ok(format!(
                "{place} can be used: version {SCHEMA_VERSION}, {size} kB"
            )),
            Ok(false) => Ok(format!("nothing is stored in {place} yet")),
            Err(error) => Err(error.to_string()),
        }
    })
}

/// What the readers of settings refuse on one machine and on AWS.
fn wrong(lookup: &dyn Fn(&str) -> Option<String>, plays_slack: bool) -> Vec<String> {
    let unread = Arc::new(FileSecrets::new(SECRETS.into()));
    let web = alfred_web::from_settings(lookup, unread, Arc::new(SystemClock), cost_of);
    shown([
        config("http://127.0.0.1", plays_slack, lookup).err(),
        web.err().map(anyhow::Error::new),
    ])
}

fn shown(errors: impl IntoIterator<Item = Option<anyhow::Error>>) -> Vec<String> {
    let errors = errors.into_iter().flatten();
    errors.map(|error| format!("{error:#}")).collect()
}
