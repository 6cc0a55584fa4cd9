//! Puts a plan together.

use alfred_core::id::TaskId;
use std::collections::{HashMap, HashSet};

use super::assign::{self, Ranked, Slot};
use super::draft::Draft;
use super::fixed::{Circumstances, Present};
use super::idle::Places;
use super::outcome::{DayPlan, LeftOut, Note, PlannedBlock};
use super::place::Layout;
use super::reason::LeftOutWhy;
use super::rules::Rules;
use super::timeline::GRID;
use super::{DayRequest, idle, left, notes};
use crate::backlog::ScoredTask;
use crate::block::{BlockType, TimeBlock};
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::day_use::DayUse;
use crate::dst;
use crate::input::InputError;
use crate::span::Span;
use crate::task::TaskStatus;
use crate::wish::{Wish, is_meant};

/// A day in the making.
#[derive(Clone)]
pub(super) struct Day<'a> {
    pub request: &'a DayRequest,
    pub clock: DayClock,
    pub rules: Rules,
    /// What can be planned; `None` when there is nothing left of the day.
    pub window: Option<Span>,
    /// What starts before is past.
    pub from: ClockTime,
    pub present: Present,
    pub notes: Vec<Note>,
    pub tasks: Vec<&'a ScoredTask>,
    /// Blocks that were to move and can't.
    pub stuck: Vec<PlannedBlock>,
    /// Tasks at a time that a wish names.
    pub placed: Vec<(Span, TaskId)>,
}

impl<'a> Day<'a> {
    pub fn new(request: &'a DayRequest) -> Result<Self, InputError> {
        let clock = DayClock::new(request.date, &request.zone)?;
        let today = dst::date_at(request.now, &request.zone);
        if request.date < today {
            let problem = format!("is in the past: today is {today}.");
            return Err(InputError::new("date", &request.date.to_string(), problem));
        }
        let mut rules = Rules::new(&request.habits, &request.wishes, &clock)?;
        let now = clock.at_or_after(request.now);
        let from = request
            .only_from()
            .max(now.unwrap_or(ClockTime::END_OF_DAY));
        let window = window(rules.working, from, &clock);
        rules.begins_at(window.map_or(rules.working.start(), Span::start));
        let mut notes = rules.notes.clone();
        if window.is_none() {
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
        let present = Present::new(&request.blocks, &circumstances);
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
            from,
            present,
            notes,
            tasks,
            stuck: Vec::new(),
            placed: Vec::new(),
        })
    }

    /// The whole of it.
    pub fn plan(mut self) -> DayPlan {
        self.settle_uprooted();
        let (kept, dropped) = self.split_dropped();
        self.place_tasks(&kept);
        let ranked = assign::rank(&kept, self.request.date, &self.request.wishes);
        let mut draft = Draft::best(&self, &ranked);
        draft.put_tasks(&ranked);
        let places = draft.free_up();
        let mut left_out = left::left_out(&ranked, &draft.slots, &draft.assigned);
        left_out.extend(dropped);
        draft.split_blocks();
        let Draft {
            mut day,
            layout,
            blocks,
            ..
        } = draft;
        notes::add(&mut day, layout.as_ref());
        day.finish((blocks, left_out), layout.as_ref(), &places)
    }

    fn finish(
        mut self,
        (blocks, left_out): (Vec<PlannedBlock>, Vec<LeftOut>),
        layout: Option<&Layout>,
        places: &Places,
    ) -> DayPlan {
        let taken = || blocks.iter().map(|block| (block.kind, block.span));
        let part = self
            .window
            .map(|window| DayUse::of(taken(), window, &self.clock));
        let off = blocks.iter().any(PlannedBlock::takes_the_day);
        let whole = DayUse::of_day(taken(), self.rules.working, &self.clock);
        let too_full = whole.too_full(self.request.habits.slack).filter(|_| !off);
        self.notes.extend(too_full.map(Note::TooFull));
        DayPlan {
            planned: self.window,
            removed: self.present.removed,
            left_out,
            idle: layout.map_or_else(Vec::new, |layout| {
                idle::explain(&layout.time, places, &self.rules)
            }),
            notes: self.notes,
            available_minutes: part.map_or(0, |part| part.minutes),
            planned_minutes: part.map_or(0, |part| part.planned),
            blocks,
        }
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
            of: task.minutes(),
            why: LeftOutWhy::Dropped,
        });
        (kept, out.collect())
    }

    /// The work blocks that take tasks: new ones, and those that were made for no task in particular.
    pub fn slots(&self, blocks: &[PlannedBlock], ranked: &[Ranked<'_>]) -> Vec<Slot> {
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
        let mut slots = Vec::new();
        for (position, block) in blocks.iter().enumerate() {
            if block.kind != BlockType::Work {
                continue;
            }
            let row = block.id.as_ref().and_then(|id| standing.get(id.as_str()));
            let used: Option<u32> = row.map_or(Some(0), |row| {
                row.task_ids.iter().map(|id| minutes.get(id).copied()).sum()
            });
            let future = block.span.start() >= self.from;
            let open = row.is_none() || (future && is_open_title(&block.title));
            let (true, Some(used)) = (open, used) else {
                continue;
            };
            let placed = self.placed.iter().find(|(span, _)| *span == block.span);
            let reserved = placed
                .filter(|_| block.id.is_none())
                .and_then(|(_, id)| ranked.iter().position(|task| task.task.task.id == *id));
            slots.push(Slot {
                block: position,
                minutes: self.clock.minutes(block.span).saturating_sub(used),
                reserved,
            });
        }
        slots
    }
}

/// The working day, from now on, rounded up to the grid. Where it starts or
/// ends at a time that clocks skip, it does so at the change.
fn window(working: Span, from: ClockTime, clock: &DayClock) -> Option<Span> {
    let rounded = from.minutes().div_ceil(GRID) * GRID;
    let from = ClockTime::from_minutes(rounded)?.max(working.start());
    let start = (from.minutes()..=ClockTime::END_OF_DAY.minutes())
        .filter_map(ClockTime::from_minutes)
        .find(|time| clock.exists(*time))?;
    let end = match clock.exists(working.end()) {
        true => working.end(),
        false => clock.plus(ClockTime::MIDNIGHT, clock.elapsed(working.end()))?,
    };
    let span = Span::new(start, end)?;
    (clock.minutes(span) > 0).then_some(span)
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
