//! Which kind of request words are.

use alfred_core::ports::ToolSpec;

use super::{
    Reading, block_changes, blocks, calendar, convert, feedback, fill, gaps, later, mail,
    mail_changes, meetings, message, people, plan, preferences, schedule, suggest, system,
    task_changes, task_list, tasks, time, utilization, week,
};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::Word;

/// Reads one kind of request.
type Read = fn(&[Word], &Now) -> Reading;

/// A kind of request.
enum Kind {
    /// It is that whatever there is.
    Any(Read),
    /// It is that where there is the tool; elsewhere another kind does, such as a block for a meeting.
    With(&'static str, Read),
}

use Kind::{Any, With};

/// In the order in which they are asked; of those whose words may be another's too, the narrower first.
const KINDS: [Kind; 32] = [
    With(feedback::TOOL, feedback::keep),
    With("system_showWorkflowHistory", system::history),
    With("system_showPatterns", system::patterns),
    With("approval_list", system::waiting),
    With("system_presentProposal", system::proposal),
    With("system_clearContext", system::forget),
    With("system_resumeWorkflow", system::resume),
    With(week::TOOL, week::view),
    Any(mail_changes::change),
    Any(mail::read),
    With(fill::TOOL, fill::block),
    Any(plan::day),
    With("calendar_rescheduleMeeting", meetings::reschedule),
    With("calendar_scheduleMeeting", meetings::schedule),
    Any(task_changes::change),
    Any(block_changes::change),
    Any(message::send),
    Any(tasks::create),
    With(suggest::TOOL, suggest::tasks),
    Any(preferences::update),
    Any(later::add),
    Any(calendar::wait),
    Any(calendar::weekday),
    With("schedule_findGaps", gaps::find),
    With("schedule_analyzeUtilization", utilization::analyze),
    Any(blocks::create),
    Any(mail::list),
    Any(task_list::view),
    Any(convert::convert),
    Any(schedule::view),
    Any(time::now),
    Any(people::find),
];

/// What these words ask for.
pub(super) fn reading(words: &[Word], now: &Now, tools: &[ToolSpec]) -> Reading {
    let offered = |name: &str| tools.iter().any(|tool| tool.name == name);
    KINDS.iter().find_map(|kind| match kind {
        Any(read) => read(words, now),
        With(tool, read) if offered(tool) => read(words, now),
        With(..) => None,
    })
}
