//! One domain team at a time: its manager works as an agent of its own run,
//! and reports to the run that asked.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::usage::UsageSnapshot;
use alfred_agent::{Agent, Deadline, LoadedRun, Ports, RunInput, Work, resume};
use alfred_core::{Envelope, Failure, Payload, Preferences, SessionId, TeamId, TeamInput};
use alfred_workers::WorkerFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Workspace of requests that name none because they were given inline.
const INLINE: &str = "inline";

/// The teams with their ports.
#[derive(Clone)]
pub struct TeamManager {
    ports: Ports,
    managers: Arc<BTreeMap<String, Agent>>,
}

impl TeamManager {
    /// Reads every team's manager and binds its toolsets.
    ///
    /// # Errors
    /// When one of the files can't be used.
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let catalogue = alfred_tools::catalogue();
        let mut managers = BTreeMap::new();
        for team in alfred_programs::teams() {
            let path = format!("{team}/manager");
            let text = alfred_programs::worker(&path)
                .ok_or_else(|| Failure::bug(format!("no worker file {path}")))?;
            let file = WorkerFile::parse(&path, &text).map_err(Failure::bug)?;
            let agent = alfred_workers::agent(file, &catalogue).map_err(Failure::bug)?;
            managers.insert(team, agent);
        }
        Ok(Self::with(ports, managers))
    }

    /// The same with these teams' managers, by team.
    #[must_use]
    pub fn with(ports: Ports, managers: BTreeMap<String, Agent>) -> Self {
        Self {
            ports,
            managers: Arc::new(managers),
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
        let Some(agent) = self.managers.get(&input.team) else {
            let detail = format!("there is no team \"{}\"", input.team);
            return Err(resume::defect(&self.ports, loaded, detail, deadline).await);
        };
        resume::resume(&self.ports, agent, loaded, None, deadline).await?;
        Ok(())
    }
}
