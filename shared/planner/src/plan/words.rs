//! The reasons in words.

use std::fmt::{Display, Formatter, Result};

use super::outcome::{Note, Urgency};
use super::reason::{Because, IdleWhy, LeftOutWhy, Why};

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::AlreadyPlanned => f.write_str("already planned"),
            Self::FullFocus => f.write_str("a whole focus block"),
            Self::FocusUntil { next } => write!(f, "focus until {next}"),
            Self::FocusFor(wish) => write!(f, "shorter, as you asked: {wish}"),
            Self::GoesOn { title } => write!(f, "\"{title}\" goes on"),
            Self::Behind { title } => write!(f, "focus behind \"{title}\""),
            Self::ShortTasks => f.write_str("a short gap, for what takes a few minutes"),
            Self::Lunch => f.write_str("lunch at your usual time"),
            Self::LunchElsewhere { preferred, because } => {
                write!(f, "not at {preferred}: {because}")
            }
            Self::BreakAfter { minutes } => write!(f, "after {minutes} minutes of work"),
            Self::Email => f.write_str("e-mail in one go"),
            Self::Wished(wish) => write!(f, "as you asked: {wish}"),
        }
    }
}

impl Display for Urgency {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::First => f.write_str("you want it first"),
            Self::Overdue(due) => write!(f, "overdue since {due}"),
            Self::DueToday => f.write_str("due this day"),
            Self::DueTomorrow => f.write_str("due the day after"),
            Self::Score(_) => f.write_str("in its turn"),
        }
    }
}

impl Display for LeftOutWhy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Lost { to, because } => write!(f, "lost to \"{to}\": {because}"),
            Self::TooLong { longest } => {
                write!(f, "too long for the longest work block ({longest} minutes)")
            }
            Self::NoWorkBlock => f.write_str("there is no work block left"),
            Self::Most { minutes } => write!(f, "no more than {minutes} minutes of it fit"),
            Self::Full { room } => write!(f, "the {room} minutes of work time are full"),
            Self::Dropped => f.write_str("left out, as you asked"),
        }
    }
}

impl Display for Because {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Urgency(Urgency::First) => f.write_str("you want that first"),
            Self::Urgency(urgency) => urgency.fmt(f),
            Self::Score { .. } => f.write_str("it weighs more by priority, age and due date"),
            Self::Turn => f.write_str("as pressing, and first in line"),
            Self::Fits { theirs, own } => {
                write!(f, "its {theirs} minutes fit better than {own}")
            }
        }
    }
}

impl Display for IdleWhy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Wished(wish) => write!(f, "as you asked: {wish}"),
            Self::Buffer { buffer } => {
                write!(
                    f,
                    "{buffer} minutes are kept free around meetings, and the rest is too short"
                )
            }
            Self::Slack { percent } => {
                write!(f, "kept for what comes up (slack of {percent} %)")
            }
            Self::TooShort => f.write_str("too short for a block"),
            Self::RepeatedHour => {
                f.write_str("the clock shows this time twice, so no block can start or end within")
            }
            Self::BreakDue { after } => {
                write!(
                    f,
                    "a break is due after {after} minutes of work, and the rest is too short"
                )
            }
        }
    }
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::DayOver { ended } => {
                write!(
                    f,
                    "The working day ended at {ended}: nothing new is planned."
                )
            }
            Self::ClockChange { minutes } => {
                write!(f, "Clocks change: the day has {} hours.", hours(*minutes))
            }
            Self::Overlap {
                first,
                second,
                span,
            } => write!(f, "\"{first}\" and \"{second}\" overlap, {span}."),
            Self::MeetingAgainst {
                title,
                span,
                wish,
                instead,
            } => {
                write!(
                    f,
                    "\"{title}\" is at {span} ({wish}). Others may be invited, so it stays"
                )?;
                match instead {
                    Some(instead) => write!(f, "; {instead} would do instead."),
                    None => f.write_str("; no other time would do."),
                }
            }
            Self::WholeDay { title } => {
                write!(
                    f,
                    "\"{title}\" takes the whole day: nothing new is planned."
                )
            }
            Self::Weekend { date, named } => {
                let day = date.strftime("%A");
                match named {
                    true => write!(f, "It is a {day}: planned because you asked for it."),
                    false => write!(
                        f,
                        "It is a {day}, planned because you named no day: name another if you rest then."
                    ),
                }
            }
            Self::SlackTaken { percent } => write!(
                f,
                "What is due takes of the slack of {percent} % that is kept for what comes up."
            ),
            Self::BuffersTaken { left } => {
                write!(f, "What is due leaves {left} minutes free around meetings.")
            }
            Self::EmailTaken => f.write_str("What is due takes the time for e-mail."),
            Self::TooFull(found) => found.fmt(f),
            Self::NoOpenTask => {
                f.write_str("No task is open: the new work blocks are for whatever you like.")
            }
            Self::NoRoomForLunch => f.write_str("There is no room for lunch."),
            Self::NoRoomForEmail => f.write_str("There is no room for e-mail."),
            Self::FocusShortened { preferred, planned } => write!(
                f,
                "Focus blocks have {planned} minutes instead of {preferred}: then a break is due."
            ),
            Self::NotMoved { title, wish } => {
                write!(
                    f,
                    "\"{title}\" stays where it is: there is no room to move it ({wish})."
                )
            }
            Self::NothingFits(title) => write!(f, "No task or block fits \"{title}\"."),
            Self::NotMet(wish) => write!(f, "This could not be done: {wish}."),
        }
    }
}

fn hours(minutes: u32) -> String {
    match minutes % 60 {
        0 => (minutes / 60).to_string(),
        rest => format!("{}:{rest:02}", minutes / 60),
    }
}
