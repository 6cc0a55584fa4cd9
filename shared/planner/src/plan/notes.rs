//! What a plan says beside its blocks.

use jiff::civil::Weekday;

use super::day::{Day, is_fixed};
use super::outcome::{Change, Note, PlannedBlock};
use super::stretch::{Stretch, without};
use crate::block::{BlockType, TimeBlock};
use crate::day_use::{Suggestion, Utilization};
use crate::span::Span;
use crate::wish::{Wish, is_meant};

/// Shorter stretches without a block need no note. In minutes.
const LEAST_FREE: u32 = 30;
/// Minutes that are left of a day on which missing time for e-mail is worth a note.
const WORTH_NOTING: u32 = 120;

impl Day<'_> {
    /// Adds all remarks about the finished plan.
    pub fn add_notes(&mut self, no_task: bool) {
        let mut notes = Vec::new();
        if self.window.is_none() {
            let ended = self.limits.working.end();
            let text = format!("The working day ended at {ended}: nothing new is planned.");
            notes.push(Note::Other(text));
        }
        if self.clock.length() != 1_440 {
            let hours = match (self.clock.length() / 60, self.clock.length() % 60) {
                (hours, 0) => hours.to_string(),
                (hours, minutes) => format!("{hours}:{minutes:02}"),
            };
            let text = format!("Clocks change: the day has {hours} hours.");
            notes.push(Note::Other(text));
        }
        notes.extend(self.kept_free());
        notes.append(&mut self.notes);
        notes.extend(self.overlaps());
        notes.extend(self.day_off());
        notes.extend(self.given_up());
        notes.extend(self.missing(no_task));
        for wish in &self.request.wishes {
            if let Wish::KeepFree(span) = wish {
                let planned = self.window.and_then(|window| span.within(window));
                let is_free = |span: &Span| !self.blocks.iter().any(|one| one.span.overlaps(*span));
                let free = planned.filter(is_free);
                notes.extend(
                    free.map(|span| Note::Other(format!("{span} stays free, as you asked."))),
                );
            }
            notes.extend(self.meetings_against(wish));
            if let Some(title) = self.unknown_title(wish) {
                notes.push(Note::Other(format!("No task or block fits \"{title}\".")));
            } else if !self.is_met(wish) {
                notes.push(Note::Other(format!("This could not be done: {wish}.")));
            }
        }
        notes.extend(self.advice());
        self.notes = notes;
    }

    /// Pairs of fixed blocks that share time.
    fn overlaps(&self) -> Vec<Note> {
        let fixed = self.blocks.iter().filter(|block| is_fixed(block.kind));
        let fixed: Vec<_> = fixed.filter(|block| !block.takes_the_day()).collect();
        let mut notes = Vec::new();
        for (at, first) in fixed.iter().enumerate() {
            for second in &fixed[at + 1..] {
                if let Some(shared) = first.span.within(second.span) {
                    let (first, second) = (&first.title, &second.title);
                    let text = format!("\"{first}\" and \"{second}\" overlap, {shared}.");
                    notes.push(Note::Other(text));
                }
            }
        }
        notes
    }

    fn day_off(&self) -> Option<Note> {
        let date = self.request.date;
        let day = date.strftime("%A");
        let weekend = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
        let text = match self.blocks.iter().find(|block| block.takes_the_day()) {
            Some(whole) => {
                format!(
                    "\"{}\" takes the whole day: nothing new is planned.",
                    whole.title
                )
            }
            None if !weekend || self.window.is_none() => return None,
            None if self.request.named => {
                format!("It is a {day}: planned because you asked for it.")
            }
            None => format!(
                "It is a {day}, planned because you named no day. Name another day if you don't work then."
            ),
        };
        Some(Note::Other(text))
    }

    /// What gave way to urgent tasks.
    fn given_up(&self) -> Vec<Note> {
        let (habits, left) = (&self.request.habits, self.limits.buffer);
        let percent = habits.slack;
        let unwanted = self.request.wishes.contains(&Wish::NoEmail);
        let has_email = self.of_kind(BlockType::Email).next().is_some();
        let email = self.limits.email.length == 0 && !unwanted && !has_email;
        let notes = [
            (self.limits.slack < percent).then(|| {
                format!("Due tasks take of the {percent} % that are kept for what comes up.")
            }),
            (left < habits.buffer)
                .then(|| format!("Due tasks leave {left} minutes free around meetings.")),
            email.then(|| "Due tasks take the time for e-mail.".to_owned()),
        ];
        notes.into_iter().flatten().map(Note::GaveWay).collect()
    }

    fn missing(&self, no_task: bool) -> Vec<Note> {
        let away = self.blocks.iter().any(PlannedBlock::takes_the_day);
        let Some(window) = self.window.filter(|_| !away) else {
            return Vec::new();
        };
        let long = self.clock.minutes(window) >= WORTH_NOTING;
        let mut work = self.of_kind(BlockType::Work);
        let empty = no_task && work.any(|block| block.change == Change::New);
        let notes = [
            (
                empty,
                "No task is open: the new work blocks are for whatever you like.",
            ),
            (self.wants_lunch(), "There is no room for lunch."),
            (self.wants_email() && long, "There is no room for e-mail."),
        ];
        let notes = notes.into_iter().filter(|(is, _)| *is);
        notes
            .map(|(_, text)| Note::Other(text.to_owned()))
            .collect()
    }

    /// Meetings at a time at which a wish wants none, and when else they could be.
    fn meetings_against(&self, wish: &Wish) -> Vec<Note> {
        let against = |span: Span| match wish {
            Wish::NoMeetingsBefore(time) => span.start() < *time,
            Wish::NoMeetingsAfter(time) => span.end() > *time,
            Wish::KeepFree(kept) => kept.overlaps(span),
            _ => false,
        };
        let mut notes = Vec::new();
        let meetings = self.of_kind(BlockType::Meeting);
        for meeting in meetings.filter(|meeting| against(meeting.span)) {
            let (title, span) = (&meeting.title, meeting.span);
            notes.push(Note::Other(format!(
                "\"{title}\" is at {span} ({wish}). Others may be invited, so it stays."
            )));
            if let Some(instead) = self.first_time(self.clock.minutes(span), &against) {
                notes.push(Note::Other(format!("\"{title}\" could be at {instead}.")));
            }
        }
        notes
    }

    /// The first time beside existing blocks and lunch that isn't against a wish.
    fn first_time(&self, minutes: u32, against: &impl Fn(Span) -> bool) -> Option<Span> {
        let mut before = self.clone();
        before
            .blocks
            .retain(|block| block.change != Change::New || self.is_lunch(block));
        let free = before.free().into_iter();
        let mut places = free.flat_map(|one| {
            let last = (one.to + 1).saturating_sub(minutes);
            let starts = (one.from..last).step_by(5);
            starts.map(|from| Stretch::new(from, from + minutes))
        });
        places.find_map(|place| self.span(place).filter(|span| !against(*span)))
    }

    /// The words of a wish that no title has, if any.
    fn unknown_title<'w>(&self, wish: &'w Wish) -> Option<&'w str> {
        let (title, is_block) = match wish {
            Wish::First(title) => (title, false),
            Wish::Drop(title) | Wish::Move { title, .. } => (title, self.request.has_block(title)),
            _ => return None,
        };
        (!is_block && !self.request.has_task(title)).then_some(title)
    }

    /// Whether the plan follows a wish about a title or a time. A block that can't move has a note of its own.
    fn is_met(&self, wish: &Wish) -> bool {
        let starts = |kind| self.of_kind(kind).map(|block| block.span.start());
        match wish {
            Wish::Drop(title) => {
                let mut removed = self.removed.iter();
                removed.any(|block| is_meant(&block.title, title)) || self.request.has_task(title)
            }
            Wish::Move { title, to } => {
                let mut planned = self.blocks.iter();
                self.request.has_block(title)
                    || planned.any(|block| block.span.start() == *to && !block.tasks.is_empty())
            }
            Wish::LunchAt(time) => starts(BlockType::Break).any(|start| start == *time),
            Wish::EmailAt(time) => starts(BlockType::Email).any(|start| start == *time),
            Wish::EmailFirst => {
                let email = starts(BlockType::Email).min();
                let work = starts(BlockType::Work).min();
                email.is_some_and(|email| work.is_none_or(|work| email < work))
            }
            _ => true,
        }
    }

    /// The analyser's suggestions that this plan newly causes, so that a later analysis adds none.
    fn advice(&self) -> Vec<Note> {
        let judge = |blocks: &[TimeBlock]| {
            let (working, slack) = (self.limits.working, self.request.habits.slack);
            Utilization::from_blocks(blocks, working, slack, self.clock).suggestions
        };
        let before = judge(&self.request.blocks);
        let row = |block: &PlannedBlock| {
            let id = block.id.clone().unwrap_or_else(|| "".into());
            TimeBlock::new(id, block.kind, &block.title, block.span)
        };
        let blocks: Vec<TimeBlock> = self.blocks.iter().map(row).collect();
        let kind = std::mem::discriminant;
        let known = |one: &Suggestion| before.iter().any(|old| kind(old) == kind(one));
        let new = judge(&blocks).into_iter().filter(|one| !known(one));
        new.map(Note::Advice).collect()
    }

    /// Stretches without a block in which more work would fit, if none of the day were kept for what comes up.
    fn kept_free(&self) -> Vec<Note> {
        let percent = self.limits.slack;
        if percent == 0 || self.limits.focus_at_most.is_some() {
            return Vec::new();
        }
        let kept = self.limits.keep_free.iter().map(|span| self.stretch(*span));
        let gaps = kept.fold(self.without_blocks(), without);
        let whole = self.window.map_or(0, |window| self.clock.minutes(window));
        let least = LEAST_FREE.min(whole);
        let work = self.work_time();
        let fits = |gap: &Stretch| {
            let mut inside = work.iter().filter(|one| one.overlaps(*gap));
            inside.any(|one| one.minutes() >= self.limits.shortest_focus())
        };
        let long = gaps
            .into_iter()
            .filter(|gap| gap.minutes() >= least && fits(gap));
        let spans = long.filter_map(|gap| self.span(gap));
        spans.map(|span| Note::KeptFree { span, percent }).collect()
    }
}
