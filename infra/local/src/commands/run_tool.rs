//! `alfred run-tool`: one tool without a model, as the person, on the path of every run.

use alfred_agent::Work;
use alfred_classifier::direct;
use serde_json::json;

use super::{answer, owner};
use crate::api::{self, Answer, Start};
use crate::cli::Cli;
use crate::exit::{Exit, Usage};
use crate::terminal::say_json;

pub async fn run(cli: &Cli, name: &str, arguments: &str) -> anyhow::Result<Exit> {
    let answer = match call(cli, name, arguments).await {
        Ok(answer) => answer,
        // Who reads JSON gets JSON whatever happened.
        Err(error) if cli.json => {
            let failed = json!({"success": false, "error": format!("{error:#}")});
            say_json(&failed)?;
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    if cli.json {
        let output = serde_json::to_value(&answer.output)?;
        say_json(answer.data.as_ref().unwrap_or(&output))?;
    } else {
        answer::print(&answer);
    }
    Ok(answer::exit(&answer))
}

async fn call(cli: &Cli, name: &str, arguments: &str) -> anyhow::Result<Answer> {
    let call = direct::from_json(name, arguments).map_err(Usage::error)?;
    let start = Start {
        user: cli.user.clone(),
        prompt: format!("run {} {}", call.tool, call.arguments),
        work: Work::Call(call),
        place: "run".into(),
        id: api::new_id(),
    };
    owner::ask_serving(cli, &start).await
}
