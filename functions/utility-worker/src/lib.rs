//! The utility worker (seed 000): one agent with all tools, for simple requests.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::{Agent, Deadline, Ports, RunInput, resume, users};
use alfred_core::{Envelope, Failure, Payload, Taint, TeamId, WorkerInput};
use alfred_workers::WorkerFile;
use std::sync::Arc;

const PROGRAM: &str = "alfred/utility";

/// The worker with its ports.
#[derive(Clone)]
pub struct UtilityWorker {
    ports: Ports,
    agent: Arc<Agent>,
}

impl UtilityWorker {
    /// Reads the worker's file and binds its toolsets.
    ///
    /// # Errors
    /// When the file can't be used.
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let text = alfred_programs::worker(PROGRAM)
            .ok_or_else(|| Failure::bug(format!("no worker file {PROGRAM}")))?;
        let file = WorkerFile::parse(PROGRAM, &text).map_err(Failure::bug)?;
        let agent =
            alfred_workers::agent(file, &alfred_tools::catalogue()).map_err(Failure::bug)?;
        Ok(Self {
            ports,
            agent: Arc::new(agent),
        })
    }

    /// Handles one message of the utility queue.
    ///
    /// # Errors
    /// What the queue's runner must do about it.
    pub async fn handle(&self, envelope: &Envelope, deadline: Deadline) -> Result<(), Failure> {
        let Payload::Run { run, classified } = &envelope.payload else {
            return Err(Failure::bug("the utility queue takes runs"));
        };
        let loaded = resume::load(&self.ports, &envelope.team, run, envelope.hops).await?;
        resume::resume(
            &self.ports,
            &self.agent,
            loaded,
            classified.clone(),
            deadline,
        )
        .await?;
        Ok(())
    }

    /// Handles a request given inline, as the contract of seed 000 has it.
    /// `message_id` identifies it: the same id again is the same request.
    ///
    /// # Errors
    /// What the queue's runner must do about it.
    pub async fn handle_inline(
        &self,
        input: WorkerInput,
        message_id: &str,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let team = TeamId::from(
            input
                .session_id
                .as_str()
                .split('/')
                .next()
                .unwrap_or("inline"),
        );
        let user = input.user_context.slack_user_id.clone();
        let origin = Origin::inline(team, user, input.session_id.clone(), message_id);
        let stored = users::get(&*self.ports.store, &origin.team, &origin.user).await?;
        let session = origin.session(&self.ports).await?;
        let request = Request {
            input: RunInput::Worker(input),
            preferences: stored
                .map(|stored| stored.user.preferences)
                .unwrap_or_default(),
            asked_ts: None,
            direct: None,
            taint: Taint::default(),
        };
        match admit(&self.ports, &origin, request, session).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                resume::resume(&self.ports, &self.agent, *loaded, None, deadline).await?;
                Ok(())
            }
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }
}
