use alfred_agent::slack::respond::head;
use alfred_core::invisible;
use alfred_core::ports::{Answer, Domains, Found, FoundPage, SearchError};
use std::time::Duration;

use super::{RULES, TOOLSET, cited, failed};
use crate::fields::words_up_to;
use crate::prelude::*;

const MAX_QUERY: usize = 400;
const MAX_DOMAINS: usize = 20;
const MAX_DOMAIN: usize = 253;
const PAGES: usize = 8;
const SNIPPET: usize = 600;
const ANSWER: usize = 6_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What to search for, in a few words.
    query: String,
    /// Only pages of these sites, such as example.com.
    allowed_domains: Option<Vec<Text<MAX_DOMAIN>>>,
    /// No pages of these sites.
    blocked_domains: Option<Vec<Text<MAX_DOMAIN>>>,
}

pub fn tool() -> SharedTool {
    let description = "Searches the web, for what is current or isn't known here.";
    let def = ToolDef::new(TOOLSET, "web_search", description)
        .flow(Flow::FOREIGN.leaving())
        .rules(RULES)
        .with(|def| def.audited = &["query"]);
    tool::shown(def, preview, search)
}

async fn preview(_: ToolContext, args: Arguments) -> Result<Preview> {
    let (query, domains) = checked(args)?;
    Ok(Preview::new("Search the web")
        .field("For", query)
        .any("Only on", domains.allowed.join(", "))
        .any("Not on", domains.blocked.join(", ")))
}

async fn search(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let (query, domains) = checked(args)?;
    let found = context.web.search.search(&query, &domains, PAGES).await;
    let found = found.map_err(|why| {
        tracing::warn!(error = %why, "a search of the web failed");
        failed(not_searched(&why), why.kind())
    })?;
    let mut output = if found.pages.is_empty() {
        let words = format!(
            "I found nothing for “{query}”. Fewer or other words may help, or a search of all sites."
        );
        let nothing = json!({"success": false, "error": words});
        ToolOutput {
            kind: Some("nothing_found"),
            ..ToolOutput::data(&nothing)?.bringing(Flow::NEUTRAL)
        }
    } else {
        let sources = found.pages.iter().map(|page| page.source.clone());
        ToolOutput::data(&results(&found))?.citing(sources.collect())
    };
    output.usage = found.usage;
    Ok(output)
}

fn not_searched(why: &SearchError) -> String {
    let words = match why {
        SearchError::OverQuota { retry_after } => {
            let again = retry_after.map_or("later".into(), |after| format!("in {}", wait(after)));
            return format!(
                "The search service takes no more requests just now. Please try again {again}."
            );
        }
        SearchError::NotSetUp => {
            "Searching the web isn't set up here. Please ask an administrator."
        }
        SearchError::KeyRefused { .. } | SearchError::Refused { .. } => {
            "The search service doesn't accept my requests. An administrator has to look at its settings."
        }
        SearchError::Down { .. } => {
            "I can't reach the search service at the moment. Please try again in a few minutes."
        }
        SearchError::TooSlow => {
            "The search service took too long to answer. Please try again, maybe with fewer words."
        }
    };
    words.to_owned()
}

fn wait(after: Duration) -> String {
    match after.as_secs().div_ceil(60) {
        0 | 1 => "a minute".into(),
        minutes if minutes <= 90 => format!("{minutes} minutes"),
        minutes => format!("{} hours", minutes.div_ceil(60)),
    }
}

fn checked(args: Arguments) -> Result<(String, Domains)> {
    let empty = "is empty. Say what to search for.";
    let query = words_up_to("query", &args.query, MAX_QUERY, empty)?;
    let domains = Domains {
        allowed: sites("allowedDomains", args.allowed_domains)?,
        blocked: sites("blockedDomains", args.blocked_domains)?,
    };
    Ok((query, domains))
}

fn sites(field: &str, named: Option<Vec<Text<MAX_DOMAIN>>>) -> Result<Vec<String>> {
    let named = named.unwrap_or_default();
    check_count(field, named.len(), "sites", 0..=MAX_DOMAINS)?;
    Ok(named.into_iter().map(|one| one.value).collect())
}

fn results(found: &Found) -> Value {
    let hit = |page: &FoundPage| {
        let snippet = invisible::shown_on_one_line(&invisible::removed(&page.snippet));
        let mut hit = cited(&page.source);
        add(&mut hit, "snippet", head(&snippet, SNIPPET).into());
        hit
    };
    let mut results = json!({"results": found.pages.iter().map(hit).collect::<Vec<_>>()});
    if let Some(answer) = &found.answer {
        let cites: Vec<String> = found.pages.iter().map(|page| page.source.mark()).collect();
        results["answer"] = head(&with_own_marks(answer, &cites), ANSWER).into();
    }
    results
}

/// Replaces the provider's citation marks by our own, and drops citations of pages that weren't returned.
fn with_own_marks(answer: &Answer, cites: &[String]) -> String {
    let (mut out, mut written) = (String::new(), 0);
    for citation in &answer.citations {
        let Some(words) = answer.text.get(written..citation.at.start) else {
            continue;
        };
        out.push_str(words);
        out.extend(citation.page.and_then(|page| cites.get(page)).cloned());
        written = citation.at.end;
    }
    out.push_str(answer.text.get(written..).unwrap_or_default());
    invisible::removed(&out)
}
