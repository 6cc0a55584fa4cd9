//! The tool catalogue, with stand-ins for missing tools, and a log of the calls that ran.

use alfred_agent::model::Preview;
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{
    ApprovalDefault, Effect, Flow, Part, PartDone, Receipt, Resolution, Settled, SharedTool, Tool,
    ToolContext, ToolDef, ToolError, ToolOutput, Toolset,
};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use super::file::{Attack, Read};

/// How much of the gate is active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shield {
    Whole,
    /// Everything is pre-approved and every recipient known; only taint blocks.
    TaintAlone,
    /// Also, no tool taints its run.
    None,
}

#[derive(Clone, Debug)]
pub struct Ran {
    pub key: String,
    pub tool: Cow<'static, str>,
    pub arguments: Value,
    pub effect: Effect,
    pub reaches_out: bool,
}

type Result<T> = std::result::Result<T, ToolError>;

pub type Log = Arc<Mutex<Vec<Ran>>>;

/// Whether the attack file supplies the tool's results.
pub fn is_stand_in(tool: &str) -> bool {
    let stands_in = ["mail_", "document_", "web_", "user_"];
    stands_in.iter().any(|start| tool.starts_with(start))
        || ["calendar_view", "calendar_invite", "slack_readChannel"].contains(&tool)
}

const MEETING: [&str; 5] = ["title", "date", "startTime", "duration", "attendees"];

pub fn all(attack: &Attack, shield: Shield, log: &Log) -> Vec<SharedTool> {
    let pages: Arc<[Read]> = attack.reads().cloned().collect();
    let reading = |name: Cow<'static, str>, flow: Flow| -> SharedTool {
        let def = ToolDef::new(to_come(&name), name, "Reads.").flow(flow);
        let pages = pages.clone();
        Arc::new(Reading { def, pages })
    };
    let sending = |name: &'static str, to, fields, approval| -> SharedTool {
        let def = ToolDef::new(to_come(name), name, "Reaches other people.")
            .effect(Effect::Outward)
            .approval(approval)
            .flow(Flow::PRIVATE);
        Arc::new(Sending { def, to, fields })
    };
    let (always, ask) = (ApprovalDefault::Always, ApprovalDefault::Ask);
    let mut tools = vec![
        reading("mail_read".into(), Flow::UNKNOWN),
        reading("mail_search".into(), Flow::UNKNOWN),
        reading("calendar_view".into(), Flow::UNKNOWN),
        reading("document_read".into(), Flow::UNKNOWN),
        reading("slack_readChannel".into(), Flow::UNKNOWN),
        sending("mail_send", "to", &["to", "subject", "body"], always),
        sending("calendar_invite", "attendees", &MEETING, ask),
        sending("document_share", "with", &["name", "with"], ask),
    ];
    for tool in alfred_tools::catalogue() {
        // Stand-ins with the real name and flow, because the files' profiles have more fields than ours.
        tools.push(match &*tool.def().toolset.name {
            "user" => reading(tool.def().name.clone(), tool.def().flow),
            _ => tool,
        });
    }
    let watched = |inner: SharedTool| -> SharedTool {
        let def = weakened(inner.def(), shield);
        let log = log.clone();
        Arc::new(Watched {
            inner,
            def,
            shield,
            log,
        })
    };
    tools.into_iter().map(watched).collect()
}

fn weakened(def: &ToolDef, shield: Shield) -> ToolDef {
    let mut def = def.clone();
    if shield != Shield::Whole && def.approval == ApprovalDefault::Always {
        def.approval = ApprovalDefault::Ask;
    }
    if shield == Shield::None {
        def.flow = Flow::NEUTRAL;
    }
    def
}

struct Watched {
    inner: SharedTool,
    def: ToolDef,
    shield: Shield,
    log: Log,
}

#[async_trait]
impl Tool for Watched {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    /// A call's own definition applies where it differs from the tool's, unless the shield is `None`.
    fn def_of(&self, arguments: &Value) -> &ToolDef {
        let real = self.inner.def_of(arguments);
        match self.shield {
            Shield::None => &self.def,
            _ if real == self.inner.def() => &self.def,
            _ => real,
        }
    }

    fn schema(&self) -> Value {
        self.inner.schema()
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result<ToolOutput> {
        let real = self.inner.def_of(arguments.value());
        let ran = Ran {
            key: context.call.key.clone(),
            tool: real.name.clone(),
            effect: real.effect,
            reaches_out: real.reaches_out(),
            arguments: arguments.value().clone(),
        };
        let mut output = self.inner.run(context, arguments).await?;
        self.log.lock().unwrap().push(ran);
        if self.shield == Shield::None {
            output.flow = None;
        }
        Ok(output)
    }

    async fn preview(&self, context: &ToolContext, arguments: &Value) -> Result<Preview> {
        self.inner.preview(context, arguments).await
    }

    async fn recipients(&self, context: &ToolContext, arguments: &Value) -> Result<Vec<String>> {
        match self.shield {
            Shield::Whole => self.inner.recipients(context, arguments).await,
            Shield::TaintAlone | Shield::None => Ok(Vec::new()),
        }
    }

    async fn settle(&self, context: &ToolContext, arguments: &Value) -> Result<Settled> {
        self.inner.settle(context, arguments).await
    }

    fn check_resolved(&self, arguments: &Value) -> Option<Result<()>> {
        self.inner.check_resolved(arguments)
    }

    async fn resolve(&self, context: &ToolContext, arguments: Value) -> Result<Resolution> {
        self.inner.resolve(context, arguments).await
    }

    fn next_part(
        &self,
        context: &ToolContext,
        arguments: &Value,
        tried: &[PartDone<'_>],
    ) -> Option<Part> {
        self.inner.next_part(context, arguments, tried)
    }
}

fn to_come(tool: &str) -> Toolset {
    let name = tool.split('_').next().unwrap().to_owned();
    Toolset {
        name: name.into(),
        ..Toolset::new("", "", "", "", "")
    }
}

/// Returns the file's result, or an empty page.
struct Reading {
    def: ToolDef,
    pages: Arc<[Read]>,
}

/// A read's result as the model sees it.
pub fn given(returns: &str) -> Value {
    match serde_json::from_str(returns) {
        Ok(Value::Object(data)) => Value::Object(data),
        _ => json!({ "text": returns }),
    }
}

#[async_trait]
impl Tool for Reading {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        json!({"type": "object", "properties": {}})
    }

    async fn run(&self, _: ToolContext, arguments: AuthorizedArgs) -> Result<ToolOutput> {
        let wanted =
            |page: &&Read| page.tool == self.def.name && page.arguments == *arguments.value();
        let found = self.pages.iter().find(wanted);
        let data = found.map_or(json!({"text": ""}), |page| given(&page.returns));
        ToolOutput::data(&data)
    }
}

/// Logs a message to other people without sending it.
struct Sending {
    def: ToolDef,
    to: &'static str,
    fields: &'static [&'static str],
}

#[async_trait]
impl Tool for Sending {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        let fields = self.fields.iter().map(|field| {
            let kind = match *field {
                "to" | "attendees" => json!({"type": "array", "items": {"type": "string"}}),
                "duration" => json!({"type": "integer"}),
                _ => json!({"type": "string"}),
            };
            ((*field).to_owned(), kind)
        });
        let fields: serde_json::Map<String, Value> = fields.collect();
        json!({
            "type": "object",
            "properties": fields,
            "required": self.fields,
            "additionalProperties": false,
        })
    }

    async fn run(&self, _: ToolContext, arguments: AuthorizedArgs) -> Result<ToolOutput> {
        let receipt = Receipt {
            what: format!("Used {}", self.def.name),
            ..Receipt::default()
        };
        let data = json!({"done": arguments.value()[self.to]});
        Ok(ToolOutput::data(&data)?.with_receipt(receipt))
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        Ok(Preview::of_arguments(&self.def.name, arguments))
    }

    async fn recipients(&self, _: &ToolContext, arguments: &Value) -> Result<Vec<String>> {
        let named = match &arguments[self.to] {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        };
        Ok(named.into_iter().map(str::to_owned).collect())
    }
}
