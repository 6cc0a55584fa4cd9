use alfred_core::ports::{MailQuery, MailStatus, MailSummary};

use super::{ANY_STATUS, EmailView, RULES, TOOLSET, find, unreadable};
use crate::fields::MAX_WORDS;
use crate::prelude::*;

const DEFAULT_LIMIT: usize = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// All but archived ones when left out.
    // The type describes its variants, which would make the schema a union.
    #[schemars(with = "Option<Vec<String>>")]
    #[schemars(extend("items" = {"type": "string", "enum": ANY_STATUS}))]
    status: Option<Vec<MailStatus>>,
    /// Words that all stand in sender, subject or first words.
    query: Option<Text<MAX_WORDS>>,
    /// Sender: an address, a domain or part of the name.
    from: Option<Text<MAX_WORDS>>,
    /// Sent e-mails instead; from is then the recipient.
    sent: Option<bool>,
    /// Received then or later: "2026-11-21", "yesterday" or a weekday.
    since: Option<Day>,
    /// Most e-mails, up to 100; 20 when left out.
    limit: Option<Number<1, 100>>,
    /// nextCursor of the page before.
    cursor: Option<Text<MAX_WORDS>>,
}

pub fn tool() -> SharedTool {
    let description = "Lists or searches e-mails, newest first, with their first words. For unread mail and the backlog: email_getBacklog.";
    let def = ToolDef::new(TOOLSET, "email_viewEmails", description).rules(RULES);
    tool::read(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<Value> {
    // From the start of the day in the person's time zone.
    let midnight = |day: &Day| -> Result<Timestamp> {
        let start = day.on(&context)?.to_zoned(context.zone());
        let start = start.map_err(|_| refused("since", day, "is out of range."))?;
        Ok(start.timestamp())
    };
    let since = args.since.as_ref().map(midnight).transpose()?;
    let words = args.query.iter().flat_map(|query| query.split_whitespace());
    let from = args.from.map(|from| from.value);
    let limit = args.limit.map_or(DEFAULT_LIMIT, |limit| *limit as usize);
    let query = MailQuery {
        words: words.map(str::to_owned).collect(),
        from: from.filter(|from| !from.is_empty()),
        sent: args.sent.unwrap_or(false),
        since,
        limit,
        cursor: args.cursor.map(|cursor| cursor.value),
        status: args.status.unwrap_or_default(),
    };
    let page = find::list(&context, &query).await?;
    let row = |mail: &MailSummary| {
        let mut row = json!(EmailView::new(mail));
        row["snippet"] = mail.snippet.clone().into();
        row
    };
    let emails: Vec<Value> = page.mails.iter().map(row).collect();
    let mut listed = json!({"emails": emails, "total": page.total});
    add(&mut listed, "nextCursor", json!(page.next));
    let problems = unreadable(page.unreadable);
    add(&mut listed, "unreadable", json!(problems));
    Ok(listed)
}
