use alfred_core::ports::Document;

use super::file::{self, RemoteFile};
use super::{TOOLSET, access};
use crate::prelude::*;

/// Characters per call.
const TEXT: usize = 12_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title that fit it alone.
    document_id: String,
    /// To read on: `next` of the part before.
    from: Option<Number<0, 10_000_000>>,
}

pub fn tool() -> SharedTool {
    let description = "Reads one document as Markdown, and with whom it is shared.";
    let def = ToolDef::new(TOOLSET, "docs_readDocument", description);
    tool::read(def.flow(Flow::UNKNOWN), read)
}

async fn read(context: ToolContext, args: Arguments) -> Result<Value> {
    let from = args.from.map_or(0, |from| from.value as usize);
    let document: Document = file::one(&context, &args.document_id).await?;
    let text: String = document.text.chars().skip(from).take(TEXT).collect();
    let end = from + text.chars().count();
    let is_last = document.text.chars().nth(end).is_none();
    let mut read = document.view(&context);
    (read["text"], read["mayEdit"]) = (text.into(), document.may_edit.into());
    if let Ok(shares) = &document.shares {
        read["sharedWith"] = shares.iter().map(access::shown).collect();
    }
    read["characters"] = document.text.chars().count().into();
    if !is_last {
        read["next"] = end.into();
    } else if document.truncated {
        // The rest of the text can't be read here.
        read["truncated"] = true.into();
    }
    Ok(read)
}
