//! A run keeps the worker files it began with, so a release doesn't change a running team.

use alfred_agent::model::Snapshot;
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::runner::resume::{self, resume};
use alfred_agent::store::claim::Origin;
use alfred_agent::{Deadline, LoadedRun, Ports, RunInput, RunState, Work};
use alfred_core::{Envelope, Failure, Payload, Preferences, SessionId, TeamId, TeamInput};
use alfred_workers::{Registry, programs};
use std::collections::BTreeMap;
use std::sync::Arc;

const TEAM_GONE: &str = "The team for this part isn't there any more, so it wasn't done. Asking again finds another way.";

/// Workspace of inline requests, which name none.
const INLINE: &str = "inline";

#[derive(Clone)]
pub struct TeamManager {
    ports: Ports,
    teams: Arc<BTreeMap<String, Snapshot>>,
}

impl TeamManager {
    /// Worker files are read when a team runs.
    pub fn new(ports: Ports) -> Self {
        let teams = programs::teams().into_iter().map(|team| {
            let program = alfred_workers::built_in(&team, programs::workers_of(&team));
            (team, program)
        });
        Self::with(ports, teams.collect())
    }

    pub fn with_ports(self, ports: Ports) -> Self {
        Self { ports, ..self }
    }

    pub fn with(ports: Ports, teams: BTreeMap<String, Snapshot>) -> Self {
        let teams = Arc::new(teams);
        Self { ports, teams }
    }

    pub async fn handle(&self, envelope: &Envelope, deadline: Deadline) -> Result<(), Failure> {
        let Payload::Run { run, .. } = &envelope.payload else {
            return Err(Failure::bug("the team queue takes runs"));
        };
        let loaded = resume::load(&self.ports, &envelope.team, run, envelope.hops).await?;
        Box::pin(self.work(loaded, deadline)).await
    }

    /// The same `message_id` is the same request.
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
        match admit(&self.ports, &origin, request, session, None).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                Box::pin(self.work(*loaded, deadline)).await
            }
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }

    async fn work(&self, mut loaded: LoadedRun, deadline: Deadline) -> Result<(), Failure> {
        let RunInput::Team(input) = &loaded.run.input else {
            let detail = Failure::bug("the team queue takes teams' runs");
            return Box::pin(resume(&self.ports, Err(detail), loaded, None, deadline)).await;
        };
        let known = loaded.program.as_ref().or(self.teams.get(&input.team));
        let Some(snapshot) = known.cloned() else {
            let gone = Err(Failure::Reject {
                user_message: TEAM_GONE.into(),
            });
            return Box::pin(resume(&self.ports, gone, loaded, None, deadline)).await;
        };
        let begins = loaded.run.state == RunState::Ready && loaded.steps.is_empty();
        let catalogue = alfred_tools::catalogue();
        let program = alfred_workers::program(&snapshot, &Registry::of(&catalogue));
        let program = program.map(Arc::new).map_err(Failure::bug);
        if begins && loaded.program.is_none() {
            loaded.to_keep = Some(snapshot);
        }
        Box::pin(resume(&self.ports, program, loaded, None, deadline)).await
    }
}
