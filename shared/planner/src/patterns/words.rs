//! Patterns in words.

use std::fmt;

use super::found::What;

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LunchAt(time) => write!(f, "Lunch is usually at {time}."),
            Self::FocusIn(part) => write!(f, "Focus work is mostly in the {part}."),
            Self::FocusFrom(time) => {
                write!(f, "The first focus block usually begins about {time}.")
            }
            Self::FocusLength(minutes) => {
                write!(f, "Focus blocks are usually about {minutes} minutes long.")
            }
            Self::FocusOn(day) => write!(f, "There is usually focus work on {day}s."),
            Self::MeetingsIn(part) => write!(f, "Meetings are mostly in the {part}."),
            Self::TasksTake(percent) if *percent > 100 => {
                write!(
                    f,
                    "Tasks usually take longer than estimated, about {percent} % of it."
                )
            }
            Self::TasksTake(percent) => {
                write!(
                    f,
                    "Tasks are usually done faster than estimated, in about {percent} % of it."
                )
            }
            Self::TasksTakeAsEstimated => f.write_str("Tasks usually take as long as estimated."),
            Self::DoneIn { tasks, part } => {
                let tasks = tasks.to_string();
                let (first, rest) = tasks.split_at(1);
                write!(
                    f,
                    "{}{rest} are mostly done in the {part}.",
                    first.to_uppercase()
                )
            }
            Self::PutOff { title } => write!(f, "\"{title}\" is put off again and again."),
            Self::Asked(wish) => write!(f, "This is asked for again and again: {wish}."),
            Self::Remarked { remark, category } => {
                write!(
                    f,
                    "Feedback about {category} is mostly of one kind: {remark}."
                )
            }
            Self::LeavesTask { title, .. } => {
                write!(f, "\"{title}\" is usually left out where it is proposed.")
            }
            Self::KeepsMail(sender) => {
                write!(
                    f,
                    "Mail from {sender} is usually kept where archiving is proposed."
                )
            }
            Self::ArchivesMail(sender) => {
                write!(f, "Mail from {sender} is usually archived as proposed.")
            }
            Self::AnswersMail(sender) => write!(f, "Mail from {sender} usually gets an answer."),
        }
    }
}
