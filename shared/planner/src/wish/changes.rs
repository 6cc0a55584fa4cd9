//! What a person wants of a day's plan, field by field. A model fills it in from their words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Wish;
use crate::clock_time::ClockTime;
use crate::input::InputError;
use crate::span::Span;

/// Changes of a plan; what is left out stays as it is. Times are `HH:MM`, lengths minutes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Changes {
    /// Lunch starts then: "13:00", as all times here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lunch_at: Option<String>,
    /// Length of lunch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lunch_minutes: Option<u32>,
    /// No lunch.
    #[serde(skip_serializing_if = "is_false")]
    pub no_lunch: bool,
    /// Earliest start of a meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_meetings_before: Option<String>,
    /// Latest end of a meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_meetings_after: Option<String>,
    /// Earliest start of focus work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_focus_before: Option<String>,
    /// Latest end of focus work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_focus_after: Option<String>,
    /// Length of one focus block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus_minutes: Option<u32>,
    /// At most so many minutes of focus work in all; a light day has 240.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus_at_most: Option<u32>,
    /// Only what comes from then on is planned: "13:00" for an afternoon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_from: Option<String>,
    /// Work starts then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_at: Option<String>,
    /// Work ends then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_at: Option<String>,
    /// Minutes of work after which a break is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_every: Option<u32>,
    /// Length of a break, also for slack between blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_minutes: Option<u32>,
    /// No breaks but lunch.
    #[serde(skip_serializing_if = "is_false")]
    pub no_breaks: bool,
    /// The e-mail block starts then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_at: Option<String>,
    /// The day begins with e-mail.
    #[serde(skip_serializing_if = "is_false")]
    pub email_first: bool,
    /// Length of the e-mail block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_minutes: Option<u32>,
    /// No e-mail block.
    #[serde(skip_serializing_if = "is_false")]
    pub no_email: bool,
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
    /// What they want that no field here says, in their words; the card names it as not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<String>,
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
    /// These, and what was wanted after them: of two values of one field the later counts, and lists grow.
    pub fn then(mut self, later: Self) -> Self {
        self.no_lunch &= later.lunch_at.is_none();
        self.no_breaks &= later.break_every.is_none();
        self.no_email &= later.email_at.is_none() && !later.email_first;
        self.email_first &= later.email_at.is_none() && !later.no_email;
        let lunch_at = self.lunch_at.filter(|_| !later.no_lunch);
        let break_every = self.break_every.filter(|_| !later.no_breaks);
        let email_at = self
            .email_at
            .filter(|_| !(later.no_email || later.email_first));
        Self {
            lunch_at: later.lunch_at.or(lunch_at),
            lunch_minutes: later.lunch_minutes.or(self.lunch_minutes),
            no_lunch: later.no_lunch || self.no_lunch,
            no_meetings_before: later.no_meetings_before.or(self.no_meetings_before),
            no_meetings_after: later.no_meetings_after.or(self.no_meetings_after),
            no_focus_before: later.no_focus_before.or(self.no_focus_before),
            no_focus_after: later.no_focus_after.or(self.no_focus_after),
            focus_minutes: later.focus_minutes.or(self.focus_minutes),
            focus_at_most: later.focus_at_most.or(self.focus_at_most),
            only_from: later.only_from.or(self.only_from),
            start_at: later.start_at.or(self.start_at),
            end_at: later.end_at.or(self.end_at),
            break_every: later.break_every.or(break_every),
            break_minutes: later.break_minutes.or(self.break_minutes),
            no_breaks: later.no_breaks || self.no_breaks,
            email_at: later.email_at.or(email_at),
            email_first: later.email_first || self.email_first,
            email_minutes: later.email_minutes.or(self.email_minutes),
            no_email: later.no_email || self.no_email,
            keep_free: joined(self.keep_free, later.keep_free),
            drop: joined(self.drop, later.drop),
            moved: joined(self.moved, later.moved),
            first: joined(self.first, later.first),
            // What was said of the words before was said.
            unmet: later.unmet,
        }
    }

    /// The same as the planner takes it.
    ///
    /// # Errors
    /// Names the first field whose value is no time, no stretch or empty.
    pub fn wishes(&self) -> Result<Vec<Wish>, InputError> {
        type Read = fn(&str, &str) -> Result<ClockTime, InputError>;
        type Timed = fn(ClockTime) -> Wish;
        type Lasting = fn(u32) -> Wish;
        let (start, end): (Read, Read) = (ClockTime::parse, ClockTime::parse_end);
        let times: [(&Option<String>, Read, Timed); 9] = [
            (&self.lunch_at, start, Wish::LunchAt),
            (&self.no_meetings_before, start, Wish::NoMeetingsBefore),
            (&self.no_focus_before, start, Wish::NoFocusBefore),
            (&self.only_from, start, Wish::OnlyFrom),
            (&self.start_at, start, Wish::StartAt),
            (&self.email_at, start, Wish::EmailAt),
            (&self.no_meetings_after, end, Wish::NoMeetingsAfter),
            (&self.no_focus_after, end, Wish::NoFocusAfter),
            (&self.end_at, end, Wish::EndAt),
        ];
        let lengths: [(Option<u32>, Lasting); 6] = [
            (self.lunch_minutes, Wish::LunchLength),
            (self.focus_minutes, Wish::FocusLength),
            (self.focus_at_most, Wish::FocusAtMost),
            (self.break_every, Wish::BreakEvery),
            (self.break_minutes, Wish::BreakLength),
            (self.email_minutes, Wish::EmailLength),
        ];
        let flags = [
            (self.no_lunch, Wish::NoLunch),
            (self.no_breaks, Wish::NoBreaks),
            (self.email_first, Wish::EmailFirst),
            (self.no_email, Wish::NoEmail),
        ];
        let mut wishes = Vec::new();
        for (text, read, wish) in times {
            if let Some(text) = text {
                let field = wish(ClockTime::MIDNIGHT).field();
                wishes.push(wish(read(field, text)?));
            }
        }
        let lengths = lengths.into_iter();
        wishes.extend(lengths.filter_map(|(minutes, wish)| minutes.map(wish)));
        let flags = flags.into_iter();
        wishes.extend(flags.filter_map(|(wanted, wish)| wanted.then_some(wish)));
        self.about_parts(&mut wishes)?;
        Ok(wishes)
    }

    fn about_parts(&self, wishes: &mut Vec<Wish>) -> Result<(), InputError> {
        for (at, one) in self.keep_free.iter().enumerate() {
            let place = field(&format!("keepFree[{at}]"));
            let (from, to) = (format!("{place}.from"), format!("{place}.to"));
            let span = Span::parse((&from, &one.from), (&to, &one.to))?;
            wishes.push(Wish::KeepFree(span));
        }
        for (at, words) in self.drop.iter().enumerate() {
            wishes.push(Wish::Drop(title(&format!("drop[{at}]"), words)?));
        }
        for (at, one) in self.moved.iter().enumerate() {
            let to = ClockTime::parse(&field(&format!("move[{at}].to")), &one.to)?;
            let title = title(&format!("move[{at}].title"), &one.title)?;
            wishes.push(Wish::Move { title, to });
        }
        for (at, words) in self.first.iter().enumerate() {
            wishes.push(Wish::First(title(&format!("first[{at}]"), words)?));
        }
        Ok(())
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

fn field(name: &str) -> String {
    format!("changes.{name}")
}

fn title(name: &str, words: &str) -> Result<String, InputError> {
    match words.trim() {
        "" => {
            let problem = "is empty; name it by words of its title.";
            Err(InputError::new(&field(name), words, problem))
        }
        words => Ok(words.to_owned()),
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
