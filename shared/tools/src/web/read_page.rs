//! `web_readPage`.

use alfred_core::Source;

use super::{Cited, RULES, TOOLSET, failed};
use crate::prelude::*;

/// Characters of an address.
const MAX_ADDRESS: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its address, which begins with https://.
    url: String,
}

#[derive(Serialize)]
struct Read {
    #[serde(flatten)]
    source: Cited,
    text: String,
    /// Whether the page goes on.
    truncated: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "web_readPage", "Reads a page of the web.")
        .flow(Flow::FOREIGN.leaving())
        .rules(RULES)
        .opening()
        .audited("url");
    tool::shown(def, preview, read)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let preview = Preview::new(text::read_page_title());
    Ok(preview.field(text::address_label(), address(&args)?))
}

async fn read(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let page = context.web.pages.fetch(&address(&args)?).await;
    let page = page.map_err(|why| {
        tracing::info!(error = %why, "a page of the web wasn't read");
        failed(text::page_not_read(&why), why.kind())
    })?;
    let source = Source {
        url: page.url,
        title: page.title,
    };
    let read = Read {
        source: Cited::new(&source),
        text: page.text,
        truncated: page.truncated,
    };
    Ok(ToolOutput::data(&read)?.citing(vec![source]))
}

fn address(args: &Arguments) -> Result<String, ToolError> {
    text_up_to("url", &args.url, MAX_ADDRESS).map_err(invalid)
}
