use alfred_core::ports::{MailQuery, MailStatus, MailSummary, Total, Unreadable};
use alfred_planner::parse_date;

use super::{EmailView, RULES, TOOLSET, statuses_schema, unreadable};
use crate::account::not_read;
use crate::prelude::*;

const NAME: &str = "email_viewEmails";
const DEFAULT_LIMIT: i64 = 20;
/// Characters of the query, the sender or the cursor.
const MAX_WORDS: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// All but archived ones when left out.
    #[serde(default)]
    #[schemars(schema_with = "statuses_schema")]
    status: Option<Vec<MailStatus>>,
    /// Words that all stand in sender, subject or first words.
    query: Option<String>,
    /// Sender: an address, a domain or part of the name.
    from: Option<String>,
    /// Instead those the person sent; then from is to whom.
    sent: Option<bool>,
    /// Received then or later: "2026-11-21", "yesterday" or a weekday.
    since: Option<String>,
    /// Most e-mails, up to 100; 20 when left out.
    limit: Option<i64>,
    /// nextCursor of the page before.
    cursor: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    emails: Vec<Row>,
    total: Total,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    email: EmailView,
    snippet: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, NAME,
        "Lists or searches e-mails, newest first, with their first words. For all that still waits to be dealt with: email_getBacklog.",
    )
    // Mail contains other people's words, including ids and subjects.
    .flow(Flow::UNKNOWN)
    .rules(RULES);
    tool::read(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<Listed, ToolError> {
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let limit = within("limit", limit, &(1..=100)).map_err(invalid)?;
    let words = |field: &str, text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        text_up_to(field, text, MAX_WORDS).map_err(invalid)
    };
    let since = args.since.as_ref().map(|day| since(&context, day));
    let cursor = args.cursor.as_ref();
    let cursor = cursor.map(|cursor| text_up_to("cursor", cursor, MAX_WORDS));
    let query = MailQuery {
        words: words("query", &args.query)?
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        from: Some(words("from", &args.from)?).filter(|from| !from.is_empty()),
        sent: args.sent.unwrap_or(false),
        since: since.transpose()?,
        limit: usize::try_from(limit).unwrap_or(1),
        cursor: cursor.transpose().map_err(invalid)?,
        status: args.status.unwrap_or_default(),
    };
    let mail = &context.accounts.mail;
    let page = mail.list(&context.account(), &query).await;
    let page = page.map_err(not_read)?;
    let row = |mail: &MailSummary| Row {
        email: EmailView::new(mail),
        snippet: mail.snippet.clone(),
    };
    Ok(Listed {
        emails: page.mails.iter().map(row).collect(),
        total: page.total,
        next_cursor: page.next,
        unreadable: unreadable(page.unreadable),
    })
}

/// Start of the day in the person's time zone.
fn since(context: &ToolContext, day: &str) -> Result<Timestamp, ToolError> {
    let date = parse_date("since", day, today(context)).map_err(invalid)?;
    let midnight = date.to_zoned(context.zone());
    let midnight = midnight.map_err(|_| refused("since", day, "is out of range."))?;
    Ok(midnight.timestamp())
}
