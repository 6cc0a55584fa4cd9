//! A tool: its description, its arguments' schema, and its work, in one value.
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

mod def;
mod function;
mod output;
mod parts;
mod refusal;

pub use def::{ApprovalDefault, Effect, Flow, ToolDef, Toolset, rules};
pub use function::{arguments_schema, full, heavy, parsed, read, shown, varying, without_nulls};
pub use output::{
    Choice, MOST_OPTIONS, Receipt, Resolution, Settled, ToolError, ToolOutput, UndoCall,
};
pub use parts::{Part, PartDone};
pub(crate) use parts::{is_part, part_id, whole_of};
pub use refusal::Refusal;

use alfred_core::policy::Setting;
use alfred_core::ports::{
    Account, Accounts, Chat, Clock, Folders, Ids, Store, ToolSpec, Web, Write,
};
use alfred_core::{Config, SessionId, SlackContext, Taint, TeamId, UserContext, UserId, text};
use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::sync::Arc;

use crate::delegate::Delegate;
use crate::gate::AuthorizedArgs;
use crate::given::Given;
use crate::journal::Journal;
use crate::preview::Preview;

/// A tool in a catalogue.
pub type SharedTool = Arc<dyn Tool>;

/// Something an agent can do.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it is. Where that depends on the arguments, the strictest of all it can be.
    fn def(&self) -> &ToolDef;

    /// What a call with these arguments is, for a tool that does several
    /// things. Read from the very arguments that would run, and from nothing
    /// else; what it doesn't know for certain to be less is `def`.
    fn def_of(&self, _: &Value) -> &ToolDef {
        self.def()
    }

    /// What the file of its worker says about approving a call with these arguments, where that is more than about
    /// the tool. The strictest of all that is configured counts.
    fn setting(&self, _: &Value) -> Option<Setting> {
        None
    }

    /// JSON schema of its arguments.
    fn schema(&self) -> Value;
    /// Does it. The arguments fit the schema, and the gate has let them through.
    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError>;

    /// What comes next in a call made of parts, given what was tried so far, in order.
    /// Decided by arguments and parts alone, so that it goes on the same behind a crash. `None` for a
    /// tool that does its work in `run`.
    fn next_part(
        &self,
        _context: &ToolContext,
        _arguments: &Value,
        _done: &[PartDone<'_>],
    ) -> Option<Part> {
        None
    }

    /// Whether its agent may not call another tool any more once a call with these arguments has succeeded.
    fn rules_out(&self, _arguments: &Value, _other: &ToolDef) -> bool {
        false
    }

    /// The delegation that a call of this is; `None` for a tool that works itself.
    fn delegates(&self) -> Option<&Delegate> {
        None
    }

    /// Whether others wrote its description and its schema: a run that is shown them has read others' words.
    fn is_described_by_others(&self) -> bool {
        false
    }

    /// Whether arguments are such as this tool itself makes of a wish; `None` for a tool that runs with
    /// arguments as its callers say them, whose schema tells.
    fn check_resolved(&self, _: &Value) -> Option<Result<(), ToolError>> {
        None
    }

    /// What a call comes to that only names a wish ("plan my day"): the arguments
    /// exactly as they would run, worked out now. Its owner decides about these.
    ///
    /// # Errors
    /// `Failed` when there is no way to do it; the model is told.
    async fn resolve(&self, _: &ToolContext, arguments: Value) -> Result<Resolution, ToolError> {
        Ok(Resolution::Call(arguments))
    }

    /// The same for a call that was worked out and asked about, and changed on its card: made of the
    /// arguments that are kept with the approval, so what they say beside the change is the tool's own.
    ///
    /// # Errors
    /// As `resolve`; the card says why.
    async fn resolve_edit(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        self.resolve(context, arguments).await
    }

    /// The arguments of a proposal as the wish it was, with what is wanted of it now, which counts where they differ.
    ///
    /// # Errors
    /// `Failed` for arguments that don't fit, and for a tool that proposes nothing.
    fn revised(&self, _wish: Value, _now: Value) -> Result<Value, ToolError> {
        Err(ToolError::failed("This can't be changed in words."))
    }

    /// What a caller would say for what these arguments, as they would run, do.
    ///
    /// # Errors
    /// `Failed` for arguments that don't fit.
    fn wished(&self, arguments: &Value) -> Result<Value, ToolError> {
        Ok(arguments.clone())
    }

    /// What of a proposal holds none of other people's words, for a model that reads its owner's words about it;
    /// `None` where all of it may, and the model sees the card.
    fn outline(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// Everything a call would do, for the card on which its owner decides.
    /// It must show all that the call sends or changes.
    ///
    /// # Errors
    /// `Failed` when the call can't be done as it stands; the model is told.
    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview, ToolError> {
        Ok(Preview::of_arguments(&self.def().name, arguments))
    }

    /// What is remembered of a call that its owner is asked about: written in the commit that asks.
    ///
    /// # Errors
    /// `Failed` for arguments that don't fit.
    fn asked(&self, _: &ToolContext, _: &Value) -> Result<Vec<Write>, ToolError> {
        Ok(Vec::new())
    }

    /// To whom the call would reach: as the arguments name them, or where
    /// these name something with recipients of its own, as that does.
    ///
    /// # Errors
    /// `Failed` when the call can't be done as it stands; the model is told.
    async fn recipients(&self, _: &ToolContext, _: &Value) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    /// Looks at the provider for an outward call whose result was not recorded.
    /// `context` has the call's idempotency key.
    ///
    /// # Errors
    /// `Stop` when the provider can't be looked at now.
    async fn settle(&self, _: &ToolContext, _: &Value) -> Result<Settled, ToolError> {
        Ok(Settled::Unknown)
    }

    /// The tool as a model sees it.
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.def().name.to_string(),
            description: self.def().description.to_string(),
            parameters: self.schema(),
        }
    }
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
    /// Where the answer goes.
    pub place: SlackContext,
    /// When the call began; the same for the whole call.
    pub now: Timestamp,
    /// Reads. Writes go into the output, and take effect with the journal step.
    pub store: Arc<dyn Store>,
    /// Slack.
    pub chat: Arc<dyn Chat>,
    /// Mail, calendars, documents, sheets.
    pub accounts: Accounts,
    /// Searching the web, and reading it.
    pub web: Web,
    /// Folders in which programs work.
    pub folders: Arc<dyn Folders>,
    /// The files that the request came with.
    pub given: Arc<Given>,
    /// Who calls: the workers from the run's own agent, which is left out, down to it.
    pub called: Vec<String>,
    /// The clock, for waiting.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn Ids>,
    /// Settings.
    pub config: Arc<Config>,
    /// Names this call and no other, through every attempt: for the provider, and to look by.
    pub idempotency_key: String,
    /// When this attempt of the call was first recorded; a look goes back no further.
    pub since: Timestamp,
    /// When the run began: the same when it is asked about a call and when the call runs.
    pub began: Timestamp,
    /// SHA-256 of the preview that the owner approved; none where nothing was shown.
    pub shown: Option<String>,
    /// Of a call that takes an effect back: what the effect left.
    pub left: Option<Value>,
    /// Whether the person made this very call themselves, without a model.
    pub by_hand: bool,
    /// What its owner wrote about the call on its card themselves, in order and as arguments; for a call made of parts.
    pub own_wishes: Vec<Value>,
    /// Whether the run has read words its owner didn't write: what it stores is tainted too.
    pub tainted: bool,
    /// What the run has read.
    pub taint: Taint,
}

impl ToolContext {
    /// The runs, to look at what was done before.
    pub fn journal(&self) -> Journal {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        Journal::new(store, clock, self.ids.clone(), &self.config)
    }

    /// The person's Slack id.
    pub fn user_id(&self) -> &UserId {
        &self.user.slack_user_id
    }

    /// The person's accounts.
    pub fn account(&self) -> Account {
        Account::of(&self.team, self.user_id())
    }

    /// Makes sure that a call does what its owner was shown, where what it does
    /// depends on more than its arguments. To be asked with the preview of
    /// exactly what is about to be done.
    ///
    /// # Errors
    /// `Failed` when it would do something else by now.
    pub fn ensure_unchanged_since_approval(&self, preview: &Preview) -> Result<(), ToolError> {
        match &self.shown {
            Some(shown) if *shown != preview.digest() => Err(ToolError::failed(text::DRIFTED)),
            Some(_) | None => Ok(()),
        }
    }

    /// Makes sure that a call that takes an effect back goes over nothing that was changed since: what is there
    /// now under this name, as `ToolOutput::leaving` said it; of an object only the fields that were said.
    ///
    /// # Errors
    /// `Failed` when it is something else by now.
    pub fn ensure_as_left(
        &self,
        (name, tainted): (&str, bool),
        now: &Value,
    ) -> Result<(), ToolError> {
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

    /// The person's time zone; UTC if what is stored is no zone.
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.user.timezone).unwrap_or(TimeZone::UTC)
    }
}
