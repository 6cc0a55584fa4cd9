use super::file::RemoteFile;
use super::{MAX_TEXT, TOOLSET};
use crate::account::not_read;
use crate::fields::title;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What it is called.
    title: String,
    /// Its text as Markdown.
    text: Option<String>,
}

impl Arguments {
    /// Whether the text has no links. Viewers load pictures, and a link's address can carry data to its server.
    /// References, HTML and bare addresses count too.
    fn stays_here(&self) -> bool {
        let text = self.text.as_deref().unwrap_or_default();
        let html = text.split('<').skip(1);
        let mut html = html.filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        let marks = ["](", "]:", "//", "www."];
        html.next().is_none() && !marks.iter().any(|mark| text.contains(mark))
    }

    fn checked(&self) -> Result<(String, String), ToolError> {
        let title = title("title", &self.title).map_err(invalid)?;
        let text = self.text.as_deref().unwrap_or_default();
        let text = text_up_to("text", text, MAX_TEXT).map_err(invalid)?;
        Ok((title, text))
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "docs_createDocument",
        "Creates a document that only the person sees.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    let leading = def.clone().flow(Flow::PRIVATE.leaving());
    varying(
        tool::shown(leading, preview, create),
        def,
        Arguments::stays_here,
    )
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (title, text) = args.checked()?;
    let preview = Preview::new("Create a document");
    Ok(preview.field("Title", title).body(text))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (title, text) = args.checked()?;
    let text = if text.is_empty() { text } else { text + "\n" };
    let (account, key) = (context.account(), &context.call.key);
    let documents = &context.accounts.documents;
    let made = documents.create(&account, &title, &text, key).await;
    made.map_err(not_read)?.created(&context)
}
