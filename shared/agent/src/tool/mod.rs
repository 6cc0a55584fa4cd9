//! The tool trait: description, argument schema and work of a tool in one value.
//! `docs/tools.md` shows how to write one.

pub mod agent;
pub mod delegate;
mod function;
mod output;
pub mod program;
pub mod toolsets;

pub use crate::model::{Effect, Flow, Receipt, UndoCall};
pub use crate::policy::tool_def::{ApprovalDefault, ToolDef, Toolset, rules};
pub use function::{BadArgument, arguments_schema, full, parsed, read, shown, without_nulls};
pub use output::{
    Choice, MOST_OPTIONS, PartDone, Refusal, Resolution, Settled, ToolError, ToolOutput,
};
pub(crate) use output::{is_part, part_id, whole_of};

use alfred_core::files::{Sandbox, StoredFiles};
use alfred_core::policy::Setting;
use alfred_core::ports::{
    Account, Accounts, Chat, Clock, Files, FilesError, Folders, Ids, Store, ToolSpec, Web, Write,
};
use alfred_core::{Config, SessionId, SlackContext, Taint, TeamId, UserContext, UserId, text};
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::sync::Arc;

use crate::model::{Approval, Given, Preview, Unclear};
use crate::policy::AuthorizedArgs;

pub type SharedTool = Arc<dyn Tool>;
pub type Result<T = ToolOutput, E = ToolError> = std::result::Result<T, E>;

#[async_trait]
pub trait Tool: Send + Sync {
    /// If it depends on the arguments, the strictest one.
    fn def(&self) -> &ToolDef;

    /// For tools that do several things. Uses nothing but the arguments.
    fn def_of(&self, _: &Value) -> &ToolDef {
        self.def()
    }

    /// A worker file's setting for these arguments. The strictest of all settings counts.
    fn setting(&self, _: &Value) -> Option<Setting> {
        None
    }

    fn schema(&self) -> Value;
    /// The arguments fit the schema and passed the gate. An outward tool must first call
    /// [`ToolContext::ensure_unchanged_since_approval`]; for other tools the caller does it.
    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result;

    /// Depends only on arguments and finished parts, so that it continues the same after a crash.
    fn next_part(&self, _: &ToolContext, _: &Value, _: &[PartDone<'_>]) -> Option<Part> {
        None
    }

    /// Whether a successful call bars its agent from using another tool.
    fn rules_out(&self, _arguments: &Value, _other: &ToolDef) -> bool {
        false
    }

    fn callers_files(&self) -> Option<&dyn SeenFiles> {
        None
    }

    /// Checks what `resolve` produced; `None` to check the schema.
    fn check_resolved(&self, _: &Value) -> Option<Result<()>> {
        None
    }

    /// Turns a wish ("plan my day") into the exact arguments, which the owner approves.
    async fn resolve(&self, _: &ToolContext, arguments: Value) -> Result<Resolution> {
        Ok(Resolution::Call(arguments))
    }

    /// For a workflow, which proposes what it will do.
    fn proposal(&self) -> Option<&dyn Proposal> {
        None
    }

    /// Describes a proposal to a model, without other people's text.
    fn outline(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// Must show everything that the call sends or changes.
    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        Ok(Preview::of_arguments(&self.def().name, arguments))
    }

    fn asked(&self, _: &ToolContext, _: &Value) -> Result<Vec<Write>> {
        Ok(Vec::new())
    }

    /// Those in the arguments, or of the object that they name.
    async fn recipients(&self, _: &ToolContext, _: &Value) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Asks the provider about an effect without a result, by the idempotency key.
    async fn settle(&self, _: &ToolContext, _: &Value) -> Result<Settled> {
        Ok(Settled::Unknown)
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.def().name.to_string(),
            description: self.def().description.to_string(),
            parameters: self.schema(),
        }
    }
}

/// What a workflow proposes, and its owner may change. `payload` are the resolved arguments.
#[async_trait]
pub trait Proposal: Send + Sync {
    /// Checks a proposal that the owner changed on the card. Errors are shown there.
    fn check_edit(&self, payload: &Value) -> Result<()>;

    /// The open proposal with these changes.
    async fn changed(
        &self,
        context: &ToolContext,
        open: &Approval,
        changes: Value,
    ) -> Result<Value>;

    /// The result of the phase that proposes, as data.
    fn first_phase(&self, payload: &Value) -> Result<Value>;

    /// The arguments that lead to this proposal.
    fn wished(&self, payload: &Value) -> Result<Value>;
}

pub enum Part {
    /// Runs under the approval of the whole. Never an outward call.
    Call {
        tool: SharedTool,
        arguments: Value,
        /// The state that an undone effect left.
        left: Option<Value>,
    },
    Finished(Box<ToolOutput>),
}

#[derive(Clone)]
pub struct ToolContext {
    pub team: TeamId,
    /// Whose data and credentials are used; never anybody else's.
    pub user: Arc<UserContext>,
    pub session: SessionId,
    pub place: SlackContext,
    pub now: Timestamp,
    /// For reads only. Writes go into the output.
    pub store: Arc<dyn Store>,
    pub chat: Arc<dyn Chat>,
    pub accounts: Accounts,
    pub web: Web,
    pub folders: Arc<dyn Folders>,
    pub given: Arc<Given>,
    /// Delegated workers down to the caller.
    pub called: Vec<String>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub config: Arc<Config>,
    /// When the model was last told the time before it made this call. A late approval doesn't change it.
    pub began: Timestamp,
    pub call: CallContext,
    /// What a tainted run stores is tainted too.
    pub tainted: bool,
    pub taint: Taint,
}

#[derive(Clone, Default)]
pub struct CallContext {
    /// The idempotency key: the same for all attempts of this call.
    pub key: String,
    /// When this attempt was first recorded; lookups go back no further.
    pub since: Timestamp,
    /// SHA-256 of the approved preview.
    pub shown: Option<String>,
    /// For an undo call: the state that the effect left.
    pub left: Option<Value>,
    /// The person made the call, without a model.
    pub by_hand: bool,
}

impl ToolContext {
    pub fn user_id(&self) -> &UserId {
        &self.user.slack_user_id
    }

    pub fn account(&self) -> Account {
        Account::of(&self.team, self.user_id())
    }

    /// `Failed` if the preview differs from the approved one or can't be made. For calls that depend on stored data.
    pub fn ensure_unchanged_since_approval<T>(
        &self,
        prepared: Result<T>,
        preview: impl FnOnce(&T) -> Preview,
    ) -> Result<T> {
        let Some(shown) = &self.call.shown else {
            return prepared;
        };
        let unchanged = match prepared {
            Ok(prepared) if preview(&prepared).digest()? == *shown => Ok(prepared),
            Ok(_) => Err(ToolError::failed(text::DRIFTED)),
            Err(error) => Err(error),
        };
        unchanged.map_err(|error| error.map(|why| why.unclear(Unclear::Drifted)))
    }

    /// `Failed` if the object was changed since the effect. Of an object only the fields given to
    /// [`ToolOutput::leaving`] count. `tainted` says whether the name may be other people's text.
    pub fn ensure_as_left(&self, name: &str, tainted: bool, now: &Value) -> Result<()> {
        let is_left = |left: &Value| match left.as_object() {
            Some(fields) => fields.iter().all(|(field, value)| now[field] == *value),
            None => left == now,
        };
        if self.call.left.as_ref().is_none_or(is_left) {
            return Ok(());
        }
        let error = ToolError::failed(text::changed_since_then(name));
        Err(error.bringing(Flow::of_stored(tainted)))
    }

    /// The files of a folder on disk, or without one the person's stored files.
    pub fn files_of(&self, folder: Option<&str>) -> Result<Arc<dyn Files>, FilesError> {
        let Some(root) = folder else {
            let (store, user) = (self.store.clone(), self.user_id());
            return Ok(Arc::new(StoredFiles::of(store, &self.team, user, self.now)));
        };
        self.folders.open(root)
    }

    /// UTC if the stored name is unknown.
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.user.timezone).unwrap_or(TimeZone::UTC)
    }
}

/// A program's files with a worker's access rights.
pub trait SeenFiles: Send + Sync {
    fn view(&self, context: &ToolContext) -> Result<Sandbox, FilesError>;
    fn setting(&self, path: &str) -> Option<Setting>;
    /// Whose settings also apply to passing files on.
    fn tool(&self) -> &str;
}
