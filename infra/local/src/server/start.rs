//! Runs that the command line starts: a direct call or a worker file. They are admitted and queued like Slack
//! requests. The person's direct message gets a worker file's answer, and the effects of a direct call.

use alfred_agent::model::{Snapshot, Source};
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::store::attachments;
use alfred_agent::store::claim::Origin;
use alfred_agent::store::dispatch;
use alfred_agent::turn::chat;
use alfred_agent::{LoadedRun, RunInput, Step, Work};
use alfred_classifier::chats::Chats;
use alfred_core::digest::sha256_hex;
use alfred_core::envelope::SlackFile;
use alfred_core::ports::QueueName;
use alfred_core::{
    ResponseType, RunId, SessionId, SlackContext, TeamId, User, UserId, WorkerInput, keys,
};
use alfred_workers::models::{self, Named};
use alfred_workers::{Below, Mode, Registry, WorkerFile, mcp};
use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{answer, person, trust};
use crate::api::{self, Anew, Answer, Start};
use crate::app::{Absent, LocalApp, OWN_WORKERS, model};
use crate::exit::{Usage, none_of};

const TERMINAL: &str = "terminal";

impl api::Request for Start {
    const PATH: &'static str = "/local/start";
    type Answer = Answer;
    const ABSENT: Absent = Absent::Begun;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Answer> {
        let (team, user) = person::registered(app, &self.user).await?;
        let program = match &self.program {
            Some(program) => Some(self.prepared(app, program, &team, &user).await?),
            None => None,
        };
        let mut work = self.work.clone();
        if let (Work::Program { digest, .. }, Some(program)) = (&mut work, &program) {
            *digest = program.digest()?;
        }
        let id = user.slack_user_id.clone();
        let ports = &app.ports;
        let session = session(&team, &id, &self.place);
        let origin = Origin::inline(team.clone(), id, session.clone(), &self.id);
        let attach = attach(&self.attach)?;
        let files = attach.iter().map(|(file, _)| file.clone()).collect();
        let input = WorkerInput {
            files,
            quotes: false,
            task_prompt: self.prompt.clone(),
            user_context: (&user).into(),
            slack_context: SlackContext {
                channel_id: user.slack_user_id.as_str().into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
            session_id: session,
        };
        let request = Request::new(RunInput::Worker(input), work, user.preferences.clone());
        let known = origin.session(ports).await?;
        let now = ports.clock.now();
        let keep = |run: &RunId| {
            let program = program.iter().map(|kept| kept.write(&team, run));
            let row = |(_, bytes): &(SlackFile, Vec<u8>)| {
                let key = |digest: &_| keys::attached(&team, &user.slack_user_id, run, digest);
                Ok(attachments::row(ports, now, bytes, key).0)
            };
            program.chain(attach.iter().map(row)).collect()
        };
        match admit(ports, &origin, request, known, Some(&keep)).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                dispatch::send(ports, &loaded.run, QueueName::Runs, 1, None).await?;
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

impl Start {
    /// The program with its models and what its servers offer. An error if the person doesn't trust it.
    async fn prepared(
        &self,
        app: &LocalApp,
        program: &Snapshot,
        team: &TeamId,
        user: &User,
    ) -> anyhow::Result<Snapshot> {
        let mut program = program.clone();
        if !trust::is_trusted(app, team, &user.slack_user_id, &program).await? {
            let name = &program.name;
            let why = format!("{name}: nobody has let these worker files run yet");
            return Err(Usage::error(why));
        }
        program.models = chosen(&app.model, &program, self.model.as_deref())?;
        let learnt = mcp::learn(&mut program, &mcp::Host::one_machine()).await;
        learnt.map_err(Usage::error)?;
        Ok(program)
    }
}

impl api::Request for Anew {
    const PATH: &'static str = "/local/anew";
    type Answer = ();
    const ABSENT: Absent = Absent::Begun;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<()> {
        let (team, user) = person::registered(app, &self.user).await?;
        let id = user.slack_user_id;
        let session = session(&team, &id, &self.place);
        Ok(chat::begin_anew(&app.ports, &team, &id, &session).await?)
    }
}

fn session(team: &TeamId, user: &UserId, place: &str) -> SessionId {
    SessionId::new(team, user, &TERMINAL.into(), Some(place))
}

/// The request's files with their contents.
fn attach(files: &[(String, String)]) -> anyhow::Result<Vec<(SlackFile, Vec<u8>)>> {
    let mut attach: Vec<(SlackFile, Vec<u8>)> = Vec::new();
    for (name, base64) in files {
        let bytes = STANDARD.decode(base64);
        let bytes = bytes.with_context(|| format!("{name}: no base64"))?;
        let digest = sha256_hex(&bytes);
        let file = SlackFile {
            kept: Some(digest),
            name: name.clone(),
            bytes: Some(bytes.len() as u64),
            ..SlackFile::default()
        };
        // Identical files are kept once.
        if !attach.iter().any(|(known, _)| known.kept == file.kept) {
            attach.push((file, bytes));
        }
    }
    Ok(attach)
}

/// The tool's data of a direct call.
fn data(loaded: &LoadedRun) -> Option<Value> {
    let Work::Call(_) = loaded.run.work else {
        return None;
    };
    let result = loaded.steps.iter().rev().find_map(Step::result);
    result.map(|result| result.output.clone())
}

/// The chat workers of the data folder.
pub fn chats(app: &LocalApp) -> Chats {
    let (own, otherwise) = (app.folder.path().join(OWN_WORKERS), app.model.clone());
    Arc::new(move |name| {
        let below = Below {
            folder: &own,
            always: true,
            data: None,
        };
        let program = alfred_workers::find(Path::new(name), below);
        let talks = |program: &mut Snapshot| {
            program.models = chosen(&otherwise, program, None)?;
            let Source { path, text } = &program.workers[0];
            let file = WorkerFile::parse(path, text)?;
            anyhow::ensure!(file.mode == Mode::Chat, "{path}: mode: it is no chat");
            let catalogue = alfred_tools::catalogue();
            let registry = Registry::of(&catalogue).with_modules_of_programs();
            alfred_workers::program(program, &registry)?;
            Ok(())
        };
        let found = program.map_err(anyhow::Error::from);
        let found = found.and_then(|mut program| talks(&mut program).map(|()| program));
        let found = found.inspect_err(|error| tracing::warn!("no chat with {name}: {error:#}"));
        found.ok()
    })
}

/// The models of a program's workers. An error if a worker can't use its model, or this process can't.
fn chosen(
    otherwise: &str,
    program: &Snapshot,
    named: Option<&str>,
) -> anyhow::Result<BTreeMap<String, String>> {
    let environment = model::set();
    let named = Named {
        command_line: named,
        environment: environment.as_deref(),
        otherwise: Some(otherwise),
    };
    let (models, problems) = models::of(program, named, &model::refused);
    none_of(problems)?;
    Ok(models)
}
