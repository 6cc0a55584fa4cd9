//! `email_sendEmail`: sends a new or forwarded mail, or saves it as a draft.

use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{Settled, Tool};
use async_trait::async_trait;
use std::sync::Arc;

use super::TOOLSET;
use super::new_mail::{Arguments, NAME, NewMail};
use crate::outward::{self, Outward};
use crate::prelude::*;

struct SendEmail {
    send: SharedTool,
    keep: ToolDef,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Sends a new e-mail, or forwards one. A card asks first. An answer: email_processEmail.",
    )
    .flow(Flow::UNKNOWN);
    Arc::new(SendEmail {
        keep: def
            .clone()
            .effect(Effect::ReversibleWrite)
            .with(|def| def.adds = true),
        send: outward::always_asked::<NewMail>(def),
    })
}

/// Returns the arguments if they only save a draft. Unreadable arguments count as sending.
fn only_kept(arguments: &Value) -> Option<Arguments> {
    let args: Arguments = tool::parsed(arguments.clone()).ok()?;
    args.as_draft.unwrap_or(false).then_some(args)
}

#[async_trait]
impl Tool for SendEmail {
    fn def(&self) -> &ToolDef {
        self.send.def()
    }

    fn def_of(&self, arguments: &Value) -> &ToolDef {
        match only_kept(arguments) {
            Some(_) => &self.keep,
            None => self.send.def(),
        }
    }

    fn schema(&self) -> Value {
        self.send.schema()
    }

    async fn recipients(
        &self,
        context: &ToolContext,
        arguments: &Value,
    ) -> Result<Vec<String>, ToolError> {
        match only_kept(arguments) {
            Some(_) => Ok(Vec::new()),
            None => self.send.recipients(context, arguments).await,
        }
    }

    async fn preview(
        &self,
        context: &ToolContext,
        arguments: &Value,
    ) -> Result<Preview, ToolError> {
        match only_kept(arguments) {
            Some(args) => Ok(NewMail::prepare(context, &args).await?.kept_card()),
            None => self.send.preview(context, arguments).await,
        }
    }

    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError> {
        match only_kept(arguments.value()) {
            Some(args) => {
                NewMail::prepare(&context, &args)
                    .await?
                    .keep(&context)
                    .await
            }
            None => self.send.run(context, arguments).await,
        }
    }

    async fn settle(&self, context: &ToolContext, arguments: &Value) -> Result<Settled, ToolError> {
        self.send.settle(context, arguments).await
    }
}
