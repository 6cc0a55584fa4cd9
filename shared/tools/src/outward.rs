//! Tools that reach other people. The card and the run prepare a call in the same way. The run does only what
//! the card showed. After a lost answer it looks for the effect.

use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{ApprovalDefault, Tool};
use alfred_core::ports::AccountError;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

use crate::account::looked;
use crate::prelude::*;

#[async_trait]
pub trait Outward: Sized + Send + Sync + 'static {
    type Arguments: DeserializeOwned + JsonSchema + Send + Sync;

    /// The recipients, by address or as the arguments name them.
    async fn recipients(context: &ToolContext, args: &Self::Arguments) -> Result<Vec<String>>;
    async fn prepare(context: &ToolContext, args: &Self::Arguments) -> Result<Self>;
    /// Must show everything: the approval covers the digest of this preview.
    fn preview(&self, context: &ToolContext) -> Preview;
    async fn act(self, context: &ToolContext) -> Result<ToolOutput>;
    /// Looks for the effect when the answer was lost. On `Failed`, a look is impossible and the owner is asked.
    async fn settle(context: &ToolContext, args: Self::Arguments) -> Result<Settled>;
    /// Which of the milder definitions of [`varying`] holds for these arguments. Such a call reaches nobody and
    /// may be repeated.
    fn milder(_: &Self::Arguments) -> Option<usize> {
        None
    }
}

pub fn tool<O: Outward>(def: ToolDef) -> SharedTool {
    made::<O>(def.effect(Effect::Outward), Vec::new())
}

/// An outward tool that asks each time; no configuration waives it. Some arguments make a call milder.
pub fn varying<O: Outward>(def: ToolDef, milder: Vec<ToolDef>) -> SharedTool {
    let def = def.effect(Effect::Outward);
    made::<O>(def.approval(ApprovalDefault::Always), milder)
}

fn made<O: Outward>(def: ToolDef, milder: Vec<ToolDef>) -> SharedTool {
    let call = PhantomData;
    Arc::new(OutwardTool::<O> { def, milder, call })
}

/// Maps a look for a lost effect; `done` makes the output when it is found.
pub fn settled<T>(
    tool: &str,
    found: Result<Option<T>, AccountError>,
    done: impl FnOnce(&T) -> Result<ToolOutput>,
) -> Result<Settled> {
    match looked(tool, found)? {
        Ok(there) => Ok(Settled::Done(Box::new(done(&there)?))),
        Err(nothing) => Ok(nothing),
    }
}

/// `None` if the thing is gone, or if its words now match several; other errors stay.
pub fn known<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(ToolError::Failed(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

struct OutwardTool<O> {
    def: ToolDef,
    milder: Vec<ToolDef>,
    call: PhantomData<fn() -> O>,
}

#[async_trait]
impl<O: Outward> Tool for OutwardTool<O> {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    /// Arguments that can't be read count as the strictest.
    fn def_of(&self, arguments: &Value) -> &ToolDef {
        let args = tool::parsed(arguments.clone());
        let milder = args.ok().and_then(|args| O::milder(&args));
        milder.map_or(&self.def, |at| &self.milder[at])
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<O::Arguments>()
    }

    async fn recipients(&self, context: &ToolContext, arguments: &Value) -> Result<Vec<String>> {
        let args = tool::parsed(arguments.clone())?;
        match O::milder(&args) {
            Some(_) => Ok(Vec::new()),
            None => O::recipients(context, &args).await,
        }
    }

    async fn preview(&self, context: &ToolContext, arguments: &Value) -> Result<Preview> {
        let args = tool::parsed(arguments.clone())?;
        Ok(O::prepare(context, &args).await?.preview(context))
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result<ToolOutput> {
        let args = tool::parsed(arguments.into_value())?;
        let prepared = O::prepare(&context, &args).await;
        let preview = |prepared: &O| prepared.preview(&context);
        let prepared = context.ensure_unchanged_since_approval(prepared, preview)?;
        prepared.act(&context).await
    }

    async fn settle(&self, context: &ToolContext, arguments: &Value) -> Result<Settled> {
        let args = tool::parsed(arguments.clone())?;
        match O::milder(&args) {
            Some(_) => Ok(Settled::NotDone),
            None => Ok(known(O::settle(context, args).await)?.unwrap_or(Settled::Unknown)),
        }
    }
}
