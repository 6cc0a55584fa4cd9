//! The utility worker (seed 000): one agent with all tools, for simple requests.

use alfred_agent::admit::{Admitted, Origin, Request, admit};
use alfred_agent::attached::AttachmentPolicy;
use alfred_agent::program::Snapshot;
use alfred_agent::{
    Agent, Deadline, Limits, LoadedRun, Ports, Program, RunInput, Toolbox, Work, resume, users,
};
use alfred_core::{Envelope, Failure, Payload, TeamId, WorkerInput};
use alfred_workers::{Registry, WorkerFile};
use std::collections::BTreeMap;
use std::sync::Arc;

const PROGRAM: &str = "alfred/utility";

/// The worker with its ports.
#[derive(Clone)]
pub struct UtilityWorker {
    ports: Ports,
    agent: Arc<Program>,
    /// The whole catalogue, for calls that a person makes without a model.
    direct: Arc<Program>,
    /// What programs may bring along: modules and MCP servers.
    host: alfred_mcp::Host,
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
        let catalogue = alfred_tools::catalogue();
        let agent = alfred_workers::alone(&file, &Registry::of(&catalogue));
        let agent = agent.map_err(Failure::bug)?;
        Self::with_agent(ports, agent)
    }

    /// With agents that somebody else bound, in place of the embedded file's.
    ///
    /// # Errors
    /// When the catalogue can't be used.
    pub fn with_agent(ports: Ports, agent: impl Into<Program>) -> Result<Self, Failure> {
        Ok(Self {
            ports,
            agent: Arc::new(agent.into()),
            direct: Arc::new(direct()?.into()),
            host: alfred_mcp::Host::function(),
        })
    }

    /// The same over other ports.
    pub fn with_ports(self, ports: Ports) -> Self {
        Self { ports, ..self }
    }

    /// The same on another host: on a machine of the person's own, modules that programs bring along run, and MCP servers
    /// may be started.
    pub fn on(mut self, host: alfred_mcp::Host) -> Self {
        self.host = host;
        self
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
        let program = match self.program_of(&loaded) {
            Ok(program) => program,
            Err(detail) => {
                return Err(Box::pin(resume::defect(&self.ports, loaded, detail, deadline)).await);
            }
        };
        Box::pin(resume::resume(
            &self.ports,
            &program,
            loaded,
            classified.clone(),
            deadline,
        ))
        .await?;
        Ok(())
    }

    /// Who works on a run; an error when its worker files make no agents here.
    fn program_of(&self, loaded: &LoadedRun) -> Result<Arc<Program>, String> {
        match &loaded.run.work {
            Work::Agent => Ok(self.agent.clone()),
            Work::Call(_) | Work::Say { .. } => Ok(self.direct.clone()),
            Work::Program { digest, .. } => match &loaded.program {
                Some(kept) if kept.digest().is_ok_and(|kept| kept == *digest) => self.bound(kept),
                Some(_) | None => Err("the program of the run is missing or damaged".into()),
            },
        }
    }

    /// The agents of worker files.
    fn bound(&self, snapshot: &Snapshot) -> Result<Arc<Program>, String> {
        let catalogue = alfred_tools::catalogue();
        let mut registry = match self.host.is_one_machine() {
            true => Registry::of(&catalogue).with_modules_of_programs(),
            false => Registry::of(&catalogue),
        };
        let mcp = registry.register(alfred_mcp::NAME, alfred_mcp::toolset(self.host.clone()));
        mcp.map_err(|error| error.to_string())?;
        let program = alfred_workers::program(snapshot, &registry);
        program.map(Arc::new).map_err(|error| error.to_string())
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
        let preferences = stored.map(|stored| stored.user.preferences);
        let preferences = preferences.unwrap_or_default();
        let request = Request::new(RunInput::Worker(input), Work::Agent, preferences);
        match admit(&self.ports, &origin, request, session).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                Box::pin(resume::resume(
                    &self.ports,
                    &self.agent,
                    *loaded,
                    None,
                    deadline,
                ))
                .await?;
                Ok(())
            }
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }
}

/// Every tool and no instructions: its turns are made, not thought.
fn direct() -> Result<Agent, Failure> {
    let tools = alfred_tools::catalogue();
    // A button that undoes calls it, and nobody else.
    let tools = tools.into_iter().chain([alfred_tools::restore_file()]);
    Ok(Agent {
        name: "direct".into(),
        prompt: Box::new(|_, _| String::new()),
        tools: Toolbox::new(tools).map_err(Failure::bug)?,
        limits: Limits::default(),
        model: None,
        approval: BTreeMap::new(),
        attachments: AttachmentPolicy::default(),
    })
}
