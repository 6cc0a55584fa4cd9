//! `email_getBacklog`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError};
use alfred_core::ports::{MailQuery, MailStatus, Unreadable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EmailView, unreadable};
use crate::account::not_read;
use crate::fields::{invalid, within};
use crate::flows;

const NAME: &str = "email_getBacklog";
/// Mails that are listed where nothing is said.
const DEFAULT_LIMIT: i64 = 50;

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Open {
    Unread,
    Backlog,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Which of the two: unread e-mails, or those put off for later; both when left out.
    status: Option<Vec<Open>>,
    /// How many e-mails at most, the newest first; 50 when left out.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<i64>,
}

#[derive(Serialize)]
struct Backlog {
    emails: Vec<EmailView>,
    total: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        NAME,
        "Lists the e-mails that wait for the person: unread ones and those put off for later.",
    );
    tool::read(def, backlog)
}

async fn backlog(context: ToolContext, args: Arguments) -> Result<Backlog, ToolError> {
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let limit = within("limit", limit, &(1..=500)).map_err(invalid)?;
    let open = args.status.filter(|status| !status.is_empty());
    let open = open.unwrap_or_else(|| vec![Open::Unread, Open::Backlog]);
    let status = |open: Open| match open {
        Open::Unread => MailStatus::Unread,
        Open::Backlog => MailStatus::Backlog,
    };
    let query = MailQuery {
        status: open.into_iter().map(status).collect(),
        limit: usize::try_from(limit).unwrap_or(1),
        ..MailQuery::default()
    };
    let mail = &context.accounts.mail;
    let page = mail.list(&context.account(), &query).await;
    let page = page.map_err(|error| not_read(NAME, error))?;
    Ok(Backlog {
        emails: page.mails.iter().map(EmailView::new).collect(),
        total: page.total,
        unreadable: unreadable(page.unreadable),
    })
}

#[cfg(test)]
#[path = "get_backlog_tests.rs"]
mod tests;
