//! A context over memory ports, and calls as the loop makes them: arguments
//! checked against the schema, writes committed after the tool has returned.

use alfred_agent::tool::{ToolContext, ToolError, ToolOutput};
use alfred_agent::users;
use alfred_core::ports::{Clock, Commit, Store, StoreError};
use alfred_core::{Config, Preferences, Role, SessionId, TeamId, User, UserContext, UserId};
use alfred_testkit::{ManualClock, MemoryStore, RecordingChat, SequentialIds};
use serde_json::Value;
use std::sync::Arc;

/// A workspace with one clock, one store and a person who asks.
#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) context: ToolContext,
    clock: ManualClock,
}

impl Bench {
    /// At this moment, asked by U1 of T1, a member in UTC.
    pub(crate) fn at(now: &str) -> Self {
        let clock = ManualClock::at(now.parse().unwrap());
        let shared: Arc<dyn Clock> = Arc::new(clock.clone());
        let context = ToolContext {
            team: "T1".into(),
            user: Arc::new(asker("U1", "UTC")),
            session: SessionId("T1/U1/D1".into()),
            now: clock.now(),
            store: Arc::new(MemoryStore::new(Arc::clone(&shared))),
            chat: Arc::new(RecordingChat::new(Arc::clone(&shared))),
            clock: shared,
            ids: Arc::new(SequentialIds::default()),
            config: Arc::new(Config::default()),
        };
        Self { context, clock }
    }

    /// The same, in another zone.
    pub(crate) fn zone(mut self, timezone: &str) -> Self {
        let id = self.context.user.slack_user_id.as_str().to_owned();
        self.context.user = Arc::new(asker(&id, timezone));
        self
    }

    /// The same store and clock, asked by somebody else.
    pub(crate) fn asked_by(&self, team: &str, user: &str) -> Self {
        let mut other = self.clone();
        other.context.team = team.into();
        other.context.user = Arc::new(asker(user, &self.context.user.timezone));
        other
    }

    /// The same, later.
    pub(crate) fn later(&self, now: &str) -> Self {
        self.clock.set(now.parse().unwrap());
        let mut other = self.clone();
        other.context.now = self.clock.now();
        other
    }

    /// Runs a tool, without committing what it would write.
    pub(crate) async fn run(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let tool = crate::tool(name).unwrap();
        tool.run(self.context.clone(), arguments).await
    }

    /// Commits what a tool would write.
    pub(crate) async fn commit(&self, output: &ToolOutput) -> Result<(), StoreError> {
        let commit = Commit {
            id: self.context.ids.uuid(),
            writes: output.writes.clone(),
        };
        self.context.store.commit(&commit).await
    }

    /// Runs a tool that succeeds, and commits; its data.
    pub(crate) async fn ok(&self, name: &str, arguments: Value) -> Value {
        self.done(name, arguments).await.0
    }

    /// The same, with the action.
    pub(crate) async fn done(&self, name: &str, arguments: Value) -> (Value, Option<String>) {
        let schema = crate::tool(name).unwrap().schema();
        if let Err(error) = jsonschema::validate(&schema, &arguments) {
            panic!("{name} would not be called with {arguments}: {error}");
        }
        let output = self.run(name, arguments).await.unwrap();
        assert_eq!(output.action.is_some(), !output.writes.is_empty());
        if !output.writes.is_empty() {
            self.commit(&output).await.unwrap();
        }
        (Value::Object(output.data), output.action)
    }

    /// Runs a tool that tells the model why it can't; what it says.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        match self.run(name, arguments).await {
            Err(ToolError::Failed(message)) => message,
            other => panic!("{name} gave {other:?}"),
        }
    }

    /// Registers somebody; the person can be changed before it is stored.
    pub(crate) async fn register(&self, id: &str, change: impl FnOnce(&mut User)) {
        let mut user = User {
            slack_user_id: id.into(),
            slack_username: id.to_lowercase(),
            email: format!("{}@example.com", id.to_lowercase()),
            name: format!("Person {id}"),
            role: Role::Member,
            timezone: "UTC".into(),
            is_active: true,
            preferences: Preferences::default(),
            created_at: self.context.now,
            updated_at: self.context.now,
        };
        change(&mut user);
        users::put(
            self.store(),
            self.context.ids.as_ref(),
            &self.context.team,
            &user,
            None,
        )
        .await
        .unwrap();
    }

    /// Somebody as they are stored.
    pub(crate) async fn stored(&self, team: &str, user: &str) -> Option<User> {
        let (team, user) = (TeamId::from(team), UserId::from(user));
        users::get(self.store(), &team, &user)
            .await
            .unwrap()
            .map(|stored| stored.user)
    }

    fn store(&self) -> &dyn Store {
        self.context.store.as_ref()
    }
}

fn asker(id: &str, timezone: &str) -> UserContext {
    UserContext {
        slack_user_id: id.into(),
        email: String::new(),
        name: format!("Person {id}"),
        timezone: timezone.into(),
        role: Role::Member,
    }
}
