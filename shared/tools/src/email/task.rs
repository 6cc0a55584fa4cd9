//! Makes a task from a mail. The task is tainted, because the sender wrote its text.

use alfred_core::id::TaskId;
use alfred_core::ports::MailMessage;
use alfred_planner::mail::own_words;
use alfred_planner::{Task, TaskSource, extract_task};

use super::doubt::mail_may_pretend;
use super::{doubt, facts, head, line, named, shown};
use crate::fields::{MAX_TITLE, title};
use crate::prelude::*;
use crate::task::store;

/// Characters of the mail's text in the description.
const QUOTED: usize = 800;
/// Characters of an id, a sender or a subject in the description.
const NAMED: usize = 300;

/// Builds the task, its write and its undo. `field` names the title argument in errors.
pub async fn made_of(
    context: &ToolContext,
    mail: &MailMessage,
    field: &str,
    custom_title: Option<&str>,
) -> Result<ToolOutput, ToolError> {
    let found = extract_task(&facts(context, mail, &[]));
    let doubt = doubt::of(context, mail).await?;
    let title = match custom_title {
        Some(custom) => title(field, custom).map_err(invalid)?,
        // The subject may be empty.
        None => match head(&line(&found.title), MAX_TITLE - 1).as_str() {
            "" => head(
                &format!("E-mail from {}", shown(&mail.summary.from)),
                MAX_TITLE - 1,
            ),
            title => title.to_owned(),
        },
    };
    let task = Task {
        description: description(mail, doubt.as_deref()),
        estimated_minutes: found.estimated_minutes,
        source: TaskSource::Email,
        tainted: true,
        ..Task::new(TaskId::new(&*context.ids), title, context.now)
    };
    let mut data = json!({"task": {
        "id": task.id,
        "title": task.title,
        "description": task.description,
        "estimatedMinutes": task.estimated_minutes,
        "source": task.source,
    }});
    let mut action = format!("Created task \"{}\"", task.title);
    if let Some(why) = &doubt {
        data["warning"] = mail_may_pretend(why).into();
        action += " (its e-mail looks like phishing)";
    }
    let (writes, left) = (
        vec![store::create(context, &task)?],
        store::left(context, &task),
    );
    Ok(ToolOutput::data(&data)?
        .bringing(Flow::of_stored(true))
        .with_effect(action, writes)
        .at_place("your backlog")
        .undone_by("task_deleteTask", [json!({"taskId": task.id})])
        .leaving([left]))
}

pub fn preview(mail: &MailMessage, custom_title: Option<&str>) -> Preview {
    let preview = Preview::new("Make a task of an e-mail").field("E-mail", named(&mail.summary));
    preview.any("Title", custom_title.unwrap_or_default())
}

/// The sender's text, then the source with the mail's id for email_readEmail. A phishing warning comes first.
fn description(mail: &MailMessage, doubt: Option<&str>) -> String {
    let mail_id = head(mail.summary.id.as_str(), 2 * NAMED);
    let from = head(&shown(&mail.summary.from), NAMED);
    let subject = head(&line(&mail.summary.subject), NAMED);
    let words = head(own_words(&mail.text).trim(), QUOTED);
    let source = format!("From: {from}\nSubject: {subject}\nE-mail: {mail_id}");
    let warning = doubt.map(|why| format!("⚠️ {}\n\n", mail_may_pretend(why)));
    let whole = format!("{}{words}\n\n{source}", warning.unwrap_or_default());
    whole.trim().to_owned()
}
