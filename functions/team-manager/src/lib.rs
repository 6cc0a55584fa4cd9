//! One domain team at a time: its manager works as an agent of its own run, hands work to its colleagues, and
//! reports to the run that asked. A run keeps the files it began with, so that any release goes on with the same words.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::program::{Snapshot, Source};
use alfred_agent::{Deadline, LoadedRun, Ports, Program, RunInput, RunState, Work, resume};
use alfred_core::{Envelope, Failure, Payload, Preferences, SessionId, TeamId, TeamInput};
use alfred_workers::Registry;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Workspace of requests that name none because they were given inline.
const INLINE: &str = "inline";

/// The teams with their ports.
#[derive(Clone)]
pub struct TeamManager {
    ports: Ports,
    teams: Arc<BTreeMap<String, Snapshot>>,
}

impl TeamManager {
    /// Over the embedded teams. Their files are read when one of them works.
    ///
    /// # Errors
    /// When one of the files is missing.
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let teams = alfred_programs::teams().into_iter();
        let teams = teams.map(|team| Ok((team.clone(), embedded(&team)?)));
        Ok(Self::with(ports, teams.collect::<Result<_, Failure>>()?))
    }

    /// The same with these teams.
    #[must_use]
    pub fn with(ports: Ports, teams: BTreeMap<String, Snapshot>) -> Self {
        Self {
            ports,
            teams: Arc::new(teams),
        }
    }

    /// Handles one message of the team queue.
    ///
    /// # Errors
    /// What the queue's runner must do about it.
    pub async fn handle(&self, envelope: &Envelope, deadline: Deadline) -> Result<(), Failure> {
        let Payload::Run { run, .. } = &envelope.payload else {
            return Err(Failure::bug("the team queue takes runs"));
        };
        let loaded = resume::load(&self.ports, &envelope.team, run, envelope.hops).await?;
        Box::pin(self.work(loaded, deadline)).await
    }

    /// Handles a request given inline, as the contract of seed 002 has it.
    /// `message_id` identifies it: the same id again is the same request.
    ///
    /// # Errors
    /// What the queue's runner must do about it.
    pub async fn handle_inline(
        &self,
        input: TeamInput,
        message_id: &str,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let team = TeamId::from(INLINE);
        let user = input.user_context.slack_user_id.clone();
        let slack = &input.slack_context;
        let session = SessionId::new(&team, &user, &slack.channel_id, slack.thread_ts.as_deref());
        let origin = Origin::inline(team, user, session, message_id);
        let session = origin.session(&self.ports).await?;
        let taint = input.taint.clone();
        let request = Request::new(RunInput::Team(input), Work::Agent, Preferences::default());
        let request = Request { taint, ..request };
        match admit(&self.ports, &origin, request, session).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                Box::pin(self.work(*loaded, deadline)).await
            }
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }

    async fn work(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<(), Failure> {
        let snapshot = self.program_of(&loaded).cloned();
        let program = snapshot.as_ref().map_err(Clone::clone).and_then(bound);
        let begins = loaded.run.state == RunState::Ready && loaded.steps.is_empty();
        if begins && loaded.program.is_none() {
            loaded.to_keep = snapshot.ok();
        }
        match program {
            Ok(program) => {
                Box::pin(resume::resume(
                    &self.ports,
                    &program,
                    loaded,
                    None,
                    deadline,
                ))
                .await
            }
            Err(detail) => {
                Err(Box::pin(resume::defect(&self.ports, loaded, detail, deadline)).await)
            }
        }
    }

    /// The files of a run: those it began with, or today's where it has none beside it, as in older releases.
    fn program_of<'a>(&'a self, loaded: &'a LoadedRun) -> Result<&'a Snapshot, String> {
        let RunInput::Team(input) = &loaded.run.input else {
            return Err("the team queue takes teams' runs".into());
        };
        let found = loaded.program.as_ref().or(self.teams.get(&input.team));
        found.ok_or_else(|| format!("there is no team \"{}\"", input.team))
    }
}

fn bound(snapshot: &Snapshot) -> Result<Program, String> {
    let catalogue = alfred_tools::catalogue();
    let program = alfred_workers::program(snapshot, &Registry::of(&catalogue));
    program.map_err(|error| error.to_string())
}

/// The worker files of a team, its manager's first.
fn embedded(team: &str) -> Result<Snapshot, Failure> {
    let mut workers = Vec::new();
    for path in alfred_programs::workers_of(team) {
        let text = alfred_programs::worker(&path)
            .ok_or_else(|| Failure::bug(format!("no worker file {path}")))?;
        workers.push(Source {
            path,
            text: text.into_owned(),
        });
    }
    Ok(Snapshot {
        name: team.to_owned(),
        workers,
        ..Snapshot::default()
    })
}
