//! Runs that the command line starts by itself: a direct call, a worker file.
//! They are admitted, queued and worked on like a request from Slack. The person's direct message has a worker
//! file's answer too, and of a direct call what it did.

use alfred_agent::admit::{Admitted, Origin, Request, admit_with};
use alfred_agent::program::{Snapshot, Source};
use alfred_agent::run::StepKind;
use alfred_agent::usage::UsageSnapshot;
use alfred_agent::{LoadedRun, RunInput, Work, dispatch};
use alfred_core::ports::QueueName;
use alfred_core::{ResponseType, RunId, SessionId, SlackContext, Taint, User, WorkerInput, text};
use anyhow::{Context, bail};
use serde_json::Value;

use super::{answer, person, trust};
use crate::api::{self, Answer, Start};
use crate::app::{Absent, LocalApp};
use crate::exit::Usage;

/// The channel of conversations that are in no Slack.
const TERMINAL: &str = "terminal";

impl api::Request for Start {
    const PATH: &'static str = "/local/start";
    type Answer = Answer;

    fn absent(&self) -> Absent {
        Absent::Begun
    }

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Answer> {
        if let Some(program) = &self.program {
            fits(app, program)?;
        }
        let (team, user) = person::registered(app, &self.user).await?;
        if let Some(program) = &self.program
            && !trust::is_trusted(app, &team, &user.slack_user_id, program).await?
        {
            return Err(Usage::error(text::not_trusted(&program.name)));
        }
        let id = user.slack_user_id.clone();
        let ports = &app.ports;
        let session = SessionId::new(&team, &id, &TERMINAL.into(), Some(&self.place));
        let origin = Origin::inline(team.clone(), id, session.clone(), &self.id);
        let request = request(&user, session, self);
        let known = origin.session(ports).await?;
        let keep = |run: &RunId| {
            let program = self.program.iter();
            program.map(|kept| kept.write(&team, run)).collect()
        };
        match admit_with(ports, &origin, request, known, &keep).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                dispatch::send(ports, &loaded.run, QueueName::Ingress, 1, None).await?;
            }
            Admitted::Queued => {}
            Admitted::Duplicate => bail!("the id {} was used before", self.id),
        }
        let ended = answer::in_time(answer::end_of(app, &team, &origin.trace_id)).await?;
        let loaded = ended.context("there is no run")?;
        Ok(Answer {
            data: data(&loaded),
            ..answer::answer(app, &loaded).await?
        })
    }
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
        waiting: Vec::new(),
        answers: None,
        job: None,
    }
}

/// What the tool of a direct call gave.
fn data(loaded: &LoadedRun) -> Option<Value> {
    let Work::Call(_) = loaded.run.work else {
        return None;
    };
    loaded.steps.iter().rev().find_map(|step| {
        let StepKind::ToolResult { output, .. } = &step.did else {
            return None;
        };
        Some(output.clone())
    })
}

/// Whether all workers of a program take the models that answer here.
fn fits(app: &LocalApp, program: &Snapshot) -> anyhow::Result<()> {
    for Source { path, text } in &program.workers {
        let file = alfred_workers::WorkerFile::parse(path, text).map_err(Usage::error)?;
        let unfit = app.model.split(',').find(|model| !file.fits_model(model));
        if let (Some(model), Some(patterns)) = (unfit, &file.compatible_models) {
            return Err(Usage::error(format!(
                "{path}: compatible_models: {model} is none of {}; set ALFRED_MODEL",
                patterns.join(", ")
            )));
        }
    }
    Ok(())
}
