//! The common form of workflows. A wish becomes a proposal, the approved proposal runs in parts, and the
//! result is kept.

use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{ApprovalDefault, Part, PartDone, Resolution, Tool, Toolset};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::sync::Arc;

use super::proposal::{Ended, Wishes, done};
use crate::prelude::*;

/// A tool's name and its arguments.
pub type Step = (&'static str, Value);

pub type Proposing<'a> = BoxFuture<'a, Result<Resolution, ToolError>>;

pub trait Workflow: Sized + Send + Sync + 'static {
    /// The arguments of a caller.
    type Wish: DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    /// What runs after approval.
    type Confirmation: DeserializeOwned + Serialize + Send + Sync;
    /// What else the card shows.
    type Proposal: DeserializeOwned + Serialize + Send + Sync;
    const NAME: &'static str;
    /// For the model.
    const DESCRIPTION: &'static str;
    const RULES: &'static [&'static str];

    fn propose(context: &ToolContext, wanted: Wanted<Self::Wish>) -> Proposing<'_>;
    /// Merges a new wish into the earlier one. Where they differ, the new one wins.
    fn revised(wish: Self::Wish, now: Self::Wish) -> Self::Wish;
    /// The wish without what its owner left out, as far as arguments can express it.
    fn leaving_out(wish: Self::Wish, names: Vec<String>) -> Self::Wish;
    /// The wishes for a plan. Empty if a part of them couldn't be expressed.
    fn wishes(_: &Self::Wish) -> Vec<alfred_planner::Wish> {
        Vec::new()
    }
    /// The part of a proposal without other people's words; `None` if there is none.
    fn outline(_: &Proposed<Self>) -> Option<String> {
        None
    }
    /// The message if an edited proposal has nothing left.
    fn nothing_left(proposed: &Proposed<Self>) -> Option<String>;
    fn preview(proposed: &Proposed<Self>) -> Result<Preview, ToolError>;
    /// The parts in order, as far as they are known after those already done.
    fn steps(proposed: &Proposed<Self>, done: &[PartDone<'_>]) -> Vec<Step>;
    fn outcome(proposed: &Proposed<Self>, done: &[PartDone<'_>]) -> Ended;
}

/// For serde: skips a field with the default value.
pub fn is_default<T: Default + PartialEq>(said: &T) -> bool {
    *said == T::default()
}

/// A wish, and what its owner left out of an earlier proposal: ids, or labels of the card.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted<W> {
    pub wish: W,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Whether the owner asked to change a proposal.
    #[serde(skip)]
    pub edited: bool,
}

/// A proposal as stored with its approval. No model can give it.
#[derive(Deserialize, Serialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct Proposed<W: Workflow> {
    pub wish: W::Wish,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    pub confirmation: W::Confirmation,
    pub proposal: W::Proposal,
}

impl<W: Workflow> Proposed<W> {
    /// As the arguments of the call that the owner decides about.
    pub fn call(&self) -> Result<Resolution, ToolError> {
        Ok(Resolution::Call(
            serde_json::to_value(self).map_err(Failure::bug)?,
        ))
    }
}

const TOOLSET: Toolset = Toolset::new(
    "workflow",
    "plan a whole day or week, a work block or a block of mail",
    "is working on it…",
    "That",
    "look things up",
);

struct Composed<W> {
    def: ToolDef,
    workflow: PhantomData<fn() -> W>,
}

pub fn tool<W: Workflow>() -> SharedTool {
    let def = ToolDef::new(TOOLSET, W::NAME, W::DESCRIPTION)
        .flow(Flow::UNKNOWN)
        .rules(W::RULES)
        .effect(Effect::ReversibleWrite)
        .approval(ApprovalDefault::Always);
    let workflow = PhantomData;
    Arc::new(Composed::<W> { def, workflow })
}

fn proposed<W: Workflow>(arguments: &Value) -> Result<Proposed<W>, ToolError> {
    tool::parsed(arguments.clone())
}

/// Whether these arguments are a proposal; a wish has no confirmation.
fn is_worked_out(arguments: &Value) -> bool {
    arguments.get("confirmation").is_some()
}

#[async_trait]
impl<W: Workflow> Tool for Composed<W> {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<W::Wish>()
    }

    fn check_resolved(&self, arguments: &Value) -> Option<Result<(), ToolError>> {
        let fits = match is_worked_out(arguments) {
            true => proposed::<W>(arguments).is_ok(),
            false => tool::parsed::<Wanted<W::Wish>>(arguments.clone()).is_ok(),
        };
        // The stored proposal may be of another release, and its owner can't repair it.
        Some(if fits {
            Ok(())
        } else {
            Err(ToolError::failed(text::DRIFTED))
        })
    }

    async fn resolve(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        let wanted = Wanted {
            wish: tool::parsed(arguments)?,
            without: Vec::new(),
            edited: false,
        };
        W::propose(context, wanted).await
    }

    async fn resolve_edit(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        if !is_worked_out(&arguments) {
            let mut wanted: Wanted<W::Wish> = tool::parsed(arguments)?;
            wanted.edited = true;
            return W::propose(context, wanted).await;
        }
        match W::nothing_left(&proposed::<W>(&arguments)?) {
            Some(words) => super::proposal::nothing(&words, &Default::default()),
            None => Ok(Resolution::Call(arguments)),
        }
    }

    fn revised(&self, wish: Value, now: Value) -> Result<Value, ToolError> {
        let before: Wanted<W::Wish> = tool::parsed(wish)?;
        let wanted = Wanted {
            wish: W::revised(before.wish, tool::parsed(now)?),
            without: before.without,
            edited: true,
        };
        Ok(serde_json::to_value(wanted).map_err(Failure::bug)?)
    }

    fn wished(&self, arguments: &Value) -> Result<Value, ToolError> {
        let found = proposed::<W>(arguments)?;
        let wish = W::leaving_out(found.wish, found.without);
        Ok(serde_json::to_value(wish).map_err(Failure::bug)?)
    }

    fn outline(&self, arguments: &Value) -> Option<String> {
        W::outline(&proposed(arguments).ok()?)
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview, ToolError> {
        W::preview(&proposed(arguments)?)
    }

    fn next_part(
        &self,
        context: &ToolContext,
        arguments: &Value,
        tried: &[PartDone<'_>],
    ) -> Option<Part> {
        let found = proposed::<W>(arguments).ok()?;
        let step = W::steps(&found, tried).into_iter().nth(tried.len());
        if let Some((name, arguments)) = step {
            let tool = crate::tool(name)?;
            return Some(Part::Call {
                tool,
                arguments,
                left: None,
            });
        }
        let own = context.own_wishes.iter().cloned();
        let own = own.filter_map(|wish| tool::parsed(wish).ok());
        let wishes = Wishes {
            all: W::wishes(&found.wish),
            own: own.flat_map(|own| W::wishes(&own)).collect(),
        };
        let output = done(context, W::NAME, W::outcome(&found, tried), wishes).ok()?;
        Some(Part::Finished(Box::new(output)))
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput, ToolError> {
        Err(ToolError::Stop(Failure::bug("a workflow runs in parts")))
    }
}
