//! MCP tools for the agent loop.

use crate::registry::{Binding, Bound, Factory};
use alfred_agent::model::Preview;
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{
    Effect, Flow, Receipt, Result, SharedTool, Tool, ToolContext, ToolDef, ToolError, ToolOutput,
    Toolset,
};
use alfred_core::Failure;
use alfred_core::invisible::shown_on_one_line;
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::client::{self, Answer, CallError, Described};
use super::error::Why;
use super::host::Host;
use super::pin;
use super::settings::{Named, Settings};

const TOOLSET: Toolset = Toolset::new(
    super::NAME,
    "tools of other programs that this worker names",
    "is asking another program…",
    "Using other programs",
    "answer myself",
);

/// For runs: uses the descriptions that were kept when the run began.
pub fn toolset(host: Host) -> Factory<'static> {
    Box::new(move |binding, config| bound(binding, config, &host))
}

/// For checking worker files: checks the settings, contacts no server and has no tools.
pub fn checked(host: Host) -> Factory<'static> {
    Box::new(move |binding, config| {
        Settings::named(config, binding.path, &host)?;
        Ok(Bound::default())
    })
}

fn bound(binding: &Binding<'_>, config: Value, host: &Host) -> Result<Bound, String> {
    let named = Settings::named(config, binding.path, host)?;
    let mut kept = pin::kept(&binding.worker.name, &binding.program.beside)?;
    let (mut tools, mut approval) = (Vec::<SharedTool>::new(), BTreeMap::new());
    for tool in named {
        let known = kept.remove(&tool.name);
        let known = known.ok_or_else(|| format!("tools: {} wasn't learnt", tool.tool))?;
        approval.extend(tool.approval.map(|setting| (tool.name.clone(), setting)));
        tools.push(Arc::new(Remote {
            def: ToolDef::new(TOOLSET, tool.name.clone(), known.description.clone())
                .effect(Effect::Outward)
                .flow(Flow::UNKNOWN.leaving())
                .with(|def| def.described_by_others = true),
            tool,
            known,
        }));
    }
    Ok(Bound { tools, approval })
}

struct Remote {
    def: ToolDef,
    tool: Named,
    known: Described,
}

#[async_trait]
impl Tool for Remote {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        self.known.schema.clone()
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        let (tool, server) = (shown_on_one_line(&self.tool.tool), &self.tool.server.name);
        let title = format!("Use {tool} of {server}");
        let fields = arguments.as_object().into_iter().flatten();
        Ok(fields.fold(Preview::new(title), |preview, (name, value)| {
            let text = value.as_str().map(str::to_owned);
            let value = text.unwrap_or_else(|| value.to_string());
            preview.field(&format!("Argument {}", shown_on_one_line(name)), value)
        }))
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result {
        let preview = self.preview(&context, arguments.value()).await;
        context.ensure_unchanged_since_approval(preview, Preview::clone)?;
        let Value::Object(arguments) = arguments.into_value() else {
            return Err(Failure::bug("arguments that are no object").into());
        };
        let (server, tool) = (&self.tool.server, &*self.tool.tool);
        let key = &context.call.key;
        let answer = client::call(server, tool, &self.known, arguments, key).await;
        let answer = answer.map_err(|error| self.failed(error))?;
        let output = ToolOutput {
            data: Map::from_iter(said("result", answer)),
            ..ToolOutput::default()
        };
        Ok(output.with_receipt(Receipt {
            what: format!("Used {} of {}", shown_on_one_line(tool), server.name),
            at: Some(context.now),
            ..Receipt::default()
        }))
    }
}

impl Remote {
    fn failed(&self, error: CallError) -> ToolError {
        let server = &self.tool.server.name;
        match error {
            CallError::NotMade(error) => {
                let words = match error.why {
                    Why::Changed(_) => format!(
                        "{server} has changed what this does since we began, so I didn't use it. Ask me again to start with what it does now."
                    ),
                    _ => format!("I can't reach {server} right now, so nothing was done there."),
                };
                ToolError::failed(error.to_string()).say(words)
            }
            CallError::Failed(answer) => {
                let error = ToolError::failed("the tool says that it failed");
                let tool = shown_on_one_line(&self.tool.tool);
                let error = error.say(format!("{server} couldn't do {tool}."));
                said("said", answer).fold(error, |error, (name, value)| error.with(&name, value))
            }
            CallError::Unknown(detail) => ToolError::Unknown(detail),
        }
    }
}

fn said(name: &str, answer: Answer) -> impl Iterator<Item = (String, Value)> {
    let cut = answer.cut.then(|| ("cut".to_owned(), json!(true)));
    let text = [(name.to_owned(), answer.text.into())].into_iter();
    text.chain(cut)
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
