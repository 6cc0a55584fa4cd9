//! A harness over memory ports that runs tools as the agent loop does. It checks arguments against the
//! schema, passes the gate, and commits the writes after the tool has returned.

use crate::prelude::Result;
use alfred_agent::model::Given;
use alfred_agent::policy::{AuthorizedArgs, Facts, Untrusted, pass, require};
use alfred_agent::tool::agent::Toolbox;
use alfred_agent::tool::{
    ApprovalDefault, CallContext, Effect, SharedTool, ToolContext, ToolDef, UndoCall, without_nulls,
};
use alfred_core::policy::Setting;
use alfred_core::ports::{Accounts, Clock, Commit, Event, NoFolders, StoreError, Web};
use alfred_core::{Config, ResponseType, Role, SessionId, SlackContext, Taint, UserContext, text};
use alfred_testkit::wording::is_for_people;
use alfred_testkit::{
    Faults, ManualClock, MemoryCalendar, MemoryStore, RecordingChat, SequentialIds,
};

mod scenario;
mod world;

pub(crate) use crate::calendar::office::{office, own, span, weekly};
pub(crate) use crate::email::inbox::{arriving, inbox};
pub(crate) use alfred_agent::model::{Preview, Reason};
pub(crate) use alfred_agent::policy::Requirement;
pub(crate) use alfred_agent::tool::{Flow, Settled, ToolError, ToolOutput};
pub(crate) use alfred_core::keys;
pub(crate) use alfred_core::ports::{
    AccountError, EventTime, MailStatus, Mailbox, Unreadable, Unsubscribe, Write,
};
pub(crate) use alfred_testkit::MemoryMail;
pub(crate) use alfred_testkit::fixtures::event;
pub(crate) use insta::assert_snapshot;
pub(crate) use serde_json::{Value, json};
pub(crate) use std::sync::Arc;
use std::sync::LazyLock;

static TOOLBOX: LazyLock<Toolbox> = LazyLock::new(|| Toolbox::new(crate::catalogue()).unwrap());

#[derive(Clone)]
pub(crate) struct ToolHarness {
    pub(crate) context: ToolContext,
    pub(crate) chat: Arc<RecordingChat>,
    /// Failures of the chat, and of any port that a test wraps.
    pub(crate) faults: Faults,
    clock: ManualClock,
}

impl ToolHarness {
    /// At this time, asked by U1 of T1, a member in UTC.
    pub(crate) fn at(now: &str) -> Self {
        let clock = ManualClock::at(now.parse().unwrap());
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let chat = Arc::new(RecordingChat::new(Arc::clone(&shared)));
        let faults = Faults::default();
        let mut accounts = Accounts::none();
        accounts.calendar = faults.before(accounts.calendar);
        let context = ToolContext {
            team: "T1".into(),
            user: Arc::new(asker("U1", "UTC")),
            session: SessionId("T1/U1/D1".into()),
            place: SlackContext {
                channel_id: "D1".into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
            now: clock.now(),
            store: Arc::new(MemoryStore::new(Arc::clone(&shared))),
            chat: faults.before(chat.clone()),
            accounts,
            web: Web::none(),
            folders: Arc::new(NoFolders),
            given: Arc::new(Given {
                run: "run_1".into(),
                files: Vec::new(),
                earlier: Vec::new(),
                waiting: Vec::new(),
            }),
            called: Vec::new(),
            clock: shared,
            ids: Arc::new(SequentialIds::default()),
            config: Arc::new(Config::default()),
            began: clock.now(),
            call: CallContext {
                key: "run_1:call_1".into(),
                since: clock.now(),
                ..CallContext::default()
            },
            tainted: false,
            taint: Taint::default(),
        };
        Self {
            context,
            chat,
            faults,
            clock,
        }
    }

    pub(crate) fn zone(mut self, timezone: &str) -> Self {
        let id = self.context.user.slack_user_id.as_str().to_owned();
        self.context.user = Arc::new(asker(&id, timezone));
        self
    }

    pub(crate) fn asked_by(&self, team: &str, user: &str) -> Self {
        let mut other = self.clone();
        other.context.team = team.into();
        other.context.user = Arc::new(asker(user, &self.context.user.timezone));
        other
    }

    /// Another person of the team, and a person with the same id in another team.
    pub(crate) fn strangers(&self) -> [Self; 2] {
        [("T1", "U2"), ("T2", "U1")].map(|(team, user)| self.asked_by(team, user))
    }

    pub(crate) fn events(mut self, events: Vec<Event>) -> Self {
        let owner = Mailbox::new("Person", "person@example.com");
        let calendar = MemoryCalendar::default();
        let account = self.context.account();
        let calendar = calendar.with(&account, owner, self.context.zone(), events);
        self.context.accounts.calendar = Arc::new(calendar);
        self
    }

    pub(crate) fn later(&self, now: &str) -> Self {
        self.clock.set(now.parse().unwrap());
        let mut other = self.clone();
        other.context.now = self.clock.now();
        other
    }

    /// The same for a request that begins now.
    pub(crate) fn since_now(mut self) -> Self {
        let now = self.clock.now();
        (self.context.began, self.context.call.since) = (now, now);
        self
    }

    pub(crate) fn tainted(&self) -> Self {
        let mut other = self.clone();
        other.context.tainted = true;
        let untrusted = &mut other.context.taint.untrusted;
        untrusted.insert("email_readEmail".into());
        other
    }

    /// What the gate asks of this call with nothing configured. A tainted run has read private data too.
    pub(crate) fn required(&self, name: &str, arguments: &Value) -> Requirement {
        let mut taint = Taint::default();
        if self.context.tainted {
            taint.untrusted.insert("user_lookup".into());
            taint.private.insert("task_viewTasks".into());
        }
        let tool = crate::tool(name).unwrap();
        require(&self.facts(tool.def_of(arguments), None, &taint))
    }

    fn facts<'a>(&self, def: &'a ToolDef, set: Option<Setting>, taint: &'a Taint) -> Facts<'a> {
        Facts {
            configured: [set, None, None],
            ..Facts::of(def, self.context.user.role, taint)
        }
    }

    /// Passes the gate as if every approval was given, so that the tool's own work is tested.
    pub(crate) fn authorized(&self, tool: &SharedTool, arguments: Value) -> AuthorizedArgs {
        let mut def = tool.def_of(&arguments).clone();
        let configured = match def.approval {
            ApprovalDefault::Free => None,
            ApprovalDefault::Ask | ApprovalDefault::Always => Some(Setting::PreApproved),
        };
        if def.approval == ApprovalDefault::Always {
            def.approval = ApprovalDefault::Ask;
        }
        let taint = Taint::default();
        let facts = self.facts(&def, configured, &taint);
        pass(&facts, Untrusted::new(arguments)).unwrap()
    }

    pub(crate) async fn run(&self, name: &str, arguments: Value) -> Result<ToolOutput> {
        let arguments = without_nulls(arguments);
        if let Err(why) = TOOLBOX.check(name, &arguments) {
            return Err(ToolError::failed(why).say(text::NOT_ASKED_RIGHTLY));
        }
        let tool = crate::tool(name).unwrap();
        let arguments = self.authorized(&tool, arguments);
        tool.run(self.context.clone(), arguments).await
    }

    pub(crate) async fn preview(&self, name: &str, arguments: Value) -> Result<Preview> {
        let tool = crate::tool(name).unwrap();
        tool.preview(&self.context, &arguments).await
    }

    pub(crate) async fn put(&self, write: Write) {
        let commit = Commit::new(&*self.context.ids, vec![write]);
        self.context.store.commit(&commit).await.unwrap();
    }

    /// Runs the calls of an undo; returns the data of the last one.
    pub(crate) async fn undo(&self, calls: Vec<UndoCall>) -> Value {
        assert!(!calls.is_empty(), "it can't be taken back");
        let (mut given, mut later) = (Value::Null, self.clone());
        for undo in calls {
            // Each undo is a call of its own.
            later.context.call.key.push_str(":undo");
            later.context.call.left = undo.left;
            given = later.ok(&undo.tool, undo.arguments).await;
        }
        given
    }

    pub(crate) async fn commit(&self, output: &ToolOutput) -> Result<(), StoreError> {
        let commit = Commit::new(&*self.context.ids, output.writes.clone());
        self.context.store.commit(&commit).await
    }

    pub(crate) async fn ok(&self, name: &str, arguments: Value) -> Value {
        Value::Object(self.output(name, arguments).await.data)
    }

    pub(crate) async fn output(&self, name: &str, arguments: Value) -> ToolOutput {
        let arguments = without_nulls(arguments);
        let output = self.run(name, arguments.clone()).await.unwrap();
        self.check_output(name, &arguments, &output).await;
        output
    }

    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        match self.run(name, arguments).await {
            Err(ToolError::Failed(why)) => {
                is_for_people(&why.clone().said());
                why.message
            }
            other => panic!("{name} gave {other:?}"),
        }
    }

    /// Checks that the output is what the tool's effect allows, and commits its writes.
    pub(crate) async fn check_output(&self, name: &str, arguments: &Value, output: &ToolOutput) {
        let effect = crate::tool(name).unwrap().def_of(arguments).effect;
        let receipt = output.receipt.is_some();
        assert_eq!(output.action.is_some(), receipt);
        match effect {
            Effect::Read => assert!(!receipt && output.writes.is_empty()),
            Effect::Outward => assert!(receipt),
            // An account's provider may be changed without a write to our store.
            Effect::ReversibleWrite | Effect::Destructive => {
                assert!(receipt || output.writes.is_empty());
            }
        }
        if !output.writes.is_empty() {
            self.commit(output).await.unwrap();
        }
    }
}

fn asker(id: &str, timezone: &str) -> UserContext {
    UserContext {
        slack_user_id: id.into(),
        email: String::new(),
        name: format!("Person {id}"),
        timezone: timezone.into(),
        role: Role::Member,
        opened_home: false,
    }
}
