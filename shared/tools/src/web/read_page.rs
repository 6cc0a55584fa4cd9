//! `web_readPage`: reads up to four pages, with one approval for all.

use alfred_core::Source;
use alfred_core::ports::{PageError, WebPage};
use futures_util::future::join_all;

use super::{Cited, RULES, TOOLSET, failed};
use crate::prelude::*;

const MAX_ADDRESS: usize = 2_000;
/// Pages per call: as many as a person can review before approval.
const MOST: usize = 4;
/// Characters of all pages together if a call reads several.
const MAX_TEXT: usize = 20_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its address, which begins with https://.
    url: String,
    /// Addresses of up to 3 more pages.
    also: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Read {
    #[serde(flatten)]
    source: Cited,
    text: String,
    /// Whether the page has more text.
    truncated: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "web_readPage",
        "Reads a page of the web, or several at once, which are asked about together.",
    )
    .flow(Flow::FOREIGN.leaving())
    .rules(RULES)
    .with(|def| def.opens = true)
    .with(|def| def.audited = &["url", "also"]);
    tool::shown(def, preview, read)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let urls = addresses(&args)?;
    let preview = Preview::new(read_pages_title(urls.len()));
    Ok(urls
        .iter()
        .fold(preview, |preview, url| preview.field("Address", url)))
}

fn read_pages_title(pages: usize) -> String {
    match pages {
        1 => "Open a page".into(),
        several => format!("Open {several} pages"),
    }
}

async fn read(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let urls = addresses(&args)?;
    let opened = join_all(urls.iter().map(|url| context.web.pages.fetch(url))).await;
    let (mut pages, mut problems, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let each = MAX_TEXT / urls.len();
    for (url, opened) in urls.iter().zip(opened) {
        match opened {
            Ok(page) => {
                let (source, page) = shown(page, each);
                sources.push(source);
                pages.push(page);
            }
            Err(why) => {
                tracing::info!(error = %why, "a page of the web wasn't read");
                problems.push((url, why));
            }
        }
    }
    let output = match (pages.as_slice(), problems.as_slice()) {
        ([], [(_, why), ..]) => return Err(failed(page_not_read(why), why.kind())),
        ([page], []) => ToolOutput::data(page)?,
        _ => {
            let problem =
                |(url, why): &(&String, _)| json!({"url": url, "reason": page_not_read(why)});
            let problems: Vec<Value> = problems.iter().map(problem).collect();
            ToolOutput::data(&json!({"pages": pages, "problems": problems}))?
        }
    };
    Ok(output.citing(sources))
}

fn page_not_read(why: &PageError) -> String {
    match why {
        PageError::BadAddress => "That isn't the address of a page that I can open.".into(),
        PageError::NotHttps => "I only open pages whose address begins with https://.".into(),
        PageError::Inward => {
            "That address leads into a private network, so I don't open it.".into()
        }
        PageError::NoSuchHost => "I can't find that site. Is its address right?".into(),
        PageError::TooManyRedirects => {
            "That page sends me from one address to the next, so I gave up.".into()
        }
        PageError::NotFound => "There is no page at that address.".into(),
        PageError::LoginNeeded => {
            "That page can only be read by those who log in there, and I don't.".into()
        }
        PageError::NotText { .. } => {
            "There is no text at that address that I could read: it is another kind of file.".into()
        }
        PageError::Status(_) => "That site doesn't let me read the page.".into(),
        PageError::TooSlow => "That page took too long to load.".into(),
        PageError::Down { .. } | PageError::Unanswered { .. } => {
            "I can't reach that site at the moment.".into()
        }
        PageError::NotSetUp => "Pages of the web can't be read here.".into(),
    }
}

fn shown(page: WebPage, most: usize) -> (Source, Read) {
    let WebPage {
        url,
        title,
        text,
        truncated,
    } = page;
    let source = Source { url, title };
    let end = text.char_indices().nth(most);
    let read = Read {
        source: Cited::new(&source),
        text: end.map_or(text.as_str(), |(at, _)| &text[..at]).to_owned(),
        truncated: truncated || end.is_some(),
    };
    (source, read)
}

fn addresses(args: &Arguments) -> Result<Vec<String>, ToolError> {
    let mut urls = vec![text_up_to("url", &args.url, MAX_ADDRESS).map_err(invalid)?];
    for also in args.also.iter().flatten() {
        let url = text_up_to("also", also, MAX_ADDRESS).map_err(invalid)?;
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    match urls.len() {
        1..=MOST => Ok(urls),
        several => {
            let count = format!("{several} pages");
            Err(refused("also", &count, "is out of range: 1 to 4 pages."))
        }
    }
}
