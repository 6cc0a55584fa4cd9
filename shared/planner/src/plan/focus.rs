//! The rules for focus blocks with their breaks, and for short tasks.

use super::day::{Day, REST, Stretch};
use super::frame::{BREAK_TITLE, FOCUS_TITLE, SHORT_TITLE};
use super::outcome::Rule;
use crate::{BlockType, Wish};

/// Minutes of the shortest block for short tasks.
const SHORT_BLOCK: u32 = 15;

impl Day<'_> {
    /// Fills work time with focus blocks, from the morning on, until only the slack is left.
    pub fn place_focus(&mut self) {
        for stretch in self.work_time() {
            let mut left = self.before_rest(stretch);
            let mut follows = false;
            while let Some(end) = self.place_next_focus(left, follows) {
                (left.from, follows) = (end, true);
            }
        }
    }

    /// The stretch without the rest before existing work that follows it, if one is due by then. Meetings have buffers.
    fn before_rest(&self, stretch: Stretch) -> Stretch {
        let every = self.limits.break_every.unwrap_or(u32::MAX);
        let focus = stretch.minutes().min(self.limits.focus);
        let work = self.of_kind(BlockType::Work);
        let mut work = work.map(|block| self.stretch(block.span));
        let next = work.find(|next| (stretch.to..stretch.to + REST).contains(&next.from));
        let next = next.filter(|next| focus + next.minutes() > every);
        let to = next.map(|next| self.grid_before(next.from.saturating_sub(REST)));
        Stretch::new(stretch.from, to.unwrap_or(stretch.to))
    }

    /// Places a focus block at the start of a stretch, after a break if one is due or if the block follows another.
    /// Gives the block's end.
    fn place_next_focus(&mut self, stretch: Stretch, follows: bool) -> Option<u32> {
        let shortest = self.limits.shortest_focus();
        let worked = self.worked_until(stretch.from);
        let every = self.limits.break_every;
        let due = every.is_some_and(|every| follows || worked > 0 && worked + shortest > every);
        let pause = if due { self.limits.break_length } else { 0 };
        let from = self.grid_after(stretch.from + pause);
        let (minutes, ends) = self.longest_focus(Stretch { from, ..stretch }, from - stretch.from);
        let to = self.grid_before(from + minutes);
        if to < from + shortest {
            return None;
        }
        if due {
            let rule = Rule::Break { after: worked };
            let pause = Stretch::new(stretch.from, from);
            self.put(BlockType::Break, BREAK_TITLE, pause, rule);
        }
        let place = Stretch::new(from, to);
        self.put(BlockType::Work, FOCUS_TITLE, place, Rule::Focus(ends));
        Some(to)
    }

    /// The minutes of a focus block after a pause, and the limit that ends it.
    fn longest_focus(&self, stretch: Stretch, pause: u32) -> (u32, String) {
        let percent = self.limits.slack;
        let open = self.open_minutes().saturating_sub(pause);
        let slack = format!("shorter, to keep {percent} % of the day free");
        let mut limits = vec![
            (self.limits.focus, "a whole focus block".to_owned()),
            (stretch.minutes(), self.what_follows(stretch.to)),
            (open, slack),
        ];
        if let Some(every) = self.limits.break_every {
            let until_break = "focus until a break is due".to_owned();
            let worked = self.worked_until(stretch.from);
            let worked = if pause > 0 { 0 } else { worked };
            limits.push((every.saturating_sub(worked), until_break.clone()));
            // A block ends earlier if another one fits after the break then.
            let another = self.limits.break_length + self.limits.shortest_focus();
            let after = stretch.minutes().saturating_sub(self.limits.focus);
            if self.limits.break_length < after && after < another && stretch.minutes() <= open {
                limits.push((stretch.minutes() - another, until_break));
            }
        }
        if let Some(most) = self.limits.focus_at_most {
            limits.push((self.focus_left(), as_asked(&Wish::FocusAtMost(most))));
        }
        let first = limits.into_iter().min_by_key(|(minutes, _)| *minutes);
        first.unwrap_or_default()
    }

    /// Minutes of focus work that a wish still allows.
    fn focus_left(&self) -> u32 {
        let work = self.of_kind(BlockType::Work);
        let done: u32 = work.map(|block| self.clock.minutes(block.span)).sum();
        let most = self.limits.focus_at_most.unwrap_or(u32::MAX);
        most.saturating_sub(done)
    }

    /// What ends work time at the end of a stretch.
    fn what_follows(&self, end: u32) -> String {
        let span = self.span(Stretch::new(end, end + 5));
        let wish = span.and_then(|span| self.limits.wish_against(BlockType::Work, span));
        let near = end + self.limits.buffer.max(REST) + 5;
        let mut blocks = self.blocks.iter();
        let next = blocks.find(|block| (end..near).contains(&self.stretch(block.span).from));
        match (wish, next) {
            (Some(wish), _) => as_asked(wish),
            (None, Some(next)) => format!("focus until \"{}\"", next.title),
            (None, None) => "focus until the end of the working day".to_owned(),
        }
    }

    /// Buffers shrink in gaps that hold no focus block, so that short tasks fit.
    pub fn place_short_tasks(&mut self) {
        let mut gaps = self.without_forbidden(self.free());
        let focus = self.limits.shortest_focus();
        let work_time = self.work_time().into_iter();
        for long in work_time.filter(|one| one.minutes() >= focus) {
            gaps.retain(|gap| !gap.overlaps(long));
        }
        let meetings = self.of_kind(BlockType::Meeting);
        let meetings: Vec<Stretch> = meetings.map(|block| self.stretch(block.span)).collect();
        for gap in gaps {
            let margin = |beside: bool| self.limits.least_buffer() * u32::from(beside);
            let after = meetings.iter().any(|one| gap.from.abs_diff(one.to) < 5);
            let before = meetings.iter().any(|one| one.from.abs_diff(gap.to) < 5);
            let from = self.grid_after(gap.from + margin(after));
            let to = self.grid_before(gap.to.saturating_sub(margin(before)));
            let place = Stretch::new(from, to);
            let minutes = place.minutes();
            let every = self.limits.break_every.unwrap_or(u32::MAX);
            let open = self.open_minutes().min(self.focus_left());
            let rested = self.worked_until(place.from) + minutes <= every;
            if (SHORT_BLOCK..=open).contains(&minutes) && rested {
                self.put(BlockType::Work, SHORT_TITLE, place, Rule::ShortGap);
            }
        }
    }
}

fn as_asked(wish: &Wish) -> String {
    format!("shorter, as you asked: {wish}")
}
