//! `alfred run-tool`: calls one tool without a model, as the person.

use alfred_agent::Work;
use alfred_classifier::direct;

use super::{answer, owner};
use crate::api::{self, Answer, Start};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};

pub async fn run(cli: &Cli, name: &str, arguments: &str) -> anyhow::Result<Exit> {
    answer::report(cli, call(cli, name, arguments).await)
}

async fn call(cli: &Cli, name: &str, arguments: &str) -> anyhow::Result<Answer> {
    let mut call = direct::from_json(name, arguments).map_err(Usage::error)?;
    call.printed = true;
    let start = Start {
        program: None,
        model: None,
        user: cli.user.clone(),
        prompt: format!("run {} {}", call.tool, call.arguments),
        work: Work::Call(call),
        attach: Vec::new(),
        place: "run".into(),
        id: api::new_id(),
    };
    owner::ask_serving(cli, &start).await
}
