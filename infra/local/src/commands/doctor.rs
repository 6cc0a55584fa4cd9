//! `alfred doctor`: checks this machine, or the deployment that the environment names.

use alfred_core::config::{STATE_TABLE, variable};
use alfred_core::ports::{Clock, SystemClock};
use alfred_embedded::{DATABASE, Database, FileSecrets, SCHEMA_VERSION, SECRETS};
use alfred_models::{Selection, cost_of};
use alfred_operations::doctor::machine::Machine;
use alfred_operations::doctor::model::Models;
use alfred_operations::doctor::{Check, Finding, Verdict, bounded, report, run as all, worst};
use std::collections::BTreeMap;
use std::sync::{Arc, atomic::Ordering};

use crate::app::servers::Servers;
use crate::app::{accounts, config, hosted, slack};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};
use crate::terminal::{UNWRITTEN, made, say_made};

pub async fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let findings = all(checks_of(cli).await).await;
    say_made(cli.json, &made(cli.json, &findings, || report(&findings))?);
    let is_done = worst(&findings) != Verdict::Problem && !UNWRITTEN.load(Ordering::Relaxed);
    // A read that hangs would keep the process alive.
    std::process::exit(if is_done { Exit::Done } else { Exit::Failed } as i32)
}

async fn checks_of(cli: &Cli) -> Vec<Check> {
    let all = std::env::vars_os();
    let texts = all.filter_map(|(name, text)| name.into_string().ok().zip(text.into_string().ok()));
    let environment: BTreeMap<String, String> = texts.collect();
    if variable(STATE_TABLE).is_none() {
        return of_machine(cli, environment).await;
    }
    #[cfg(feature = "aws")]
    {
        use alfred_operations::doctor::stack::Stack;
        Stack::checks(environment, |lookup| wrong(lookup, false)).await
    }
    #[cfg(not(feature = "aws"))]
    {
        let found = "STATE_TABLE names a deployment on AWS, but this alfred is built without it";
        let problem = Finding::problem("aws", found, "Build with --features aws.");
        vec![Check::done("aws", vec![problem])]
    }
}

async fn of_machine(cli: &Cli, environment: BTreeMap<String, String>) -> Vec<Check> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let secrets = FileSecrets::new(cli.data.join(SECRETS));
    let plays_slack = slack::is_local(variable);
    let slack = (!plays_slack).then(|| slack::real(variable, clock.clone()));
    let selected = Selection::read(variable);
    let read = bounded("settings", async {
        let host = match &selected {
            Ok(Selection::Endpoints(endpoints)) => hosted::models(endpoints).await,
            _ => Ok(None),
        };
        (host, Servers::read(variable, &secrets).await.err())
    });
    let late = |late: Finding| (Ok(None), Some(Usage::error(late.found)));
    let (host, servers) = read.await.unwrap_or_else(late);
    let mut wrong = wrong(&variable, plays_slack);
    wrong.extend(shown([
        slack.and_then(Result::err),
        servers,
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
        database: cli.data.join(DATABASE),
        secrets,
    };
    machine.checks(|database| {
        let place = database.display();
        let size = std::fs::metadata(database).map_or(0, |file| file.len() / 1_000);
        match Database::check(database) {
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
        #[cfg(feature = "mail-servers")]
        alfred_mail_servers::Allowed::from_settings(lookup)
            .err()
            .map(anyhow::Error::new),
    ])
}

fn shown(errors: impl IntoIterator<Item = Option<anyhow::Error>>) -> Vec<String> {
    let errors = errors.into_iter().flatten();
    errors.map(|error| format!("{error:#}")).collect()
}
