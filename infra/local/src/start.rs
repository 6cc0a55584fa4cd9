//! Runs that the command line starts by itself: a direct call, a worker file.
//! They are admitted, queued and worked on like a request from Slack, and the
//! answer is posted in the person's direct message too.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::run::StepKind;
use alfred_agent::usage::UsageSnapshot;
use alfred_agent::{LoadedRun, RunInput, Work, dispatch, users};
use alfred_core::ports::QueueName;
use alfred_core::{ResponseType, SessionId, SlackContext, Taint, User, WorkerInput};
use anyhow::{Context, anyhow, bail};
use serde_json::Value;

use crate::answer;
use crate::ask::{self, LONGEST};
use crate::exit::Usage;
use crate::local_api::{Answer, Start};
use crate::local_app::LocalApp;
use crate::people;

/// The channel of conversations that are in no Slack.
const TERMINAL: &str = "terminal";

/// Starts a run in this process and waits for its end.
pub async fn here(app: &LocalApp, start: &Start) -> anyhow::Result<Answer> {
    if let Work::File { path, text } = &start.work {
        fits(app, path, text)?;
    }
    let team = app.team().await?;
    let id = people::id_of(app, &start.user)?;
    let ports = &app.ports;
    let stored = users::get(&*ports.store, &team, &id).await?;
    let user = stored
        .map(|stored| stored.user)
        .filter(|user| user.is_active)
        .ok_or_else(|| {
            Usage::error(format!(
                "--user: {id} isn't registered; `alfred users add {id}` does it"
            ))
        })?;
    let channel = TERMINAL.into();
    let session = SessionId::new(&team, &id, &channel, Some(&start.place));
    let origin = Origin::inline(team.clone(), id, session.clone(), &start.id);
    let request = request(&user, session, start);
    let known = origin.session(ports).await?;
    match admit(ports, &origin, request, known).await? {
        Admitted::New(loaded) | Admitted::Again(loaded) => {
            dispatch::send(ports, &loaded.run, QueueName::Ingress, 1, None).await?;
        }
        Admitted::Queued => {}
        Admitted::Duplicate => bail!("the id {} was used before", start.id),
    }
    let ended = ask::end_of(app, &team, &origin.trace_id);
    let loaded = tokio::time::timeout(LONGEST, ended)
        .await
        .context("no answer yet; the run goes on in the background")??
        .ok_or_else(|| anyhow!("there is no run"))?;
    Ok(Answer {
        data: data(&loaded),
        ..answer::answer(app, &loaded).await?
    })
}

fn request(user: &User, session_id: SessionId, start: &Start) -> Request {
    let input = WorkerInput {
        files: Vec::new(),
        quotes: false,
        task_prompt: start.prompt.clone(),
        user_context: user.into(),
        slack_context: SlackContext {
            channel_id: user.slack_user_id.as_str().into(),
            thread_ts: None,
            response_type: ResponseType::Dm,
        },
        session_id,
    };
    Request {
        input: RunInput::Worker(input),
        work: start.work.clone(),
        preferences: user.preferences.clone(),
        asked_ts: None,
        taint: Taint::default(),
        spent: UsageSnapshot::default(),
        proposals: Vec::new(),
    }
}

/// What the tool of a direct call gave.
fn data(loaded: &LoadedRun) -> Option<Value> {
    let Work::Call(_) = loaded.run.work else {
        return None;
    };
    loaded.steps.iter().rev().find_map(|step| match &step.did {
        StepKind::ToolResult { output, .. } => Some(output.clone()),
        StepKind::Classified(_)
        | StepKind::Context { .. }
        | StepKind::Turn(_)
        | StepKind::Asked { .. }
        | StepKind::Decided { .. }
        | StepKind::Intent { .. }
        | StepKind::NotReached { .. }
        | StepKind::Challenged
        | StepKind::Interpreted { .. }
        | StepKind::Planned(_) => None,
    })
}

/// Whether a worker file takes the models that answer here.
fn fits(app: &LocalApp, path: &str, text: &str) -> anyhow::Result<()> {
    let file = alfred_workers::WorkerFile::parse(path, text).map_err(Usage::error)?;
    let unfit = app.model.split(',').find(|model| !file.fits_model(model));
    match (unfit, &file.compatible_models) {
        (Some(model), Some(patterns)) => Err(Usage::error(format!(
            "{path}: compatible_models: {model} is none of {}; set ALFRED_MODEL",
            patterns.join(", ")
        ))),
        _ => Ok(()),
    }
}
