use super::delete_document::DELETE;
use super::file::RemoteFile;
use super::{MAX_TEXT, TOOLSET};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What it is called.
    title: Title,
    /// Its text as Markdown.
    text: Option<Text<MAX_TEXT>>,
}

impl Arguments {
    /// Whether the text has no links. Viewers load pictures, and a link's address can carry data to its server.
    /// References, HTML and bare addresses count too.
    fn stays_here(&self) -> bool {
        let text = self.words();
        let html = text.split('<').skip(1);
        let mut html = html.filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        let marks = ["](", "]:", "//", "www."];
        html.next().is_none() && !marks.iter().any(|mark| text.contains(mark))
    }

    fn words(&self) -> &str {
        self.text.as_ref().map_or("", |text| text)
    }
}

pub fn tool() -> SharedTool {
    let description = "Creates a document that only the person sees.";
    let def = ToolDef::new(TOOLSET, "docs_createDocument", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    let leading = def.clone().flow(Flow::PRIVATE.leaving());
    let leading = tool::shown(leading, preview, create);
    varying(leading, def, Arguments::stays_here)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview> {
    let preview = Preview::new("Create a document").field("Title", &*args.title);
    Ok(preview.body(args.words()))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let text = match args.words() {
        "" => String::new(),
        text => format!("{text}\n"),
    };
    let (account, key) = (context.account(), &context.call.key);
    let documents = &context.accounts.documents;
    let made = documents.create(&account, &args.title, &text, key).await;
    let made = made.map_err(not_read)?;
    let undo = json!({"documentId": made.summary.id});
    let output = made.created(&context)?.undone_by(DELETE, [undo]);
    Ok(output.leaving([json!(made.revision)]))
}
