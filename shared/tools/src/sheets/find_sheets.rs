use super::{SheetView, TOOLSET};
use crate::account::not_read;
use crate::documents::words;
use crate::prelude::*;

const SHOWN: usize = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Words of the title; all sheets when left out.
    words: Option<String>,
}

#[derive(Serialize)]
struct Found {
    sheets: Vec<SheetView>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "sheets_findSheets",
        "Lists spreadsheets, the last changed first.",
    );
    tool::read(def.flow(Flow::UNKNOWN), found)
}

async fn found(context: ToolContext, args: Arguments) -> Result<Found, ToolError> {
    let words = words(args.words.as_deref().unwrap_or_default());
    let sheets = &context.accounts.sheets;
    let found = sheets.find(&context.account(), &words, SHOWN).await;
    let found = found.map_err(not_read)?;
    let shown = found.iter().map(|one| SheetView::new(&context, one));
    Ok(Found {
        sheets: shown.collect(),
    })
}
