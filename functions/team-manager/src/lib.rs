//! One domain team at a time: its manager works as an agent of its own run,
//! and reports to the run that asked.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::program::{Snapshot, Source};
use alfred_agent::usage::UsageSnapshot;
use alfred_agent::{Deadline, LoadedRun, Ports, Program, RunInput, Work, resume};
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
    programs: Arc<BTreeMap<String, Program>>,
}

impl TeamManager {
    /// Reads every team's workers and binds their toolsets.
    ///
    /// # Errors
    /// When one of the files can't be used.
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let catalogue = alfred_tools::catalogue();
        let registry = Registry::of(&catalogue);
        let mut programs = BTreeMap::new();
        for team in alfred_programs::teams() {
            let program = alfred_workers::program(&embedded(&team)?, &registry);
            programs.insert(team, program.map_err(Failure::bug)?);
        }
        Ok(Self::with(ports, programs))
    }

    /// The same with these teams.
    #[must_use]
    pub fn with(ports: Ports, programs: BTreeMap<String, Program>) -> Self {
        Self {
            ports,
            programs: Arc::new(programs),
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
        self.work(loaded, deadline).await
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
        let request = Request {
            input: RunInput::Team(input),
            work: Work::Agent,
            preferences: Preferences::default(),
            asked_ts: None,
            taint,
            spent: UsageSnapshot::default(),
            waiting: Vec::new(),
            answers: None,
            job: None,
        };
        match admit(&self.ports, &origin, request, session).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => self.work(*loaded, deadline).await,
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }

    async fn work(&self, loaded: LoadedRun, deadline: Deadline) -> Result<(), Failure> {
        let RunInput::Team(input) = &loaded.run.input else {
            let detail = "the team queue takes teams' runs".to_owned();
            return Err(resume::defect(&self.ports, loaded, detail, deadline).await);
        };
        let Some(program) = self.programs.get(&input.team) else {
            let detail = format!("there is no team \"{}\"", input.team);
            return Err(resume::defect(&self.ports, loaded, detail, deadline).await);
        };
        resume::resume(&self.ports, program, loaded, None, deadline).await?;
        Ok(())
    }
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
        settings: None,
        workers,
        beside: Vec::new(),
        folder: None,
    })
}
