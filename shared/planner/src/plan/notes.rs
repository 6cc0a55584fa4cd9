//! What a plan says beside its blocks.

use jiff::civil::Weekday;

use super::day::{Stretch, without};
use super::{Change, Day, Note, PlannedBlock};
use crate::{BlockType, Span, Suggestion, TimeBlock, Utilization, Wish, is_meant};

/// Shorter stretches without a block need no note. In minutes.
const LEAST_FREE: u32 = 30;
/// Minutes that are left of a day on which missing time for e-mail is worth a note.
const WORTH_NOTING: u32 = 120;

impl Day<'_> {
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Note::Other(text.into()));
    }

    pub fn add_notes(&mut self) {
        let mut not_moved = std::mem::take(&mut self.notes);
        if self.window.is_none() {
            let ended = self.limits.working.end();
            let text = format!("The working day ended at {ended}: nothing new is planned.");
            self.note(text);
        }
        let (hours, minutes) = (self.clock.length() / 60, self.clock.length() % 60);
        if (hours, minutes) != (24, 0) {
            let rest = (minutes > 0).then(|| format!(":{minutes:02}"));
            let rest = rest.unwrap_or_default();
            self.note(format!("Clocks change: the day has {hours}{rest} hours."));
        }
        self.notes.extend(self.kept_free());
        self.notes.append(&mut not_moved);
        self.note_overlaps();
        self.note_day_off();
        self.notes.extend(self.gave_way().map(Note::GaveWay));
        self.note_missing();
        for wish in &self.request.wishes {
            if let Wish::KeepFree(span) = wish
                && let Some(span) = self.window.and_then(|window| span.within(window))
                && !self.blocks.iter().any(|one| one.span.overlaps(span))
            {
                self.note(format!("{span} stays free, as you asked."));
            }
            self.note_meetings_against(wish);
            if let Some(text) = self.unmet(wish) {
                self.note(text);
            }
        }
        self.notes.extend(self.advice());
    }

    /// Pairs of fixed blocks that share time.
    fn note_overlaps(&mut self) {
        let mut fixed = self.blocks.clone();
        fixed.retain(|block| block.kind.is_fixed() && !block.kind.takes_the_day(block.span));
        for (at, first) in fixed.iter().enumerate() {
            for second in &fixed[at + 1..] {
                if let Some(shared) = first.span.within(second.span) {
                    let (first, second) = (&first.title, &second.title);
                    self.note(format!("\"{first}\" and \"{second}\" overlap, {shared}."));
                }
            }
        }
    }

    fn note_day_off(&mut self) {
        let date = self.request.date;
        let (day, weekday) = (date.strftime("%A"), date.weekday());
        let weekend = matches!(weekday, Weekday::Saturday | Weekday::Sunday);
        let mut blocks = self.blocks.iter();
        if let Some(whole) = blocks.find(|one| one.kind.takes_the_day(one.span)) {
            let title = &whole.title;
            let text = format!("\"{title}\" takes the whole day: nothing new is planned.");
            self.note(text);
        } else if weekend && self.window.is_some() {
            self.note(if self.request.named {
                format!("It is a {day}: planned because you asked for it.")
            } else {
                format!("It is a {day}, planned because you named no day. Name another day if you don't work then.")
            });
        }
    }

    /// What gave way to urgent tasks.
    fn gave_way(&self) -> impl Iterator<Item = String> + use<> {
        let (habits, left) = (&self.request.habits, self.limits.buffer);
        let (percent, wanted) = (habits.slack, habits.buffer);
        let unwanted = self.request.wishes.contains(&Wish::NoEmail);
        let has_email = self.of_kind(BlockType::Email).next().is_some();
        let email = self.limits.email.length == 0 && !unwanted && !has_email;
        let slack = format!("Due tasks use part of the {percent} % left free for the unexpected.");
        let buffers =
            format!("Due tasks leave only {left} of {wanted} minutes free around meetings.");
        let texts = [
            (self.limits.slack < percent).then_some(slack),
            (left < wanted).then_some(buffers),
            email.then(|| "Due tasks take the time for e-mail.".to_owned()),
        ];
        texts.into_iter().flatten()
    }

    fn note_missing(&mut self) {
        let mut blocks = self.blocks.iter();
        let away = blocks.any(|one| one.kind.takes_the_day(one.span));
        let Some(window) = self.window.filter(|_| !away) else {
            return;
        };
        let is_new_work =
            |block: &PlannedBlock| block.kind == BlockType::Work && block.change == Change::New;
        if self.no_task && self.blocks.iter().any(is_new_work) {
            self.note("No open tasks: focus blocks are empty.");
        }
        if self.wants_lunch() {
            self.note("There is no room for lunch.");
        }
        if self.wants_email() && self.clock.minutes(window) >= WORTH_NOTING {
            self.note("There is no room for e-mail.");
        }
    }

    /// Meetings at a time at which a wish wants none, and when else they could be.
    fn note_meetings_against(&mut self, wish: &Wish) {
        let against = |span: Span| match wish {
            Wish::NoMeetingsBefore(time) => span.start() < *time,
            Wish::NoMeetingsAfter(time) => span.end() > *time,
            Wish::KeepFree(kept) => kept.overlaps(span),
            _ => false,
        };
        let mut meetings: Vec<PlannedBlock> = self.of_kind(BlockType::Meeting).cloned().collect();
        meetings.retain(|meeting| against(meeting.span));
        for PlannedBlock { title, span, .. } in meetings {
            let stays = "Others may be invited, so it stays.";
            self.note(format!("\"{title}\" is at {span} ({wish}). {stays}"));
            if let Some(instead) = self.first_time(self.clock.minutes(span), &against) {
                self.note(format!("\"{title}\" could be at {instead}."));
            }
        }
    }

    /// The first time beside existing blocks and lunch that isn't against a wish.
    fn first_time(&self, minutes: u32, against: &impl Fn(Span) -> bool) -> Option<Span> {
        let mut before = self.clone();
        let stays = |block: &PlannedBlock| block.change != Change::New || self.is_lunch(block);
        before.blocks.retain(stays);
        let mut places = before.free().into_iter().flat_map(|one| {
            let last = (one.to + 1).saturating_sub(minutes);
            let starts = (one.from..last).step_by(5);
            starts.map(|from| Stretch::new(from, from + minutes))
        });
        places.find_map(|place| self.span(place).filter(|span| !against(*span)))
    }

    /// The remark about a wish whose title or time the plan doesn't follow. A block that can't move has a note of its own.
    fn unmet(&self, wish: &Wish) -> Option<String> {
        let request = self.request;
        let starts = |kind| self.of_kind(kind).map(|block| block.span.start());
        let named = match wish {
            Wish::First(title) => Some((title, request.has_task(title))),
            Wish::Drop(title) | Wish::Move { title, .. } => {
                Some((title, request.has_task(title) || request.has_block(title)))
            }
            _ => None,
        };
        if let Some((title, false)) = named {
            return Some(format!("No task or block fits \"{title}\"."));
        }
        let is_met = match wish {
            Wish::Drop(title) => {
                let mut removed = self.removed.iter();
                removed.any(|block| is_meant(&block.title, title)) || request.has_task(title)
            }
            Wish::Move { title, to } => {
                let mut planned = self.blocks.iter();
                planned.any(|one| {
                    let (is_named, start) = (is_meant(&one.title, title), one.span.start());
                    let moves = !one.kind.is_fixed() && start >= self.from;
                    is_named && moves || start == *to && (is_named || !one.tasks.is_empty())
                })
            }
            Wish::LunchAt(time) => starts(BlockType::Break).any(|start| start == *time),
            Wish::EmailAt(time) => starts(BlockType::Email).any(|start| start == *time),
            Wish::EmailFirst => {
                let email = starts(BlockType::Email).min();
                let work = starts(BlockType::Work).min();
                email.is_some_and(|email| work.is_none_or(|work| email < work))
            }
            _ => true,
        };
        (!is_met).then(|| format!("This could not be done: {wish}."))
    }

    /// The analyser's suggestions that this plan newly causes, so that a later analysis adds none.
    fn advice(&self) -> Vec<Note> {
        let judge = |blocks: &[TimeBlock]| {
            let (working, slack) = (self.limits.working, self.request.habits.slack);
            Utilization::from_blocks(blocks, working, slack, self.clock).suggestions
        };
        let before = judge(&self.request.blocks);
        let row = |block: &PlannedBlock| TimeBlock::new("", block.kind, "", block.span);
        let blocks: Vec<TimeBlock> = self.blocks.iter().map(row).collect();
        let kind = std::mem::discriminant;
        let known = |one: &Suggestion| before.iter().any(|old| kind(old) == kind(one));
        let new = judge(&blocks).into_iter().filter(|one| !known(one));
        new.map(Note::Advice).collect()
    }

    /// Stretches without a block in which more work would fit, if none of the day were left free.
    fn kept_free(&self) -> Vec<Note> {
        let percent = self.limits.slack;
        if percent == 0 || self.limits.focus_at_most.is_some() {
            return Vec::new();
        }
        let kept = self.limits.keep_free.iter();
        let kept = kept.map(|(span, _)| self.stretch(*span));
        let gaps = kept.fold(self.without_blocks(), without);
        let whole = self.window.map_or(0, |window| self.clock.minutes(window));
        let least = LEAST_FREE.min(whole);
        let work = self.work_time();
        let fits = |gap: &Stretch| {
            let mut inside = work.iter().filter(|one| one.overlaps(*gap));
            inside.any(|one| one.minutes() >= self.limits.shortest_focus())
        };
        let gaps = gaps.into_iter();
        let long = gaps.filter(|gap| gap.minutes() >= least && fits(gap));
        let spans = long.filter_map(|gap| self.span(gap));
        spans.map(|span| Note::KeptFree { span, percent }).collect()
    }
}
