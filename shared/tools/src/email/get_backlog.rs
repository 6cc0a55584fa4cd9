use alfred_core::ports::{MailQuery, MailStatus, Total, Unreadable};

use super::{EmailView, RULES, TRIAGE, find, unreadable};
use crate::prelude::*;

const DEFAULT_LIMIT: i64 = 50;

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Open {
    Unread,
    Backlog,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Arguments {
    /// Both when left out.
    pub status: Option<Vec<Open>>,
    /// Most e-mails, up to 500; 50 when left out.
    pub limit: Option<i64>,
}

#[derive(Serialize)]
pub(crate) struct Backlog {
    pub emails: Vec<EmailView>,
    pub total: Total,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unreadable>,
}

pub fn tool() -> SharedTool {
    let description = "Lists unread e-mails and those marked as backlog, without their text. To search or view e-mails: email_viewEmails.";
    let def = ToolDef::new(TRIAGE, "email_getBacklog", description).rules(RULES);
    tool::read(def, backlog)
}

pub(crate) async fn backlog(context: ToolContext, args: Arguments) -> Result<Backlog> {
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
    let page = find::list(&context, &query).await?;
    Ok(Backlog {
        emails: page.mails.iter().map(EmailView::new).collect(),
        total: page.total,
        unreadable: unreadable(page.unreadable),
    })
}
