//! A tool: its description, its arguments' schema, and its work, in one value.
//!
//! ```
//! # use alfred_agent::tool::{self, Effect, ToolContext, ToolDef, ToolError};
//! # use serde::{Deserialize, Serialize};
//! #[derive(Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//! #[derive(Serialize)]
//! struct Greeting { text: String }
//!
//! async fn greet(_: ToolContext, args: Greet) -> Result<Greeting, ToolError> {
//!     Ok(Greeting { text: format!("Hello, {}!", args.name) })
//! }
//!
//! let tool = tool::read(ToolDef::new("demo_greet", "Greets somebody."), greet);
//! # assert_eq!(tool.def().category(), "demo");
//! ```

use alfred_core::ports::{Chat, Clock, Ids, Store, ToolSpec, Write};
use alfred_core::{Config, Failure, Role, SessionId, TeamId, UserContext, UserId};
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// A tool in a catalogue.
pub type SharedTool = Arc<dyn Tool>;

/// Something an agent can do.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it is.
    fn def(&self) -> &ToolDef;
    /// JSON schema of its arguments.
    fn schema(&self) -> Value;
    /// Does it. The arguments fit the schema.
    async fn run(&self, context: ToolContext, arguments: Value) -> Result<ToolOutput, ToolError>;

    /// The tool as a model sees it.
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.def().name.to_owned(),
            description: self.def().description.to_owned(),
            parameters: self.schema(),
        }
    }
}

/// What a tool is, apart from its arguments and its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDef {
    /// `category_verbNoun`, unique.
    pub name: &'static str,
    /// What it is for, as the model reads it.
    pub description: &'static str,
    /// Rules for its use that go into the system prompt, one sentence each.
    pub rules: &'static [&'static str],
    /// What it does to the world.
    pub effect: Effect,
    /// The least role that may use it.
    pub needs: Role,
}

impl ToolDef {
    /// A tool that reads and that everybody may use.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            description,
            rules: &[],
            effect: Effect::Read,
            needs: Role::Guest,
        }
    }

    /// With rules for its use.
    #[must_use]
    pub const fn rules(mut self, rules: &'static [&'static str]) -> Self {
        self.rules = rules;
        self
    }

    /// With an effect; whatever isn't a read needs a member.
    #[must_use]
    pub const fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self.needs = Role::Member;
        self
    }

    /// Its toolset: the name up to the first underscore.
    #[must_use]
    pub fn category(&self) -> &'static str {
        self.name.split('_').next().unwrap_or(self.name)
    }

    /// Whether somebody of this role may use it.
    #[must_use]
    pub fn allows(&self, role: Role) -> bool {
        match self.needs {
            Role::Guest => true,
            Role::Member => role != Role::Guest,
            Role::Admin => role == Role::Admin,
        }
    }
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    Read,
    /// Changes the owner's own data, and can be undone.
    ReversibleWrite,
    /// Reaches other people.
    Outward,
    /// Can't be undone.
    Destructive,
}

/// For whom and with what a tool works. Cheap to clone.
#[derive(Clone)]
pub struct ToolContext {
    /// The workspace.
    pub team: TeamId,
    /// The person whose data and credentials are used. Never anybody else's.
    pub user: Arc<UserContext>,
    /// The conversation.
    pub session: SessionId,
    /// When the call began; the same for the whole call.
    pub now: Timestamp,
    /// Reads. Writes go into the output, and take effect with the journal step.
    pub store: Arc<dyn Store>,
    /// Slack.
    pub chat: Arc<dyn Chat>,
    /// The clock, for waiting.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
    /// Settings.
    pub config: Arc<Config>,
}

impl ToolContext {
    /// The person's Slack id.
    #[must_use]
    pub fn user_id(&self) -> &UserId {
        &self.user.slack_user_id
    }

    /// The person's time zone; UTC if what is stored is no zone.
    #[must_use]
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.user.timezone).unwrap_or(TimeZone::UTC)
    }
}

/// What a tool gives back.
#[derive(Clone, Debug, Default)]
pub struct ToolOutput {
    /// The data; `success: true` is added to it.
    pub data: Map<String, Value>,
    /// What it did, for `actions_taken`, in the past tense: "Created task \"Call Ana\"".
    pub action: Option<String>,
    /// Writes that take effect in the same commit as the journal step: exactly once.
    pub writes: Vec<Write>,
}

impl ToolOutput {
    /// Data without any effect.
    ///
    /// # Errors
    /// `Bug` when the value isn't a JSON object.
    pub fn data(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_value(value) {
            Ok(Value::Object(data)) => Ok(Self {
                data,
                ..Self::default()
            }),
            Ok(other) => Err(ToolError::Stop(Failure::bug(format!(
                "a tool gave {other} instead of an object"
            )))),
            Err(error) => Err(ToolError::Stop(Failure::bug(error))),
        }
    }

    /// The same, with what was done and the writes that do it.
    #[must_use]
    pub fn with_effect(mut self, action: String, writes: Vec<Write>) -> Self {
        self.action = Some(action);
        self.writes = writes;
        self
    }
}

/// Why a tool gave nothing.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The model is told, and can try another way. Names the field when an argument is at fault.
    #[error("{0}")]
    Failed(String),
    /// The turn stops: the store is away, or there is a defect.
    #[error(transparent)]
    Stop(#[from] Failure),
}

impl ToolError {
    /// An error the model (and the person) can do something about.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
}

impl From<alfred_core::ports::StoreError> for ToolError {
    fn from(error: alfred_core::ports::StoreError) -> Self {
        Self::Stop(error.into())
    }
}

struct FnTool<A, F> {
    def: ToolDef,
    schema: OnceLock<Value>,
    work: F,
    arguments: PhantomData<fn() -> A>,
}

/// Makes a tool of an async function that only reads: whatever it returns is the data.
pub fn read<A, R, Fut>(
    def: ToolDef,
    work: impl Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: Serialize + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
{
    full(def, move |context, arguments: A| {
        let result = work(context, arguments);
        async move { ToolOutput::data(&result.await?) }
    })
}

/// Makes a tool of an async function that says itself what it did and wrote.
pub fn full<A, F, Fut>(def: ToolDef, work: F) -> SharedTool
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    Arc::new(FnTool {
        def,
        schema: OnceLock::new(),
        work,
        arguments: PhantomData,
    })
}

#[async_trait]
impl<A, F, Fut> Tool for FnTool<A, F>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(ToolContext, A) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        self.schema.get_or_init(arguments_schema::<A>).clone()
    }

    async fn run(&self, context: ToolContext, arguments: Value) -> Result<ToolOutput, ToolError> {
        let arguments: A = serde_json::from_value(arguments)
            .map_err(|error| ToolError::failed(format!("bad arguments: {error}")))?;
        (self.work)(context, arguments).await
    }
}

/// The schema without references, which many providers don't follow; fields nobody knows are refused.
fn arguments_schema<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    schema.remove("title");
    schema.remove("description");
    let mut value = schema.to_value();
    if let Some(object) = value.as_object_mut() {
        object.entry("type").or_insert_with(|| "object".into());
        object
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        object
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
    value
}
