//! The tool trait: description, argument schema and work of a tool in one value.
//!
//! ```
//! # use alfred_agent::tool::{self, Flow, ToolContext, ToolDef, ToolError, Toolset};
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
//! const DEMO: Toolset = Toolset::new("demo", "greet people", "is greeting…", "That", "say hello");
//! let def = ToolDef::new(DEMO, "demo_greet", "Greets somebody.").flow(Flow::NEUTRAL);
//! let tool = tool::read(def, greet);
//! # assert_eq!(tool.def().toolset.name, "demo");
//! ```

pub mod agent;
pub mod delegate;
mod function;
mod output;
mod parts;
pub mod program;
mod refusal;
pub mod toolsets;

pub use crate::model::effect::{Effect, Flow, Receipt, UndoCall};
pub use crate::policy::tool_def::{ApprovalDefault, ToolDef, Toolset, rules};
pub use function::{
    Light, arguments_schema, full, heavy, parsed, read, shown, varying, without_nulls,
};
pub use output::{Choice, MOST_OPTIONS, Resolution, Settled, ToolError, ToolOutput};
pub use parts::{Part, PartDone};
pub(crate) use parts::{is_part, part_id, whole_of};
pub use refusal::Refusal;

use alfred_core::files::Sandbox;
use alfred_core::policy::Setting;
use alfred_core::ports::{
    Account, Accounts, Chat, Clock, FilesError, Folders, Ids, Store, ToolSpec, Web, Write,
};
use alfred_core::{Config, SessionId, SlackContext, Taint, TeamId, UserContext, UserId, text};
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::sync::Arc;

use crate::model::approval::Approval;
use crate::model::attachment::Given;
use crate::model::preview::Preview;
use crate::policy::AuthorizedArgs;

pub type SharedTool = Arc<dyn Tool>;

/// An action that an agent can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Its definition; if that depends on the arguments, the strictest one.
    fn def(&self) -> &ToolDef;

    /// The definition for these arguments, for tools that do several things. Uses nothing but the
    /// arguments, and returns `def` in case of doubt.
    fn def_of(&self, _: &Value) -> &ToolDef {
        self.def()
    }

    /// The worker file's setting for these arguments, if it is more specific than the tool's. The
    /// strictest of all settings counts.
    fn setting(&self, _: &Value) -> Option<Setting> {
        None
    }

    fn schema(&self) -> Value;
    /// Runs the tool. The arguments fit the schema and passed the gate.
    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError>;

    /// The next part of a call made of parts, given the finished ones in order. Depends only on arguments and
    /// parts, so that it continues the same after a crash. `None` for tools that work in `run`.
    fn next_part(
        &self,
        _context: &ToolContext,
        _arguments: &Value,
        _done: &[PartDone<'_>],
    ) -> Option<Part> {
        None
    }

    /// Whether a successful call with these arguments bars its agent from using another tool.
    fn rules_out(&self, _arguments: &Value, _other: &ToolDef) -> bool {
        false
    }

    /// Whether a call hands its task to another agent of the program.
    fn is_delegation(&self) -> bool {
        false
    }

    /// For a delegation: the files that the caller sees, if it has any.
    fn callers_files(&self) -> Option<&dyn SeenFiles> {
        None
    }

    /// Whether other people wrote its description and schema. Then every run that sees them is tainted.
    fn is_described_by_others(&self) -> bool {
        false
    }

    /// Checks arguments that `resolve` produced. `None` for tools that don't resolve; their schema
    /// is checked instead.
    fn check_resolved(&self, _: &Value) -> Option<Result<(), ToolError>> {
        None
    }

    /// Turns a wish ("plan my day") into the exact arguments to run. The owner approves these. Fails with
    /// `Failed` if there is no way to do it; the model gets the message.
    async fn resolve(&self, _: &ToolContext, arguments: Value) -> Result<Resolution, ToolError> {
        Ok(Resolution::Call(arguments))
    }

    /// Resolves arguments that the owner changed on the card. The rest comes from the stored approval, and so
    /// from the tool itself. Fails like `resolve`; the card shows the message.
    async fn resolve_edit(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        self.resolve(context, arguments).await
    }

    /// An open proposal worked out again with these changes. Fails with `Failed` if they don't fit or change
    /// nothing, and for tools without proposals.
    async fn changed(
        &self,
        _: &ToolContext,
        _: &Approval,
        _changes: Value,
    ) -> Result<Value, ToolError> {
        let error = "This is no proposal of a workflow. The person changes it on its card.";
        Err(ToolError::failed(error))
    }

    /// The wish that resolves to these arguments. Fails with `Failed` for arguments that don't fit.
    fn wished(&self, arguments: &Value) -> Result<Value, ToolError> {
        Ok(arguments.clone())
    }

    /// A description of a proposal without other people's text, for a model. `None` if no part is free of it.
    fn outline(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// The preview for the approval card. It must show everything that the call sends or changes. Fails with
    /// `Failed` if the call isn't possible now; the model gets the message.
    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview, ToolError> {
        Ok(Preview::of_arguments(&self.def().name, arguments))
    }

    /// Writes to commit together with the approval request. Fails with `Failed` for arguments that don't fit.
    fn asked(&self, _: &ToolContext, _: &Value) -> Result<Vec<Write>, ToolError> {
        Ok(Vec::new())
    }

    /// The recipients of a call: those in the arguments, or those of the object that they name. Fails with
    /// `Failed` if the call isn't possible now; the model gets the message.
    async fn recipients(&self, _: &ToolContext, _: &Value) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    /// Asks the provider about an outward call without a recorded result, by the idempotency key in
    /// `context`. Fails with `Stop` if the provider can't be asked now.
    async fn settle(&self, _: &ToolContext, _: &Value) -> Result<Settled, ToolError> {
        Ok(Settled::Unknown)
    }

    fn spec(&self) -> ToolSpec {
        whole_spec(self)
    }
}

pub(crate) fn whole_spec<T: Tool + ?Sized>(tool: &T) -> ToolSpec {
    ToolSpec {
        name: tool.def().name.to_string(),
        description: tool.def().description.to_string(),
        parameters: tool.schema(),
    }
}

/// The person, place and services that a tool call works with. Cheap to clone.
#[derive(Clone)]
pub struct ToolContext {
    pub team: TeamId,
    /// The person whose data and credentials are used; never anybody else's.
    pub user: Arc<UserContext>,
    pub session: SessionId,
    pub place: SlackContext,
    pub now: Timestamp,
    /// For reads only. Writes go into the output and are committed with the journal step.
    pub store: Arc<dyn Store>,
    pub chat: Arc<dyn Chat>,
    pub accounts: Accounts,
    pub web: Web,
    pub folders: Arc<dyn Folders>,
    pub given: Arc<Given>,
    /// Names of delegated workers down to the caller. Empty for the run's own agent.
    pub called: Vec<String>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub config: Arc<Config>,
    /// Key of this call, the same for all its attempts. The provider and later lookups use it.
    pub idempotency_key: String,
    /// When this attempt was first recorded. Lookups at the provider go back no further.
    pub since: Timestamp,
    /// Start of the run: the same for the preview and for the call itself.
    pub began: Timestamp,
    /// SHA-256 of the approved preview. `None` if none was shown.
    pub shown: Option<String>,
    /// For an undo call: the state that the effect left.
    pub left: Option<Value>,
    /// Whether the person made the call directly, without a model.
    pub by_hand: bool,
    /// Whether the run has read text its owner didn't write. What it stores is then tainted too.
    pub tainted: bool,
    pub taint: Taint,
}

impl ToolContext {
    pub fn user_id(&self) -> &UserId {
        &self.user.slack_user_id
    }

    pub fn account(&self) -> Account {
        Account::of(&self.team, self.user_id())
    }

    /// Fails if the call would no longer do what the owner approved. For calls that depend on more than their
    /// arguments. `preview` must describe exactly what is about to happen. Fails with `Failed` if the preview
    /// differs from the approved one.
    pub fn ensure_unchanged_since_approval(&self, preview: &Preview) -> Result<(), ToolError> {
        match &self.shown {
            Some(shown) if *shown != preview.digest()? => Err(ToolError::failed(text::DRIFTED)),
            Some(_) | None => Ok(()),
        }
    }

    /// Fails an undo call if the object was changed since the effect. Compares `now` with the value given to
    /// [`ToolOutput::leaving`]; of an object only the fields in that value. `tainted` says whether the name
    /// may be other people's text. Fails with `Failed` if it was changed.
    pub fn ensure_as_left(&self, name: &str, tainted: bool, now: &Value) -> Result<(), ToolError> {
        let is_left = |left: &Value| match left.as_object() {
            Some(fields) => fields.iter().all(|(field, value)| now[field] == *value),
            None => left == now,
        };
        match self.left.as_ref().is_none_or(is_left) {
            true => Ok(()),
            false => {
                let error = ToolError::failed(text::changed_since_then(name));
                Err(error.bringing(Flow::of_stored(tainted)))
            }
        }
    }

    /// The person's time zone; UTC if the stored name is unknown.
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.user.timezone).unwrap_or(TimeZone::UTC)
    }
}

/// A program's files with a worker's access rights.
pub trait SeenFiles: Send + Sync {
    /// The file system as the worker sees it. Fails with `PermissionEscalation` and `InvalidPath` for a
    /// worker file with invalid rights; `NoFolder`, `NotFound`.
    fn view(&self, context: &ToolContext) -> Result<Sandbox, FilesError>;
    /// The worker file's approval setting for reading this path.
    fn setting(&self, path: &str) -> Option<Setting>;
    /// The tool that reads files. The administrator's settings for it also apply to passing files on.
    fn tool(&self) -> &str;
}
