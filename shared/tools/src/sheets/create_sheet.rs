use super::{MAX_CELL, MOST_CELLS, TOOLSET};
use crate::documents::file::RemoteFile;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What it is called.
    title: Title,
    /// Names of the columns, as its first row.
    header: Option<Vec<Text<MAX_CELL>>>,
}

impl Arguments {
    fn columns(self) -> Result<Vec<String>> {
        let header = self.header.unwrap_or_default();
        check_count("header", header.len(), "columns", 0..=MOST_CELLS)?;
        Ok(header.into_iter().map(|name| name.value).collect())
    }
}

pub fn tool() -> SharedTool {
    let description = "Creates a spreadsheet that only the person sees.";
    let def = ToolDef::new(TOOLSET, "sheets_createSheet", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    tool::shown(def, preview, create)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview> {
    let preview = Preview::new("Create a sheet").field("Title", &*args.title);
    Ok(preview.any("Columns", args.columns()?.join(", ")))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let title = args.title.value.clone();
    let header = args.columns()?;
    let (account, key) = (context.account(), &context.call.key);
    let sheets = &context.accounts.sheets;
    let made = sheets.create(&account, &title, &header, key).await;
    made.map_err(not_read)?.created(&context)
}
