//! What proposals say.

use super::mail::mails;
use jiff::civil::Date;

/// The title of a day's plan.
pub fn plan_title(date: Date) -> String {
    format!("Plan {}", date.strftime("%A, %-d %B %Y"))
}

/// The title of tasks for a work block.
pub fn fill_block_title(block: &str) -> String {
    format!("Fill \"{block}\" with tasks")
}

/// The title of a triage of so many mails that wait.
pub fn triage_title(count: usize) -> String {
    match count {
        1 => "Triage your mail: 1 e-mail waits".into(),
        several => format!("Triage your mail: {several} e-mails wait"),
    }
}

/// What was wanted and no change says.
pub fn not_done(part: &str) -> String {
    format!("Not done: \"{part}\".")
}

/// Words that stand in no task's title.
pub fn no_task_fits(words: &str) -> String {
    format!("No task fits \"{words}\".")
}

/// A task that is longer than the time there is.
pub fn task_too_long(title: &str, minutes: u32, free: u32) -> String {
    format!("\"{title}\" takes {minutes} minutes, more than the {free} that are left.")
}

/// Words that stand in no waiting mail's sender or subject.
pub fn no_mail_fits(words: &str) -> String {
    format!("No waiting mail fits \"{words}\".")
}

/// A mail that a request shaped by others' words would have archived.
pub fn urgent_is_not_archived(mail: &str) -> String {
    format!(
        "Not proposed for the archive: {mail}. It is urgent; archive it in a request of its own."
    )
}

/// A day on which nothing new finds a place.
pub fn nothing_to_plan(date: Date) -> String {
    format!(
        "There is nothing to add to {}.",
        date.strftime("%A, %-d %B")
    )
}

/// A backlog of which nothing fits.
pub fn nothing_fits(block: &str) -> String {
    format!("No task of the backlog fits into \"{block}\".")
}

/// A mailbox with nothing to triage.
pub fn no_mail_waits() -> &'static str {
    "No unread mail waits, and none was put off."
}

/// Mail of which nothing is to be archived or marked.
pub fn nothing_to_triage(mails: usize) -> String {
    match mails {
        1 => "1 e-mail waits, and there is nothing to archive or to mark for processing.".into(),
        mails => format!(
            "{mails} e-mails wait, and there is nothing to archive or to mark for processing."
        ),
    }
}

/// What became of a plan.
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
pub fn day_use(before: u32, after: u32, gaps: usize, free: u32) -> String {
    let gaps = match gaps {
        1 => "one gap".to_owned(),
        several => format!("{several} gaps"),
    };
    format!("Planned: {before} % → {after} % of 8 hours ({free} min in {gaps} were free).")
}

/// How far the tasks go that are left of a proposal.
pub fn tasks_take(tasks: usize, minutes: u32, free: u32) -> String {
    let tasks = match tasks {
        1 => "One task takes".to_owned(),
        several => format!("{several} tasks take"),
    };
    format!("{tasks} {minutes} of {free} minutes.")
}

/// A stretch without a block.
pub fn stays_free(span: &str, why: &str) -> String {
    format!("{span} stays free: {why}")
}

/// A task without a place, or what is left of one that is only begun; minutes, of how many.
pub fn left_out(title: &str, (minutes, of): (u32, u32), why: &str) -> String {
    format!("Left out: {title} ({}): {why}", minutes_of(minutes, of))
}

/// Minutes of a task, and of how many where these aren't all.
pub fn minutes_of(minutes: u32, of: u32) -> String {
    match minutes == of {
        true => format!("{of} min"),
        false => format!("{minutes} of {of} min"),
    }
}

/// What became of a work block.
pub fn block_filled(tasks: usize, problems: usize) -> String {
    match problems {
        0 if tasks == 1 => "Assigned 1 task to the block.".into(),
        0 => format!("Assigned {tasks} tasks to the block."),
        problems => format!("Assigned {tasks} tasks to the block; {problems} didn't fit any more."),
    }
}

/// What became of a triage.
pub fn triaged(archived: u64, marked: u64, failed: usize) -> String {
    let count = |count: u64| mails(usize::try_from(count).unwrap_or(usize::MAX));
    let mut parts = Vec::new();
    if archived > 0 {
        parts.push(format!("archived {}", count(archived)));
    }
    if marked > 0 {
        parts.push(format!("marked {} for processing", count(marked)));
    }
    if failed > 0 {
        parts.push(format!("{failed} could not be changed"));
    }
    let said = parts.join("; ");
    match said.split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}.", first.to_uppercase()),
        None => "Nothing was changed.".into(),
    }
}

/// How many tasks could have been chosen.
pub fn fitting_tasks(count: usize) -> String {
    format!("Chosen from {count} tasks that fit.")
}

/// Why a triage archives.
pub fn archived_in_triage() -> &'static str {
    "Archived in a triage that its owner approved"
}

/// Where not all mail was looked at.
pub fn newest_mails(shown: usize, total: usize) -> String {
    format!("These are the newest {shown} of {total} mails that wait.")
}

/// Above the mails that can't wait, of which so many would be marked.
pub fn urgent_mails(count: usize, marked: usize) -> String {
    match marked {
        0 => format!("Urgent ({count})"),
        all if all == count => format!("Urgent ({count}), to be marked for processing"),
        some => format!("Urgent ({count}), {some} to be marked for processing"),
    }
}

/// Above the mails that want an answer.
pub fn to_answer(count: usize) -> String {
    format!("Wants an answer ({count})")
}

/// Above the mails that ask for something to be done.
pub fn could_be_tasks(count: usize) -> String {
    format!("Could be a task ({count})")
}

/// Above the mails that inform.
pub fn to_read(count: usize) -> String {
    format!("To read ({count})")
}

/// Above the mails that would be archived otherwise.
pub fn stay(count: usize) -> String {
    format!("Stays in the inbox ({count})")
}

/// Beside an urgent mail about which nothing is done.
pub fn stays_as_it_is() -> &'static str {
    "stays as it is"
}

/// Beside an urgent mail that was marked in an earlier triage.
pub fn already_marked() -> &'static str {
    "marked"
}

/// Beside a mail that may not be what it says.
pub fn looks_like_phishing(why: &str) -> String {
    format!("⚠️ looks like phishing: {why}")
}

/// Above the mails that would be archived.
pub fn to_archive(count: usize) -> String {
    format!("To archive ({count})")
}

/// What a plan follows of what was said before.
pub fn from_earlier_feedback(wishes: &[String]) -> String {
    format!("From what you said before: {}.", wishes.join(", "))
}

/// For a model that wants to decide itself.
pub fn only_the_person_confirms() -> &'static str {
    "approved: only the person confirms a proposal, with the buttons of its card or by answering yes. Tell them that it waits for them."
}
