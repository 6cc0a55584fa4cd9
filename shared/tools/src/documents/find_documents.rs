use super::{DocumentView, TOOLSET, find};
use crate::account::not_read;
use crate::prelude::*;

const SHOWN: usize = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Words of the title; all documents when left out.
    words: Option<String>,
}

#[derive(Serialize)]
struct Found {
    documents: Vec<DocumentView>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "docs_findDocuments",
        "Lists documents, the last changed first.",
    );
    tool::read(def.flow(Flow::UNKNOWN), found)
}

async fn found(context: ToolContext, args: Arguments) -> Result<Found, ToolError> {
    let words = find::words(args.words.as_deref().unwrap_or_default());
    let documents = &context.accounts.documents;
    let found = documents.find(&context.account(), &words, SHOWN).await;
    let found = found.map_err(not_read)?;
    let shown = found.iter().map(|one| DocumentView::new(&context, one));
    Ok(Found {
        documents: shown.collect(),
    })
}
