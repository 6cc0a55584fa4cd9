use alfred_agent::model::Preview;
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{
    ApprovalDefault, Effect, Flow, Refusal, Result, Settled, Tool, ToolContext, ToolDef, ToolError,
    ToolOutput, parsed,
};
use alfred_core::Failure;
use alfred_core::files::Sandbox;
use alfred_core::policy::Setting;
use alfred_core::ports::{FileInfo, FileKind, Files, FilesError, VirtualPath};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

use super::change::Change;
use super::{Rules, TOOLSET, Views};
use crate::program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
    List,
    Delete,
    Exists,
    Info,
}

impl Action {
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Write,
        Self::List,
        Self::Delete,
        Self::Exists,
        Self::Info,
    ];

    pub fn name(self) -> &'static str {
        self.name_and_description().0
    }

    fn name_and_description(self) -> (&'static str, &'static str) {
        match self {
            Self::Read => ("read_file", "Reads a text file."),
            Self::Write => ("write_file", "Writes a text file, over what is there."),
            Self::List => ("list_files", "Lists what is in a folder."),
            Self::Delete => ("delete_file", "Deletes a file."),
            Self::Exists => ("file_exists", "Tells whether there is a file or folder."),
            Self::Info => ("file_info", "Tells size and time of a file or folder."),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    fn changes(self) -> bool {
        matches!(self, Self::Write | Self::Delete)
    }
}

/// The arguments of all file tools.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: Option<String>,
    content: Option<String>,
}

impl Arguments {
    fn path(&self) -> Result<VirtualPath, FilesError> {
        VirtualPath::parse(self.path.as_deref().unwrap_or("/"))
    }
}

pub struct FileTool {
    action: Action,
    def: ToolDef,
    /// The definition for files that guide later runs.
    guiding: ToolDef,
    views: Arc<Views>,
    rules: Arc<Rules>,
}

impl FileTool {
    pub fn new(action: Action, views: Arc<Views>, rules: Arc<Rules>) -> Self {
        let (name, description) = action.name_and_description();
        let mut def = ToolDef::new(TOOLSET, name, description);
        def = def.with(|def| def.audited = &["path"]);
        if action.changes() {
            let asking = def
                .effect(Effect::ReversibleWrite)
                .with(|def| def.blind_undo = true);
            def = asking.flow(Flow::PRIVATE).approval(ApprovalDefault::Ask);
            def.behind_intent = views.folder.is_some();
        }
        let steering = def.clone().flow(Flow::PRIVATE.steering());
        Self {
            action,
            guiding: steering.approval(ApprovalDefault::Always),
            def,
            views,
            rules,
        }
    }

    async fn change(&self, context: &ToolContext, arguments: &Value) -> Result<Change> {
        let args: Arguments = parsed(arguments.clone())?;
        let view = self.views.seen(context).map_err(failed)?;
        let path = args.path().map_err(failed)?;
        let folder = self.views.folder.as_ref().map(|folder| folder.root.clone());
        let change = Change::of(view, folder, path, args.content);
        change.await.map_err(failed)
    }

    async fn looked(&self, context: &ToolContext, args: Arguments) -> Looked {
        let view = self.views.seen(context)?;
        let path = args.path()?;
        match self.action {
            Action::Read => read(&view, &path).await,
            Action::List => list(&view, &path).await,
            Action::Exists => exists(&view, &path).await,
            Action::Info | Action::Write | Action::Delete => info(&view, &path, context).await,
        }
    }
}

type Looked = Result<(Value, Flow), FilesError>;

async fn read(view: &Sandbox, path: &VirtualPath) -> Looked {
    let body = view.read(path).await?;
    let flow = Flow::of_stored(body.info.tainted);
    let text = String::from_utf8(body.bytes).map_err(|_| FilesError::NotText {
        path: path.to_string(),
    })?;
    Ok((json!({"path": path, "content": text}), flow))
}

async fn list(view: &Sandbox, path: &VirtualPath) -> Looked {
    let listing = view.list(path).await?;
    let tainted = listing.entries.iter().any(|(_, entry)| entry.tainted);
    let entries = listing.entries.iter().map(|(name, entry)| {
        let mut shown = json!({"name": name, "kind": kind(entry)});
        if entry.kind == FileKind::File {
            shown["bytes"] = entry.bytes.into();
        }
        shown
    });
    let mut data = json!({"path": path, "entries": entries.collect::<Vec<_>>()});
    if listing.more {
        data["more"] = true.into();
    }
    Ok((data, Flow::of_stored(tainted)))
}

async fn exists(view: &Sandbox, path: &VirtualPath) -> Looked {
    let there = match view.info(path).await {
        Ok(_) => true,
        Err(FilesError::NotFound { .. }) => false,
        Err(error) => return Err(error),
    };
    Ok((json!({"path": path, "exists": there}), Flow::PRIVATE))
}

async fn info(view: &Sandbox, path: &VirtualPath, context: &ToolContext) -> Looked {
    let found = view.info(path).await?;
    let mut data = json!({"path": path, "kind": kind(&found), "bytes": found.bytes});
    if let Some(at) = found.modified {
        let local = at.to_zoned(context.zone());
        data["modified"] = local.strftime("%Y-%m-%d %H:%M").to_string().into();
    }
    Ok((data, Flow::PRIVATE))
}

fn kind(info: &FileInfo) -> &'static str {
    match info.kind {
        FileKind::File => "file",
        FileKind::Folder => "folder",
    }
}

/// The error with its code. It reveals nothing of a file's content.
pub fn failed(error: FilesError) -> ToolError {
    if let FilesError::Unavailable { .. } = error {
        return ToolError::Stop(Failure::retry(error));
    }
    let mut refusal = Refusal::from(error.to_string());
    refusal.data.insert("code".into(), error.code().into());
    refusal.kind = Some(error.code());
    ToolError::Failed(refusal).bringing(Flow::PRIVATE)
}

/// Whether a file guides later runs: workers, programs, skills, and hidden files, such as hooks and settings
/// of other programs.
fn guides(path: &VirtualPath) -> bool {
    let name = path.name().unwrap_or_default().to_lowercase();
    path.names().any(|name| name.starts_with('.'))
        || name.ends_with(".worker")
        || program::NAMES.contains(&&*name)
        || ["skill.md", "agents.md", "claude.md"].contains(&&*name)
}

#[async_trait]
impl Tool for FileTool {
    fn def(&self) -> &ToolDef {
        if self.action.changes() {
            &self.guiding
        } else {
            &self.def
        }
    }

    fn def_of(&self, arguments: &Value) -> &ToolDef {
        let path = arguments["path"].as_str().map(VirtualPath::parse);
        match path {
            Some(Ok(path)) if !guides(&path) => &self.def,
            _ => self.def(),
        }
    }

    fn setting(&self, arguments: &Value) -> Option<Setting> {
        let path = arguments["path"].as_str().unwrap_or("/");
        self.rules
            .of(self.action, VirtualPath::parse(path).ok().as_ref())
    }

    fn schema(&self) -> Value {
        let path = match self.action {
            Action::List => "Absolute; \"/\" without it.",
            _ => "Absolute: \"/notes/today.md\".",
        };
        let mut properties = json!({"path": {"type": "string", "description": path}});
        let required = match self.action {
            Action::Write => vec!["path", "content"],
            Action::List => Vec::new(),
            _ => vec!["path"],
        };
        if self.action == Action::Write {
            let content = json!({"type": "string", "description": "All of its text."});
            properties["content"] = content;
        }
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        })
    }

    async fn preview(&self, context: &ToolContext, arguments: &Value) -> Result<Preview> {
        if !self.action.changes() {
            return Ok(Preview::of_arguments(self.action.name(), arguments));
        }
        let change = self.change(context, arguments).await?;
        change.preview().map_err(failed)
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result {
        let arguments = arguments.into_value();
        if self.action.changes() {
            let change = self.change(&context, &arguments).await?;
            return change.make(&context).await;
        }
        let found = self.looked(&context, parsed(arguments)?).await;
        let (data, flow) = found.map_err(failed)?;
        Ok(ToolOutput::data(&data)?.bringing(flow))
    }

    async fn settle(&self, context: &ToolContext, arguments: &Value) -> Result<Settled> {
        let change = self.change(context, arguments).await?;
        change.settled(context.call.since)
    }
}
