//! `web_readPage`: reads up to four pages, with one approval for all.

use alfred_core::Source;
use alfred_core::ports::{PageError, WebPage};
use futures_util::future::join_all;

use super::{RULES, TOOLSET, cited, failed};
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
    url: Text<MAX_ADDRESS>,
    /// Addresses of up to 3 more pages.
    also: Option<Vec<Text<MAX_ADDRESS>>>,
}

pub fn tool() -> SharedTool {
    let description = "Reads one or several web pages. One approval, if needed, covers all.";
    let def = ToolDef::new(TOOLSET, "web_readPage", description)
        .flow(Flow::FOREIGN.leaving())
        .rules(RULES)
        .with(|def| def.opens = true)
        .with(|def| def.audited = &["url", "also"]);
    tool::shown(def, preview, read)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview> {
    let urls = addresses(&args)?;
    let preview = Preview::new(match urls.len() {
        1 => "Open a page".to_owned(),
        several => format!("Open {several} pages"),
    });
    let with_url = |preview: Preview, url| preview.field("Address", url);
    Ok(urls.iter().fold(preview, with_url))
}

async fn read(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let urls = addresses(&args)?;
    let opened = join_all(urls.iter().map(|url| context.web.pages.fetch(url))).await;
    let (mut pages, mut problems, mut sources) = (Vec::new(), Vec::new(), Vec::new());
    let each = MAX_TEXT / urls.len();
    for (url, opened) in urls.iter().zip(opened) {
        match opened {
            Ok(page) => {
                let (url, title) = (page.url.clone(), page.title.clone());
                let source = Source { url, title };
                pages.push(shown(&source, &page, each));
                sources.push(source);
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

fn page_not_read(why: &PageError) -> &'static str {
    match why {
        PageError::BadAddress => "That isn't the address of a page that I can open.",
        PageError::NotHttps => "I only open pages whose address begins with https://.",
        PageError::Inward => "That address leads into a private network, so I don't open it.",
        PageError::NoSuchHost => "I can't find that site. Is its address right?",
        PageError::TooManyRedirects => "That page redirects too many times, so I gave up.",
        PageError::NotFound => "There is no page at that address.",
        PageError::LoginNeeded => "That page requires a login, which I don't have.",
        PageError::NotText { .. } => {
            "There is no text at that address that I could read: it is another kind of file."
        }
        PageError::Status(_) => "That site doesn't let me read the page.",
        PageError::TooSlow => "That page took too long to load.",
        PageError::Down { .. } | PageError::Unanswered { .. } => {
            "I can't reach that site at the moment."
        }
        PageError::NotSetUp => "Pages of the web can't be read here.",
    }
}

/// The page for the model, with at most this many characters of text.
fn shown(source: &Source, page: &WebPage, most: usize) -> Value {
    let mut shown = cited(source);
    let end = page.text.char_indices().nth(most);
    let text = end.map_or(page.text.as_str(), |(at, _)| &page.text[..at]);
    shown["text"] = text.into();
    shown["truncated"] = (page.truncated || end.is_some()).into();
    shown
}

fn addresses(args: &Arguments) -> Result<Vec<String>> {
    let mut urls = vec![args.url.value.clone()];
    for url in args.also.iter().flatten() {
        if !urls.contains(url) {
            urls.push(url.value.clone());
        }
    }
    check_count("also", urls.len(), "pages", 1..=MOST)?;
    Ok(urls)
}
