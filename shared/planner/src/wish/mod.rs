//! What a person wants of a day's plan: wishes, and the `Changes` that a model fills in from the person's words.

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::whole_words::contains_words;
use crate::{ClockTime, InputError, Span};

/// Declares `Wish` and `Changes`. A row has the field of `Changes`, the variant of `Wish`, the field's name in JSON,
/// the topic (`None` for a wish about one day only) and the words. A time also has the function that reads it.
macro_rules! wishes {
    (
        times { $(
            $(#[$time_doc:meta])*
            $time:ident: $Time:ident, $time_name:literal, $read:ident, $time_topic:expr, $time_words:literal;
        )* }
        minutes { $(
            $(#[$length_doc:meta])*
            $length:ident: $Length:ident, $length_name:literal, $length_topic:expr, $length_words:literal;
        )* }
        flags { $(
            $(#[$flag_doc:meta])*
            $flag:ident: $Flag:ident, $flag_name:literal, $flag_topic:expr, $flag_words:literal;
        )* }
    ) => {
        /// One thing a person wants of the plan. Later wishes win over earlier ones.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", tag = "wish", content = "value")]
        pub enum Wish {
            $($(#[$time_doc])* $Time(ClockTime),)*
            $($(#[$length_doc])* $Length(u32),)*
            $($(#[$flag_doc])* $Flag,)*
            /// Nothing is planned then.
            KeepFree(Span),
            /// A task or block with these words in its title is left out.
            Drop(String),
            /// The block, or else the task, with these words in its title starts then.
            Move { title: String, to: ClockTime },
            /// The task with these words in its title comes before all others.
            First(String),
        }

        impl Wish {
            /// The field of `Changes` that states it.
            pub const fn field(&self) -> &'static str {
                match self {
                    $(Self::$Time(_) => concat!("changes.", $time_name),)*
                    $(Self::$Length(_) => concat!("changes.", $length_name),)*
                    $(Self::$Flag => concat!("changes.", $flag_name),)*
                    Self::KeepFree(_) => "changes.keepFree",
                    Self::Drop(_) => "changes.drop",
                    Self::Move { .. } => "changes.move",
                    Self::First(_) => "changes.first",
                }
            }

            /// What it is about; of two wishes about one topic only one can be followed. If there is a preference for
            /// the same, its name. `None` for a wish about one day, or one task or block of it.
            pub fn topic(&self) -> Option<String> {
                let topic: Option<&str> = match self {
                    $(Self::$Time(_) => $time_topic,)*
                    $(Self::$Length(_) => $length_topic,)*
                    $(Self::$Flag => $flag_topic,)*
                    Self::KeepFree(_) => return Some(self.to_string()),
                    Self::Drop(_) | Self::Move { .. } | Self::First(_) => None,
                };
                topic.map(str::to_owned)
            }
        }

        impl fmt::Display for Wish {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$Time(time) => write!(f, $time_words, time),)*
                    $(Self::$Length(minutes) => write!(f, $length_words, minutes),)*
                    $(Self::$Flag => f.write_str($flag_words),)*
                    Self::KeepFree(span) => write!(f, "keep {span} free"),
                    Self::Drop(title) => write!(f, "without \"{title}\""),
                    Self::Move { title, to } => write!(f, "\"{title}\" at {to}"),
                    Self::First(title) => write!(f, "\"{title}\" first"),
                }
            }
        }

        /// Changes of a plan; what is left out stays as it is. Times are `HH:MM`, lengths minutes.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
        pub struct Changes {
            $($(#[$time_doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $time: Option<String>,)*
            $($(#[$length_doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $length: Option<u32>,)*
            $($(#[$flag_doc])* #[serde(skip_serializing_if = "std::ops::Not::not")] pub $flag: bool,)*
            /// Stretches in which nothing is planned.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub keep_free: Vec<Stretch>,
            /// Tasks and blocks to leave out, by words of their titles.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub drop: Vec<String>,
            /// Blocks and tasks that start at a given time.
            #[serde(rename = "move", skip_serializing_if = "Vec::is_empty")]
            pub moved: Vec<Moved>,
            /// Tasks that come before all others, by words of their titles.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub first: Vec<String>,
            /// Wishes that fit no field here, in the person's words; the card lists them as not done.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub unmet: Vec<String>,
        }

        impl Changes {
            /// These changes with later ones: the later wish about a topic counts, and lists grow.
            pub fn then(self, later: Self) -> Self {
                let later_topics = [
                    $(later.$time.as_ref().and($time_topic),)*
                    $(later.$length.and($length_topic),)*
                    $($flag_topic.filter(|_| later.$flag),)*
                ];
                let stays = |topic: Option<&str>| topic.is_none() || !later_topics.contains(&topic);
                Self {
                    $($time: later.$time.or(self.$time.filter(|_| stays($time_topic))),)*
                    $($length: later.$length.or(self.$length.filter(|_| stays($length_topic))),)*
                    $($flag: later.$flag || (self.$flag && stays($flag_topic)),)*
                    keep_free: joined(self.keep_free, later.keep_free),
                    drop: joined(self.drop, later.drop),
                    moved: joined(self.moved, later.moved),
                    first: joined(self.first, later.first),
                    // The person has read about the earlier ones.
                    unmet: later.unmet,
                }
            }

            /// The same as the planner takes it.
            pub fn wishes(&self) -> Result<Vec<Wish>, InputError> {
                let mut wishes = Vec::new();
                $(if let Some(text) = &self.$time {
                    let time = ClockTime::$read(concat!("changes.", $time_name), text)?;
                    wishes.push(Wish::$Time(time));
                })*
                $(wishes.extend(self.$length.map(Wish::$Length));)*
                $(wishes.extend(self.$flag.then_some(Wish::$Flag));)*
                wishes.extend(self.about_parts()?);
                Ok(wishes)
            }
        }
    };
}

wishes! {
    times {
        /// Lunch starts then: "13:00", as all times here.
        lunch_at: LunchAt, "lunchAt", parse, Some("lunchTime"), "lunch at {}";
        /// Earliest start of a meeting.
        no_meetings_before: NoMeetingsBefore, "noMeetingsBefore", parse, Some("meetingsFrom"), "no meetings before {}";
        /// Latest end of a meeting.
        no_meetings_after: NoMeetingsAfter, "noMeetingsAfter", parse_end, Some("meetingsUntil"), "no meetings after {}";
        /// Earliest start of focus work.
        no_focus_before: NoFocusBefore, "noFocusBefore", parse, Some("focusFrom"), "no focus work before {}";
        /// Latest end of focus work.
        no_focus_after: NoFocusAfter, "noFocusAfter", parse_end, Some("focusUntil"), "no focus work after {}";
        /// Only what comes from then on is planned: "13:00" for an afternoon.
        only_from: OnlyFrom, "onlyFrom", parse, None, "only from {} on";
        /// Work starts then.
        start_at: StartAt, "startAt", parse, Some("workStartTime"), "start at {}";
        /// Work ends then.
        end_at: EndAt, "endAt", parse_end, Some("workEndTime"), "end at {}";
        /// The e-mail block starts then.
        email_at: EmailAt, "emailAt", parse, Some("emailTime"), "e-mail at {}";
    }
    minutes {
        /// Length of lunch.
        lunch_minutes: LunchLength, "lunchMinutes", Some("lunchDuration"), "{} minutes of lunch";
        /// Length of one focus block.
        focus_minutes: FocusLength, "focusMinutes", Some("focusBlockDuration"), "focus blocks of {} minutes";
        /// At most so many minutes of focus work in all; a light day has 240.
        focus_at_most: FocusAtMost, "focusAtMost", Some("focusAmount"), "at most {} minutes of focus work";
        /// Minutes of work after which a break is due.
        break_every: BreakEvery, "breakEvery", Some("breakFrequency"), "a break every {} minutes";
        /// Length of a break, also for slack between blocks.
        break_minutes: BreakLength, "breakMinutes", Some("breakDuration"), "breaks of {} minutes";
        /// Length of the e-mail block.
        email_minutes: EmailLength, "emailMinutes", Some("emailBatchSize"), "{} minutes of e-mail";
    }
    flags {
        /// No lunch.
        no_lunch: NoLunch, "noLunch", Some("lunchTime"), "no lunch";
        /// No breaks but lunch.
        no_breaks: NoBreaks, "noBreaks", Some("breakFrequency"), "no breaks";
        /// The day begins with e-mail.
        email_first: EmailFirst, "emailFirst", Some("emailTime"), "e-mail first";
        /// No e-mail block.
        no_email: NoEmail, "noEmail", Some("emailTime"), "no e-mail";
    }
}

fn joined<T: PartialEq>(mut all: Vec<T>, more: Vec<T>) -> Vec<T> {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

/// A stretch of the day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// Its start.
    pub from: String,
    /// Its end; "24:00" is the end of the day.
    pub to: String,
}

/// A block or task and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// Words of its title.
    pub title: String,
    /// When it starts.
    pub to: String,
}

impl Changes {
    /// The wishes about single stretches, tasks and blocks.
    fn about_parts(&self) -> Result<Vec<Wish>, InputError> {
        let mut wishes = Vec::new();
        for (at, one) in self.keep_free.iter().enumerate() {
            let [from, to] = ["from", "to"].map(|end| format!("changes.keepFree[{at}].{end}"));
            let span = Span::parse((&from, &one.from), (&to, &one.to))?;
            wishes.push(Wish::KeepFree(span));
        }
        for (at, words) in self.drop.iter().enumerate() {
            wishes.push(Wish::Drop(title(format!("changes.drop[{at}]"), words)?));
        }
        for (at, one) in self.moved.iter().enumerate() {
            let to = ClockTime::parse(&format!("changes.move[{at}].to"), &one.to)?;
            let title = title(format!("changes.move[{at}].title"), &one.title)?;
            wishes.push(Wish::Move { title, to });
        }
        for (at, words) in self.first.iter().enumerate() {
            wishes.push(Wish::First(title(format!("changes.first[{at}]"), words)?));
        }
        Ok(wishes)
    }
}

fn title(field: String, words: &str) -> Result<String, InputError> {
    let problem = "is empty; name it by words of its title.";
    match words.trim() {
        "" => Err(InputError::new(&field, words, problem)),
        words => Ok(words.to_owned()),
    }
}

/// Whether a title contains these words as whole words, ignoring case.
pub fn is_meant(title: &str, words: &str) -> bool {
    let words = words.trim().to_lowercase();
    !words.is_empty() && contains_words(&title.to_lowercase(), &words)
}
