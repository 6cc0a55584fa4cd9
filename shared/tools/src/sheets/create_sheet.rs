use super::{MAX_CELL, MOST_CELLS, TOOLSET};
use crate::account::not_read;
use crate::documents::file::RemoteFile;
use crate::fields::title;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What it is called.
    title: String,
    /// Names of the columns, as its first row.
    header: Option<Vec<String>>,
}

impl Arguments {
    fn checked(self) -> Result<(String, Vec<String>), ToolError> {
        let title = title("title", &self.title).map_err(invalid)?;
        let header = self.header.unwrap_or_default();
        if header.len() > MOST_CELLS {
            let problem = format!("are too many columns: at most {MOST_CELLS}.");
            return Err(refused("header", &header.len().to_string(), problem));
        }
        let names = header
            .iter()
            .map(|name| text_up_to("header", name, MAX_CELL));
        let names: Result<_, _> = names.collect();
        Ok((title, names.map_err(invalid)?))
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "sheets_createSheet",
        "Creates a spreadsheet that only the person sees.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(def, preview, create)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (title, header) = args.checked()?;
    let preview = Preview::new("Create a sheet").field("Title", title);
    Ok(preview.any("Columns", header.join(", ")))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (title, header) = args.checked()?;
    let (account, key) = (context.account(), &context.call.key);
    let sheets = &context.accounts.sheets;
    let made = sheets.create(&account, &title, &header, key).await;
    made.map_err(not_read)?.created(&context)
}
