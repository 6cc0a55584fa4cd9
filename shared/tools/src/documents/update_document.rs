use alfred_agent::tool::Settled;
use alfred_core::ports::Edit;
use async_trait::async_trait;

use super::change::{self, Change};
use super::{MAX_TEXT, TOOLSET, diff};
use crate::outward::{self, Outward};
use crate::prelude::*;

pub(super) const NAME: &str = "docs_updateDocument";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// As of docs_readDocument.
    document_id: String,
    /// A passage exactly as it is, long enough to be there once.
    old_text: String,
    /// What it becomes; empty removes it.
    new_text: String,
    /// Leaves it as a suggestion for others to accept.
    as_suggestion: Option<bool>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Replaces a passage of a document. A card asks first.",
    );
    outward::tool::<Updating>(def.flow(Flow::UNKNOWN))
}

struct Updating(Change);

impl Arguments {
    fn edit(&self) -> Result<Edit, ToolError> {
        for (field, value) in [("oldText", &self.old_text), ("newText", &self.new_text)] {
            text_up_to(field, value, MAX_TEXT).map_err(invalid)?;
        }
        if self.old_text.is_empty() {
            return Err(refused(
                "oldText",
                "",
                "is empty. Give the passage as it is.",
            ));
        }
        if self.old_text == self.new_text {
            return Err(refused(
                "newText",
                &self.new_text,
                "is what is there already.",
            ));
        }
        Ok(Edit::Replace {
            old: self.old_text.clone(),
            new: self.new_text.clone(),
        })
    }
}

#[async_trait]
impl Outward for Updating {
    type Arguments = Arguments;

    /// The people with whom the document is shared are unknown here.
    async fn recipients(_: &ToolContext, _: &Arguments) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let suggestion = args.as_suggestion.unwrap_or_default();
        let change = Change::prepare(context, &args.document_id, args.edit()?, suggestion);
        change.await.map(Self)
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        let Change {
            document, change, ..
        } = &self.0;
        let title = update_document_title(change.as_suggestion);
        let (before, after) = diff::of(&document.text, &self.0.after).narrowed();
        let preview = self.0.preview(context, title);
        preview.change(text::LINES_LABEL, before, after)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        self.0.act(context).await
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        let suggestion = args.as_suggestion.unwrap_or_default();
        let made = (&args.edit()?, suggestion);
        change::settle(context, NAME, &args.document_id, made).await
    }
}

fn update_document_title(as_suggestion: bool) -> &'static str {
    if as_suggestion {
        "Suggest a change of a document"
    } else {
        "Change a document"
    }
}
