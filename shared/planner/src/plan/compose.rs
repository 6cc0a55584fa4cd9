//! Puts a plan together.

use alfred_core::id::TaskId;
use std::collections::{HashMap, HashSet};

use super::assign::{self, Ranked, Slot};
use super::fixed::{Circumstances, Present, Standing};
use super::layout::{self, Placed, Step, Wanted};
use super::outcome::{AssignedTask, Change, DayPlan, LeftOut, LeftOutWhy, Note, PlannedBlock, Why};
use super::rules::Rules;
use super::timeline::{GRID, Timeline};
use super::{DayRequest, explain, idle};
use crate::backlog::ScoredTask;
use crate::block::{BlockType, TimeBlock};
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::dst;
use crate::gaps;
use crate::input::InputError;
use crate::span::Span;
use crate::task::TaskStatus;
use crate::utilization::Utilization;
use crate::wish::{Wish, is_meant};

/// Long tasks that get a block of their own.
const MOST_LONG: usize = 2;

/// A day in the making.
pub(super) struct Day<'a> {
    pub request: &'a DayRequest,
    pub clock: DayClock,
    pub rules: Rules,
    /// What can be planned; `None` when there is nothing left of the day.
    pub window: Option<Span>,
    pub present: Present,
    pub notes: Vec<Note>,
    tasks: Vec<&'a ScoredTask>,
    /// Positions of tasks with a block of their own, with the position of that block among the standing ones.
    long: Vec<(TaskId, usize)>,
}

/// New blocks on a timeline.
pub(super) struct Layout {
    pub time: Timeline,
    pub placed: Vec<Placed>,
    /// Whether a wish cut focus work short.
    pub cut: bool,
}

impl<'a> Day<'a> {
    pub fn new(request: &'a DayRequest) -> Result<Self, InputError> {
        let clock = DayClock::new(request.date, &request.zone)?;
        let today = dst::date_at(request.now, &request.zone);
        if request.date < today {
            let problem = format!("is in the past: today is {today}.");
            return Err(InputError::new("date", &request.date.to_string(), problem));
        }
        let rules = Rules::of(&request.habits, &request.wishes, &clock)?;
        let from = clock
            .at_or_after(request.now)
            .unwrap_or(ClockTime::END_OF_DAY);
        let resting = request.habits.rest_days.contains(&request.date.weekday());
        let window = window(rules.working, from, &clock).filter(|_| !resting);
        let mut notes = rules.notes.clone();
        if resting {
            notes.push(Note::RestDay);
        } else if window.is_none() {
            let ended = rules.working.end();
            notes.push(Note::DayOver { ended });
        }
        if clock.length() != 1_440 {
            let minutes = clock.length();
            notes.push(Note::ClockChange { minutes });
        }
        let circumstances = Circumstances {
            rules: &rules,
            wishes: &request.wishes,
            clock: &clock,
            from,
        };
        let present = Present::of(&request.blocks, &request.events, &circumstances);
        let assigned: HashSet<&TaskId> = request.blocks.iter().flat_map(|b| &b.task_ids).collect();
        let tasks = request
            .tasks
            .iter()
            .filter(|task| task.task.status == TaskStatus::Backlog)
            .filter(|task| !assigned.contains(&task.task.id))
            .collect();
        Ok(Self {
            request,
            clock,
            rules,
            window,
            present,
            notes,
            tasks,
            long: Vec::new(),
        })
    }

    /// The whole of it.
    pub fn plan(mut self) -> DayPlan {
        self.settle_uprooted();
        let (kept, dropped) = self.split_dropped();
        let ranked = assign::rank(&kept, self.request.date, &self.request.wishes);
        let mut layout = self.lay_out();
        if let Some(first) = &layout {
            if self.reserve_long(&ranked, first) {
                layout = self.lay_out();
            }
        }
        let considered = self.tasks.len();
        explain::notes(&mut self, layout.as_ref());
        let mut blocks = explain::blocks(&self, layout.as_ref());
        let slots = self.slots(&blocks, &ranked);
        let inside = assign::assign(&ranked, &slots);
        for (slot, tasks) in slots.iter().zip(&inside) {
            blocks[slot.block].tasks = tasks.iter().map(|task| assigned(&ranked[*task])).collect();
        }
        let mut left_out = assign::left_out(&ranked, &slots, &inside);
        left_out.extend(dropped);
        self.finish(blocks, left_out, layout.as_ref(), considered)
    }

    fn finish(
        self,
        blocks: Vec<PlannedBlock>,
        left_out: Vec<LeftOut>,
        layout: Option<&Layout>,
        considered: usize,
    ) -> DayPlan {
        let as_blocks: Vec<TimeBlock> = blocks.iter().map(plain).collect();
        let available = self.window.map_or(0, |window| self.clock.minutes(window));
        let free: u32 = self.window.map_or(0, |window| {
            let free = gaps::free(&as_blocks, window, &self.clock);
            free.iter().map(|gap| gap.duration).sum()
        });
        DayPlan {
            date: self.request.date,
            planned: self.window,
            utilization: Utilization::of(&as_blocks, self.rules.working, &self.clock),
            blocks,
            removed: self.present.removed,
            left_out,
            idle: layout.map_or_else(Vec::new, |layout| {
                let taken: Vec<_> = layout.placed.iter().map(|p| (p.from, p.to)).collect();
                idle::explain(&layout.time, &taken, &self.rules, layout.cut)
            }),
            notes: self.notes,
            available_minutes: available,
            planned_minutes: available - free,
            considered,
        }
    }

    /// Gives blocks that have to move the nearest place that is free.
    fn settle_uprooted(&mut self) {
        for uprooted in std::mem::take(&mut self.present.uprooted) {
            let mut block = uprooted.block;
            let place = self.nearest(&block, uprooted.to);
            match place {
                Some(span) => {
                    block.change = Change::Moved { from: block.span };
                    block.span = span;
                    block.why = Why::Wished(uprooted.wish);
                }
                None => self.notes.push(Note::NotMoved {
                    title: block.title.clone(),
                    wish: uprooted.wish,
                }),
            }
            self.present.standing.push(block);
            self.present
                .standing
                .sort_by(|a, b| (a.span, &a.title).cmp(&(b.span, &b.title)));
        }
    }

    fn nearest(&self, block: &Standing, to: Option<ClockTime>) -> Option<Span> {
        let time = self.timeline()?;
        let minutes = self.clock.minutes(block.span);
        let target = to.unwrap_or(block.span.start()).minutes();
        let mut starts: Vec<usize> = (0..time.pieces.len()).collect();
        starts.sort_by_key(|mark| (time.marks[*mark].time.minutes().abs_diff(target), *mark));
        let (from, to) = match block.kind {
            BlockType::Work => time.room(starts, minutes, |piece| piece.takes_work()),
            _ => time.room(starts, minutes, |piece| piece.is_free()),
        }?;
        time.span(from, to)
    }

    fn timeline(&self) -> Option<Timeline> {
        let window = self.window?;
        Some(Timeline::of(
            window,
            &self.present.standing,
            &self.rules,
            &self.clock,
        ))
    }

    fn lay_out(&self) -> Option<Layout> {
        let time = self.timeline()?;
        let placed = layout::search(&time, &self.rules, self.wanted());
        let mut layout = Layout {
            time,
            placed,
            cut: false,
        };
        if let Some(most) = self.rules.focus_at_most {
            let standing = self
                .present
                .standing
                .iter()
                .filter(|b| b.kind == BlockType::Work);
            let kept: u32 = standing.map(|block| self.clock.minutes(block.span)).sum();
            layout.cut_focus(most.saturating_sub(kept), self.rules.shortest_work());
        }
        Some(layout)
    }

    /// Lunch and e-mail are planned unless they are there, or their time is over.
    pub fn wanted(&self) -> Wanted {
        let circumstances = Circumstances {
            rules: &self.rules,
            wishes: &self.request.wishes,
            clock: &self.clock,
            from: ClockTime::MIDNIGHT,
        };
        let standing = &self.present.standing;
        let has_lunch = standing.iter().any(|block| circumstances.is_lunch(block));
        let has_email = standing.iter().any(|block| block.kind == BlockType::Email);
        let in_time = self.rules.lunch.as_ref().is_some_and(|lunch| {
            self.window.is_some_and(|window| {
                let ends = u32::from(lunch.at.minutes()) + lunch.length;
                u32::from(window.start().minutes()) < ends
                    && ends <= u32::from(self.rules.working.end().minutes())
            })
        });
        Wanted {
            lunch: in_time && !has_lunch,
            email: self.rules.email.is_some() && !has_email,
        }
    }

    /// Gives the most pressing tasks that are longer than any focus block a block of their own.
    fn reserve_long(&mut self, ranked: &[Ranked<'_>], layout: &Layout) -> bool {
        let longest = layout
            .placed
            .iter()
            .filter(|placed| placed.step == Step::Work)
            .map(|placed| layout.time.minutes(placed.from, placed.to))
            .chain([self.rules.focus])
            .max()
            .unwrap_or(0);
        let pressing = |(place, task): &(usize, &Ranked<'_>)| {
            let due = !matches!(task.urgency, super::Urgency::Score(_));
            (due || *place == 0) && task.task.minutes() > longest
        };
        let long: Vec<&Ranked<'_>> = ranked
            .iter()
            .enumerate()
            .filter(pressing)
            .map(|(_, task)| task)
            .take(MOST_LONG)
            .collect();
        for task in long {
            self.reserve(task.task);
        }
        !self.long.is_empty()
    }

    fn reserve(&mut self, task: &ScoredTask) {
        let Some(time) = self.timeline() else {
            return;
        };
        let lunch = self
            .rules
            .lunch
            .as_ref()
            .filter(|_| self.wanted().lunch)
            .and_then(|lunch| {
                let end = lunch
                    .at
                    .minutes()
                    .checked_add(u16::try_from(lunch.length).ok()?)?;
                Span::new(lunch.at, ClockTime::from_minutes(end)?)
            });
        let starts = 0..time.pieces.len();
        let clear = starts.filter(|from| {
            let reach = time.reach(*from, |piece| piece.takes_work());
            let to = (*from..=reach).find(|to| time.minutes(*from, *to) >= task.minutes());
            let span = to.and_then(|to| time.span(*from, to));
            span.is_some_and(|span| !lunch.is_some_and(|lunch| lunch.overlaps(span)))
        });
        let Some((from, to)) = time.room(clear, task.minutes(), |piece| piece.takes_work()) else {
            return;
        };
        let Some(span) = time.span(from, to) else {
            return;
        };
        let title = task.task.title.clone();
        self.long.push((task.task.id.clone(), 0));
        self.present.standing.push(Standing {
            id: None,
            event_id: None,
            kind: BlockType::Work,
            title: explain::FOCUS_TITLE.to_owned(),
            span,
            change: Change::New,
            why: Why::LongTask { title },
            tainted: task.task.tainted,
        });
        self.present
            .standing
            .sort_by(|a, b| (a.span, &a.title).cmp(&(b.span, &b.title)));
    }

    fn split_dropped(&self) -> (Vec<&'a ScoredTask>, Vec<LeftOut>) {
        let dropped = |task: &&&ScoredTask| {
            let meant = |wish: &Wish| match wish {
                Wish::Drop(title) => is_meant(&task.task.title, title),
                _ => false,
            };
            self.request.wishes.iter().any(meant)
        };
        let (out, kept): (Vec<&ScoredTask>, Vec<&ScoredTask>) =
            self.tasks.iter().partition(|task| dropped(task));
        let out = out.into_iter().map(|task| LeftOut {
            id: task.task.id.clone(),
            title: task.task.title.clone(),
            minutes: task.minutes(),
            why: LeftOutWhy::Dropped,
        });
        (kept, out.collect())
    }

    /// The work blocks that take tasks: new ones, and those that were made for no task in particular.
    fn slots(&self, blocks: &[PlannedBlock], ranked: &[Ranked<'_>]) -> Vec<Slot> {
        let minutes: HashMap<&TaskId, u32> = self
            .request
            .tasks
            .iter()
            .map(|task| (&task.task.id, task.minutes()))
            .collect();
        let standing: HashMap<&str, &TimeBlock> = self
            .request
            .blocks
            .iter()
            .map(|b| (b.id.as_str(), b))
            .collect();
        let from = self.clock.at_or_after(self.request.now);
        let mut slots = Vec::new();
        for (position, block) in blocks.iter().enumerate() {
            if block.kind != BlockType::Work {
                continue;
            }
            let row = block.id.as_ref().and_then(|id| standing.get(id.as_str()));
            let used: Option<u32> = row.map_or(Some(0), |row| {
                row.task_ids.iter().map(|id| minutes.get(id).copied()).sum()
            });
            let future = from.is_some_and(|from| block.span.start() >= from);
            let open = row.is_none() || (future && is_open_title(&block.title));
            let (true, Some(used)) = (open, used) else {
                continue;
            };
            let reserved = match &block.why {
                Why::LongTask { title } => ranked.iter().position(|task| {
                    task.task.task.title == *title
                        && self.long.iter().any(|(id, _)| *id == task.task.task.id)
                }),
                _ => None,
            };
            slots.push(Slot {
                block: position,
                start: block.span.start(),
                minutes: block.minutes.saturating_sub(used),
                reserved,
            });
        }
        slots
    }
}

impl Layout {
    /// Keeps the first `most` minutes of new focus work.
    fn cut_focus(&mut self, most: u32, shortest: u32) {
        let mut left = most;
        let time = &self.time;
        let mut cut = false;
        self.placed.retain_mut(|placed| {
            if placed.step != Step::Work {
                return true;
            }
            let minutes = time.minutes(placed.from, placed.to);
            if minutes > left {
                cut = true;
                let fits = |to: &usize| time.minutes(placed.from, *to) <= left;
                placed.to = (placed.from..placed.to)
                    .rev()
                    .find(fits)
                    .unwrap_or(placed.from);
            }
            let kept = time.minutes(placed.from, placed.to);
            if kept < shortest {
                left = 0;
                return false;
            }
            left -= kept;
            true
        });
        self.cut = cut;
        self.drop_idle_breaks();
    }

    /// A break that nothing follows is none.
    fn drop_idle_breaks(&mut self) {
        let starts: HashSet<usize> = self.placed.iter().map(|placed| placed.from).collect();
        let ends: HashSet<usize> = self.placed.iter().map(|placed| placed.to).collect();
        let time = &self.time;
        self.placed.retain(|placed| {
            let busy = |at: usize| time.pieces.get(at).is_some_and(|piece| !piece.is_free());
            let followed = starts.contains(&placed.to) || busy(placed.to);
            let preceded =
                ends.contains(&placed.from) || (placed.from > 0 && busy(placed.from - 1));
            !matches!(placed.step, Step::Break(_)) || (followed && preceded)
        });
    }
}

/// The working day, from now on, rounded up to the grid.
fn window(working: Span, from: ClockTime, clock: &DayClock) -> Option<Span> {
    let rounded = from.minutes().div_ceil(GRID) * GRID;
    let from = ClockTime::from_minutes(rounded)?.max(working.start());
    let span = Span::new(from, working.end())?;
    (clock.minutes(span) > 0).then_some(span)
}

fn assigned(task: &Ranked<'_>) -> AssignedTask {
    AssignedTask {
        id: task.task.task.id.clone(),
        title: task.task.task.title.clone(),
        minutes: task.task.minutes(),
        score: task.task.score.score,
        why: task.urgency,
    }
}

/// A block that was made for whatever is to be done.
fn is_open_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let open = [
        "work",
        "focus",
        "focus work",
        "focus time",
        "focus block",
        "deep work",
        "work block",
        "tasks",
        "admin",
    ];
    open.contains(&title.as_str())
}

fn plain(block: &PlannedBlock) -> TimeBlock {
    TimeBlock {
        id: block.id.clone().unwrap_or_default(),
        kind: block.kind,
        title: block.title.clone(),
        start: block.span.start(),
        end: block.span.end(),
        description: String::new(),
        task_ids: Vec::new(),
        tainted: block.tainted,
    }
}
