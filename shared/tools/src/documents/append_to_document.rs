use alfred_agent::tool::Settled;
use alfred_core::ports::Edit;
use async_trait::async_trait;

use super::change::{self, Change};
use super::{MAX_TEXT, TOOLSET};
use crate::outward::{self, Outward};
use crate::prelude::*;

const NAME: &str = "docs_appendToDocument";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of docs_readDocument.
    document_id: String,
    /// Markdown that goes below the last line.
    text: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Adds text to the end of a document. A card asks first.",
    );
    outward::tool::<Appending>(def.flow(Flow::UNKNOWN))
}

struct Appending {
    change: Change,
    text: String,
}

impl Arguments {
    fn text(&self) -> Result<String, ToolError> {
        text_up_to("text", &self.text, MAX_TEXT).map_err(invalid)?;
        let text = self.text.trim_end();
        match text.is_empty() {
            true => Err(refused("text", &self.text, "is empty.")),
            false => Ok(text.to_owned()),
        }
    }

    fn edit(text: &str) -> Edit {
        Edit::Append(format!("{text}\n"))
    }
}

#[async_trait]
impl Outward for Appending {
    type Arguments = Arguments;

    /// The people with whom the document is shared are unknown here.
    async fn recipients(_: &ToolContext, _: &Arguments) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let text = args.text()?;
        let edit = Arguments::edit(&text);
        let change = Change::prepare(context, &args.document_id, edit, false).await?;
        Ok(Self { change, text })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let preview = self.change.preview(context, "Add to a document");
        preview.body(&self.text)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        self.change.act(context).await
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let edit = Arguments::edit(&args.text()?);
        change::settle(context, NAME, &args.document_id, (&edit, false)).await
    }
}
