use alfred_agent::model::{AttachmentPolicy, Snapshot};
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::runner::resume::{self, resume};
use alfred_agent::store::claim::Origin;
use alfred_agent::store::users;
use alfred_agent::{Agent, Deadline, Limits, LoadedRun, Ports, Program, RunInput, Toolbox, Work};
use alfred_core::{Envelope, Failure, Payload, TeamId, WorkerInput};
use alfred_workers::{Registry, WorkerFile, mcp, programs};
use std::collections::BTreeMap;
use std::sync::Arc;

const PROGRAM: &str = "alfred/utility";

#[derive(Clone)]
pub struct UtilityWorker {
    ports: Ports,
    agent: Arc<Program>,
    /// The whole catalogue, for direct calls without a model.
    direct: Arc<Program>,
    /// Where a program's own modules and MCP servers may run.
    host: mcp::Host,
}

impl UtilityWorker {
    pub fn new(ports: Ports) -> Result<Self, Failure> {
        let text = programs::worker(PROGRAM)
            .ok_or_else(|| Failure::bug(format!("no worker file {PROGRAM}")))?;
        let file = WorkerFile::parse(PROGRAM, &text).map_err(Failure::bug)?;
        let catalogue = alfred_tools::catalogue();
        let agent = alfred_workers::alone(&file, &Registry::of(&catalogue));
        Self::with_agent(ports, agent.map_err(Failure::bug)?)
    }

    pub fn with_agent(ports: Ports, agent: impl Into<Program>) -> Result<Self, Failure> {
        Ok(Self {
            ports,
            agent: Arc::new(agent.into()),
            direct: Arc::new(direct()?.into()),
            host: mcp::Host::function(),
        })
    }

    pub fn with_ports(self, ports: Ports) -> Self {
        Self { ports, ..self }
    }

    pub fn on(mut self, host: mcp::Host) -> Self {
        self.host = host;
        self
    }

    pub async fn handle(&self, envelope: &Envelope, deadline: Deadline) -> Result<(), Failure> {
        let Payload::Run { run, classified } = &envelope.payload else {
            return Err(Failure::bug("the utility queue takes runs"));
        };
        let loaded = resume::load(&self.ports, &envelope.team, run, envelope.hops).await?;
        let classified = classified.clone();
        let program = self.program_of(&loaded);
        Box::pin(resume(&self.ports, program, loaded, classified, deadline)).await
    }

    fn program_of(&self, loaded: &LoadedRun) -> Result<Arc<Program>, Failure> {
        match &loaded.run.work {
            Work::Agent => Ok(self.agent.clone()),
            Work::Call(_) | Work::Say { .. } => Ok(self.direct.clone()),
            Work::Program { digest, .. } => match &loaded.program {
                Some(kept) if kept.digest().is_ok_and(|kept| kept == *digest) => self.bound(kept),
                Some(_) | None => Err(Failure::bug("the program of the run is missing or damaged")),
            },
        }
    }

    fn bound(&self, snapshot: &Snapshot) -> Result<Arc<Program>, Failure> {
        let catalogue = alfred_tools::catalogue();
        let mut registry = Registry::of(&catalogue);
        if self.host.one_machine {
            registry = registry.with_modules_of_programs();
        }
        let mcp = registry.register(mcp::NAME, mcp::toolset(self.host.clone()));
        mcp.map_err(Failure::bug)?;
        let program = alfred_workers::program(snapshot, &registry);
        program.map(Arc::new).map_err(Failure::bug)
    }

    /// The same `message_id` is the same request.
    pub async fn handle_inline(
        &self,
        input: WorkerInput,
        message_id: &str,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        let mut session = input.session_id.as_str().split('/');
        let team = TeamId::from(session.next().unwrap_or("inline"));
        let user = input.user_context.slack_user_id.clone();
        let origin = Origin::inline(team, user, input.session_id.clone(), message_id);
        let stored = users::get(&*self.ports.store, &origin.team, &origin.user).await?;
        let session = origin.session(&self.ports).await?;
        let preferences = stored.map(|stored| stored.user.preferences);
        let preferences = preferences.unwrap_or_default();
        let request = Request::new(RunInput::Worker(input), Work::Agent, preferences);
        match admit(&self.ports, &origin, request, session, None).await? {
            Admitted::New(loaded) | Admitted::Again(loaded) => {
                let program = Ok(self.agent.clone());
                Box::pin(resume(&self.ports, program, *loaded, None, deadline)).await
            }
            Admitted::Queued | Admitted::Duplicate => Ok(()),
        }
    }
}

/// An agent with every tool and no instructions, for runs without a model.
fn direct() -> Result<Agent, Failure> {
    let tools = alfred_tools::catalogue();
    // Only the Undo button calls this tool.
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
