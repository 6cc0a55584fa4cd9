//! Makes a task from a mail. The task is tainted, because the sender wrote its text.

use alfred_core::id::TaskId;
use alfred_core::ports::MailMessage;
use alfred_planner::mail::own_words;
use alfred_planner::{Task, TaskSource, extract_task};

use super::{doubt, facts, head, line, named, shown};
use crate::fields::{MAX_TITLE, title};
use crate::prelude::*;
use crate::task::due_on;
use crate::task::store::StoredTask;

/// Characters of a title, without the sign of a cut.
const LONGEST: usize = MAX_TITLE - 1;
/// Characters of the mail's text in the description.
const QUOTED: usize = 800;
/// Characters of a sender or a subject in the description.
const NAMED: usize = 300;

/// Creates the task. `field` names the title argument in errors.
pub async fn made_of(
    context: &ToolContext,
    mail: &MailMessage,
    field: &str,
    custom_title: Option<&str>,
) -> Result<ToolOutput> {
    let found = extract_task(&facts(context, mail, &[]));
    let warning = doubt::of(context, mail).await?;
    let title = match custom_title {
        Some(custom) => title(field, custom).map_err(invalid)?,
        None => head(&line(&found.title), LONGEST),
    };
    let task = Task {
        description: description(mail, warning.as_deref()),
        due_date: found.due.filter(|_| warning.is_none()),
        estimated_minutes: found.estimated_minutes,
        source: TaskSource::Email,
        tainted: true,
        ..Task::new(TaskId::new(&*context.ids), title, context.now)
    };
    let (due, minutes) = (due_on(task.due_date), task.estimated_minutes);
    let mut what = format!("Created task \"{}\"{due}, {minutes} min", task.title);
    let mut edit = Edit::create("Make a task of an e-mail", StoredTask::new(task)).tainted(true);
    if let Some(warning) = warning {
        what += " (its e-mail looks like phishing)";
        edit = edit.data("warning", warning);
    }
    edit.receipt(what).output(context)
}

pub async fn preview(
    context: &ToolContext,
    mail: &MailMessage,
    custom_title: Option<&str>,
) -> Result<Preview> {
    let preview = Preview::new("Make a task of an e-mail").field("E-mail", named(&mail.summary));
    let preview = preview.any("Title", custom_title.unwrap_or_default());
    doubt::shown(context, preview, mail).await
}

/// The sender's text, then the mail's sender and subject. A phishing warning comes first.
fn description(mail: &MailMessage, warning: Option<&str>) -> String {
    let from = head(&shown(&mail.summary.from), NAMED);
    let subject = head(&line(&mail.summary.subject), NAMED);
    let words = head(own_words(&mail.text).trim(), QUOTED);
    let source = format!("From: {from}\nSubject: {subject}");
    let warning = warning.map(|warning| format!("⚠️ {warning}\n\n"));
    let whole = format!("{}{words}\n\n{source}", warning.unwrap_or_default());
    whole.trim().to_owned()
}
