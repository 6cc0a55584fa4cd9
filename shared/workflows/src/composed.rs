//! The shape of every workflow as a tool: a wish is worked out, what was
//! approved is carried out in parts, and what came of it is kept.

use alfred_agent::gate::AuthorizedArgs;
use alfred_agent::preview::Preview;
use alfred_agent::tool::{
    self, ApprovalDefault, Effect, Part, PartDone, Resolution, SharedTool, Tool, ToolContext,
    ToolDef, ToolError, ToolOutput,
};
use alfred_core::Failure;
use alfred_planner::Wish;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::proposal::{Ended, Wishes, cancelled, done, only_the_person_confirms};
use crate::toolset::{Step, Toolset};

/// What one workflow has of its own.
#[async_trait]
pub trait Workflow: Send + Sync + 'static {
    /// Its arguments, as they are wished and as they would run.
    type Arguments: DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    const NAME: &'static str;
    /// What it is for, as the model reads it.
    const DESCRIPTION: &'static str;
    /// Rules for its use.
    const RULES: &'static [&'static str];
    /// The tools it is made of.
    const TOOLS: &'static [&'static str];

    /// What its confirmation says, unless it is a wish: the proposal it names, and whether it is approved.
    fn confirmation(args: &Self::Arguments) -> Option<(Option<&str>, bool)>;
    /// Works a wish out into a proposal.
    async fn propose(
        tools: &Toolset,
        context: &ToolContext,
        args: Self::Arguments,
    ) -> Result<Resolution, ToolError>;
    /// Changes that whoever calls names by ids: all that the card says of them is read from the tools,
    /// and what the caller says of them is dropped. What isn't there is refused.
    async fn named(
        tools: &Toolset,
        context: &ToolContext,
        args: Self::Arguments,
    ) -> Result<Resolution, ToolError>;
    /// A wish with what is wanted of it now, which counts where they differ. What only Alfred sets is as it was.
    fn revised(wish: Self::Arguments, now: Self::Arguments) -> Self::Arguments;
    /// What is wanted of a plan, as far as all of it could be said.
    fn wishes(_: &Self::Arguments) -> Vec<Wish> {
        Vec::new()
    }
    /// What of a proposal holds none of other people's words; `None` where all of it may.
    fn outline(_: &Self::Arguments) -> Option<String> {
        None
    }
    /// What is left of a proposal that its owner changed; nothing where nothing is.
    fn left(context: &ToolContext, args: Self::Arguments) -> Result<Resolution, ToolError>;
    fn preview(args: &Self::Arguments) -> Result<Preview, ToolError>;
    /// What is done, in order, as far as it is known behind what was done.
    fn steps(args: &Self::Arguments, done: &[PartDone<'_>]) -> Vec<Step>;
    /// What it came to.
    fn outcome(args: &Self::Arguments, done: &[PartDone<'_>]) -> Ended;
}

/// A workflow with its tools.
pub struct Composed<W> {
    def: ToolDef,
    tools: Toolset,
    workflow: PhantomData<fn() -> W>,
}

impl<W: Workflow> Composed<W> {
    /// The workflow as a tool; `None` when one of its tools is missing.
    pub fn tool(tools: &[SharedTool]) -> Option<SharedTool> {
        let def = ToolDef::new(W::NAME, W::DESCRIPTION)
            .rules(W::RULES)
            .effect(Effect::ReversibleWrite)
            .approval(ApprovalDefault::Always);
        let tools = Toolset::from_tools(tools, W::TOOLS)?;
        let workflow = PhantomData;
        Some(Arc::new(Self {
            def,
            tools,
            workflow,
        }))
    }
}

#[async_trait]
impl<W: Workflow> Tool for Composed<W> {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<W::Arguments>()
    }

    async fn resolve(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        let args: W::Arguments = tool::parsed(arguments)?;
        match W::confirmation(&args) {
            None => W::propose(&self.tools, context, args).await,
            Some((Some(_), _)) => Err(only_the_person_confirms()),
            Some((None, false)) => cancelled(),
            Some((None, true)) => W::named(&self.tools, context, args).await,
        }
    }

    async fn resolve_edit(
        &self,
        context: &ToolContext,
        arguments: Value,
    ) -> Result<Resolution, ToolError> {
        let args: W::Arguments = tool::parsed(arguments.clone())?;
        match W::confirmation(&args) {
            Some((None, true)) => W::left(context, args),
            _ => self.resolve(context, arguments).await,
        }
    }

    fn revised(&self, wish: Value, now: Value) -> Result<Value, ToolError> {
        let revised = W::revised(tool::parsed(wish)?, tool::parsed(now)?);
        Ok(serde_json::to_value(revised).map_err(Failure::bug)?)
    }

    fn outline(&self, arguments: &Value) -> Option<String> {
        W::outline(&tool::parsed(arguments.clone()).ok()?)
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview, ToolError> {
        W::preview(&tool::parsed(arguments.clone())?)
    }

    fn next_part(
        &self,
        context: &ToolContext,
        arguments: &Value,
        tried: &[PartDone<'_>],
    ) -> Option<Part> {
        let args: W::Arguments = tool::parsed(arguments.clone()).ok()?;
        let next = self.tools.next(W::steps(&args, tried), tried);
        next.or_else(|| {
            let own = context.own_wishes.iter().cloned();
            let own = own.filter_map(|wish| tool::parsed(wish).ok());
            let wishes = Wishes {
                all: W::wishes(&args),
                own: own.flat_map(|own| W::wishes(&own)).collect(),
            };
            let output = done(context, W::NAME, W::outcome(&args, tried), wishes).ok()?;
            Some(Part::Finished(Box::new(output)))
        })
    }

    async fn run(&self, _: ToolContext, _: AuthorizedArgs) -> Result<ToolOutput, ToolError> {
        Err(ToolError::Stop(Failure::bug("a workflow runs in parts")))
    }
}
