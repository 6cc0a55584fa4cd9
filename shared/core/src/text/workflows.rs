//! What proposals say.

use super::mail::mails;
use jiff::civil::Date;

/// The title of a day's plan.
#[must_use]
pub fn plan_title(date: Date) -> String {
    format!("Plan {}", date.strftime("%A, %-d %B %Y"))
}

/// The title of tasks for a work block.
#[must_use]
pub fn fill_block_title(block: &str) -> String {
    format!("Fill \"{block}\" with tasks")
}

/// The title of a triage of the mail.
#[must_use]
pub fn triage_title() -> String {
    "Triage your mail".into()
}

/// What was wanted and no change says.
#[must_use]
pub fn not_done(part: &str) -> String {
    format!("Not done: \"{part}\".")
}

/// Words that stand in no task's title.
#[must_use]
pub fn no_task_fits(words: &str) -> String {
    format!("No task fits \"{words}\".")
}

/// A task that is longer than the time there is.
#[must_use]
pub fn task_too_long(title: &str, minutes: u32, free: u32) -> String {
    format!("\"{title}\" takes {minutes} minutes, more than the {free} that are left.")
}

/// Words that stand in no waiting mail's sender or subject.
#[must_use]
pub fn no_mail_fits(words: &str) -> String {
    format!("No waiting mail fits \"{words}\".")
}

/// Mail that stays as the person wants it.
#[must_use]
pub fn stays_in_the_inbox(mail: &str) -> String {
    format!("Stays: {mail}")
}

/// A day on which nothing new finds a place.
#[must_use]
pub fn nothing_to_plan(date: Date) -> String {
    format!(
        "There is nothing to add to {}.",
        date.strftime("%A, %-d %B")
    )
}

/// A backlog of which nothing fits.
#[must_use]
pub fn nothing_fits(block: &str) -> String {
    format!("No task of the backlog fits into \"{block}\".")
}

/// A mailbox with nothing to triage.
#[must_use]
pub fn no_mail_waits() -> &'static str {
    "No unread mail waits, and none was put off."
}

/// Mail of which nothing can be archived.
#[must_use]
pub fn nothing_to_archive(mails: usize) -> String {
    match mails {
        1 => "1 e-mail waits, and it isn't safe to archive.".into(),
        mails => format!("{mails} e-mails wait, and none of them is safe to archive."),
    }
}

/// What became of a plan.
#[must_use]
pub fn day_planned(blocks: usize, tasks: usize, problems: usize) -> String {
    let mut said = match blocks {
        1 => "Created one time block".to_owned(),
        several => format!("Created {several} time blocks"),
    };
    match tasks {
        0 => {}
        1 => said.push_str(" with one task"),
        several => said.push_str(&format!(" with {several} tasks")),
    }
    match problems {
        0 => said.push('.'),
        1 => said.push_str("; 1 thing didn't work."),
        several => said.push_str(&format!("; {several} things didn't work.")),
    }
    said
}

/// How a day is used, before and after.
#[must_use]
pub fn day_use(before: u32, after: u32, gaps: usize, free: u32) -> String {
    let gaps = match gaps {
        1 => "one gap".to_owned(),
        several => format!("{several} gaps"),
    };
    format!("Planned: {before} % → {after} % of 8 hours ({free} min in {gaps} were free).")
}

/// How far the tasks go that are left of a proposal.
#[must_use]
pub fn tasks_take(tasks: usize, minutes: u32, free: u32) -> String {
    let tasks = match tasks {
        1 => "One task takes".to_owned(),
        several => format!("{several} tasks take"),
    };
    format!("{tasks} {minutes} of {free} minutes.")
}

/// A stretch without a block.
#[must_use]
pub fn stays_free(span: &str, why: &str) -> String {
    format!("{span} stays free: {why}")
}

/// A task without a place, or what is left of one that is only begun; minutes, of how many.
#[must_use]
pub fn left_out(title: &str, (minutes, of): (u32, u32), why: &str) -> String {
    format!("Left out: {title} ({}): {why}", minutes_of(minutes, of))
}

/// Minutes of a task, and of how many where these aren't all.
#[must_use]
pub fn minutes_of(minutes: u32, of: u32) -> String {
    match minutes == of {
        true => format!("{of} min"),
        false => format!("{minutes} of {of} min"),
    }
}

/// What became of a work block.
#[must_use]
pub fn block_filled(tasks: usize, problems: usize) -> String {
    match problems {
        0 if tasks == 1 => "Assigned 1 task to the block.".into(),
        0 => format!("Assigned {tasks} tasks to the block."),
        problems => format!("Assigned {tasks} tasks to the block; {problems} didn't fit any more."),
    }
}

/// What became of a triage.
#[must_use]
pub fn triaged(archived: u64, failed: usize, urgent: usize) -> String {
    let archived = usize::try_from(archived).unwrap_or(usize::MAX);
    let mut said = format!("Archived {}", mails(archived));
    if failed > 0 {
        said.push_str(&format!("; {failed} could not be archived"));
    }
    match urgent {
        0 => said.push('.'),
        urgent => said.push_str(&format!("; {urgent} urgent ones are ready to be answered.")),
    }
    said
}

/// How many tasks could have been chosen.
#[must_use]
pub fn fitting_tasks(count: usize) -> String {
    format!("Chosen from {count} tasks that fit.")
}

/// Why a triage archives.
#[must_use]
pub fn archived_in_triage() -> &'static str {
    "Archived in a triage that its owner approved"
}

/// Where not all mail was looked at.
#[must_use]
pub fn newest_mails(shown: usize, total: usize) -> String {
    format!("These are the newest {shown} of {total} mails that wait.")
}

/// Above the mails that can't wait.
#[must_use]
pub fn urgent_mails(count: usize) -> String {
    format!("Urgent, or waiting for more than three days ({count}):")
}

/// Above the senders of several mails.
#[must_use]
pub fn together() -> &'static str {
    "To answer together, by sender:"
}

/// Above the mails that would be archived.
#[must_use]
pub fn to_archive(count: usize) -> String {
    format!("To archive ({count}):")
}

/// What a plan follows of what was said before.
#[must_use]
pub fn from_earlier_feedback(wishes: &[String]) -> String {
    format!("From what you said before: {}.", wishes.join(", "))
}

/// For a model that wants to decide itself.
#[must_use]
pub fn only_the_person_confirms() -> &'static str {
    "approved: only the person confirms a proposal, with the buttons of its card or by answering yes. Tell them that it waits for them."
}
