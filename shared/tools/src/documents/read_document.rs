use super::{DocumentView, TOOLSET, find};
use crate::prelude::*;

/// Characters per call.
const TEXT: usize = 12_000;
/// Largest start position.
const FURTHEST: u32 = 10_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title that fit it alone.
    document_id: String,
    /// Of a long one: `next` of the part before.
    from: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    #[serde(flatten)]
    document: DocumentView,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<usize>,
    /// Whether the rest of the text can't be read here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    may_edit: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "docs_readDocument",
        "Reads one document as Markdown.",
    );
    tool::read(def.flow(Flow::UNKNOWN), read)
}

async fn read(context: ToolContext, args: Arguments) -> Result<Read, ToolError> {
    let from = args.from.unwrap_or_default();
    let from = within("from", from, &(0..=FURTHEST)).map_err(invalid)? as usize;
    let document = find::one(&context, &args.document_id).await?;
    let text: String = document.text.chars().skip(from).take(TEXT).collect();
    let end = from + text.chars().count();
    let is_last = document.text.chars().nth(end).is_none();
    Ok(Read {
        document: DocumentView::new(&context, &document.summary),
        text,
        next: (!is_last).then_some(end),
        truncated: is_last && document.truncated,
        may_edit: document.may_edit,
    })
}
