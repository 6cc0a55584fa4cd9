use alfred_core::ports::{ToolCall, Write};
use alfred_core::{
    Deadline, ReplyAddress, Role, SessionId, SlackContext, Taint, TeamId, User, UserContext,
};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

use crate::history::{frame, open_calls};
use crate::model::{Given, NewStep, Opened, Run, Work};
use crate::slack::live::LiveMessage;
use crate::slack::status::StatusLine;
use crate::store::journal::{CommitError, LoadedRun};
use crate::store::ports::Ports;
use crate::tool::agent::Agent;
use crate::tool::program::Program;
use crate::tool::{CallContext, ToolContext, whole_of};

/// Maximum results that wait for the next commit. Each takes up to 390 KB and two writes.
const MOST_UNSAVED: usize = 6;
/// From this pause on, the model gets the time again.
pub const STALE: SignedDuration = SignedDuration::from_mins(10);

/// A run and the resources of this invocation. If another worker changed the run, a commit fails with `Retry`.
pub struct RunContext<'a> {
    pub ports: &'a Ports,
    pub loaded: &'a mut LoadedRun,
    /// Contents of the files shown to the current agent.
    pub opened: Opened,
    pub status: StatusLine,
    pub live: LiveMessage,
    pub deadline: Deadline,
}

/// A run and the agent that works in the frame of `cx.loaded`.
pub(crate) struct AgentLoop<'a> {
    pub program: &'a Program,
    pub agent: &'a Agent,
    pub cx: RunContext<'a>,
}

impl<'a> RunContext<'a> {
    pub fn new(ports: &'a Ports, loaded: &'a mut LoadedRun, deadline: Deadline) -> Self {
        Self {
            live: LiveMessage::new(ports, loaded, deadline),
            ports,
            loaded,
            opened: Opened::default(),
            status: StatusLine::default(),
            deadline,
        }
    }

    pub fn run(&self) -> &Run {
        &self.loaded.run
    }

    pub fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    pub(crate) fn show_status(&mut self, status: &str) {
        self.status.show(self.ports, &self.loaded.run, status);
    }

    /// Commits one step without other changes.
    pub(crate) async fn append(&mut self, did: impl Into<NewStep>) -> Result<(), CommitError> {
        self.commit(vec![did.into()], vec![], |_| {}).await
    }

    /// Stores the result of a call that may be repeated with the next commit, or at once if many wait already.
    pub(crate) async fn hold(&mut self, step: NewStep) -> Result<(), CommitError> {
        if self.loaded.unsaved >= MOST_UNSAVED {
            return self.append(step).await;
        }
        self.ports.journal().hold(self.loaded, vec![step]);
        Ok(())
    }

    /// Commits the held results, if there are any.
    pub(crate) async fn save(&mut self) -> Result<(), CommitError> {
        if self.loaded.unsaved == 0 {
            return Ok(());
        }
        self.commit(vec![], vec![], |_| {}).await
    }

    /// See [`crate::Journal::commit`].
    pub async fn commit(
        &mut self,
        did: Vec<NewStep>,
        beside: Vec<Write>,
        change: impl FnOnce(&mut Run) + Send,
    ) -> Result<(), CommitError> {
        let journal = self.ports.journal();
        journal.commit(self.loaded, did, beside, change).await
    }

    /// The tool context of a call that starts now.
    pub(crate) fn tool_context(&self, call_id: &str) -> ToolContext {
        let run = self.run();
        let called = frame::workers(&self.loaded.steps, &self.loaded.frame);
        let (user, place) = (run.input.user().clone(), run.input.slack().clone());
        let bare = ToolContext::new(self.ports, &run.team, user, run.session.clone(), place);
        ToolContext {
            given: Arc::new(Given::to(self.loaded)),
            called: called.into_iter().map(str::to_owned).collect(),
            began: told(self.loaded, call_id),
            call: CallContext {
                key: format!("{}:{call_id}", run.id),
                since: bare.now,
                shown: None,
                left: match &run.work {
                    Work::Call(call) => call.left.clone(),
                    Work::Agent | Work::Say { .. } | Work::Program { .. } => None,
                },
                by_hand: matches!(run.work, Work::Call(_)) && run.job.is_none(),
            },
            tainted: run.is_tainted(),
            taint: run.taint.clone(),
            ..bare
        }
    }
}

impl ToolContext {
    /// The context in which a person's own data is read without a run.
    pub fn of_person(ports: &Ports, team: &TeamId, user: &User) -> Self {
        let direct = ReplyAddress::direct(&user.slack_user_id);
        let session = SessionId::new(team, &user.slack_user_id, &direct.channel, None);
        Self::new(ports, team, user.into(), session, direct.into())
    }

    fn new(
        ports: &Ports,
        team: &TeamId,
        user: UserContext,
        session: SessionId,
        place: SlackContext,
    ) -> Self {
        let now = ports.clock.now();
        Self {
            team: team.clone(),
            user: Arc::new(user),
            session,
            place,
            now,
            store: ports.store.clone(),
            chat: ports.chat.clone(),
            accounts: ports.accounts.clone(),
            web: ports.web.clone(),
            folders: ports.folders.clone(),
            given: Arc::new(Given::default()),
            called: Vec::new(),
            clock: ports.clock.clone(),
            ids: ports.ids.clone(),
            config: ports.config.clone(),
            began: now,
            call: CallContext::default(),
            tainted: false,
            taint: Taint::default(),
        }
    }
}

impl AgentLoop<'_> {
    pub(crate) fn role(&self) -> Role {
        self.cx.run().input.user().role
    }

    /// Calls of this agent's last turn without a result.
    pub(crate) fn open_calls(&self) -> Vec<ToolCall> {
        open_calls(&self.cx.loaded.steps, &self.cx.loaded.frame)
    }
}

/// The time that the model was last told before it made a call.
fn told(loaded: &LoadedRun, call_id: &str) -> Timestamp {
    let (mut told, mut heard) = (loaded.run.began(), loaded.run.began());
    for step in frame::own(&loaded.steps, &loaded.frame) {
        let Some(turn) = step.turn() else { continue };
        if step.began().duration_since(heard) >= STALE {
            told = step.began();
        }
        heard = step.at;
        if turn.tool_calls.iter().any(|it| it.id == whole_of(call_id)) {
            break;
        }
    }
    told
}
