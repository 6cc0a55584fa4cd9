//! Tasks in their order, each into the first work blocks that have room.

use jiff::civil::Date;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::day::Stretch;
use super::frame::FOCUS_TITLE;
use super::{AssignedTask, Day, LeftOut, PlannedBlock, Rule, Urgency};
use crate::{BlockType, ScoredTask, TaskPart, TaskStatus, TimeBlock, Wish, is_meant};

/// Minutes of the shortest part of a split task; urgent ones may be split into shorter parts.
const SHORTEST_PART: u32 = 30;
const SHORTEST_URGENT_PART: u32 = 15;
/// A task that takes fewer minutes isn't split, unless it is urgent or longer than every work block.
const SPLIT_FROM: u32 = 60;
/// Titles of existing blocks that were made for any task.
const OPEN_TITLES: &str =
    "work, focus, focus work, focus time, focus block, deep work, work block, tasks, admin";

#[derive(Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub task: &'a ScoredTask,
    pub urgency: Urgency,
}

impl Ranked<'_> {
    fn is_meant(&self, words: &str) -> bool {
        is_meant(&self.task.task.title, words)
    }

    fn part(&self, minutes: u32) -> AssignedTask {
        AssignedTask {
            id: self.task.task.id.clone(),
            title: self.task.task.title.clone(),
            minutes,
            of: self.task.minutes(),
            urgency: self.urgency,
        }
    }
}

/// A work block and the minutes it has for tasks.
struct Room {
    block: usize,
    size: u32,
    left: u32,
    short: bool,
}

impl<'a> Day<'a> {
    /// The open tasks by tier, score, due date and the order of the backlog; and those that a wish drops.
    pub fn ranked(&self) -> (Vec<Ranked<'a>>, Vec<LeftOut>) {
        let blocks = self.request.blocks.iter();
        let assigned: HashSet<_> = blocks.flat_map(TimeBlock::task_ids).collect();
        let open = self.request.tasks.iter().filter(|task| {
            task.task.status == TaskStatus::Backlog && !assigned.contains(&task.task.id)
        });
        let ranked = open.map(|task| Ranked {
            task,
            urgency: self.urgency(task),
        });
        let mut ranked: Vec<Ranked<'a>> = ranked.collect();
        ranked.sort_by_key(|Ranked { task, urgency }| {
            let due = task.task.due_date.unwrap_or(Date::MAX);
            let made = (task.task.created_at, task.task.id.clone());
            (urgency.tier(), Reverse(task.score.score), due, made)
        });
        let mut dropped = Vec::new();
        ranked.retain(|one| {
            let wish = self.drops(one.task);
            dropped.extend(wish.map(|wish| LeftOut {
                why: format!("as you asked: {wish}"),
                part: one.part(one.task.minutes()),
            }));
            wish.is_none()
        });
        (ranked, dropped)
    }

    fn drops(&self, task: &ScoredTask) -> Option<&'a Wish> {
        let title = &task.task.title;
        let is_it = |wish: &&Wish| matches!(wish, Wish::Drop(words) if is_meant(title, words));
        self.request.wishes.iter().find(is_it)
    }

    fn urgency(&self, task: &ScoredTask) -> Urgency {
        let date = self.request.date;
        let (title, mut wishes) = (&task.task.title, self.request.wishes.iter());
        let first = wishes.any(|wish| matches!(wish, Wish::First(words) if is_meant(title, words)));
        match task.task.due_date {
            _ if first => Urgency::First,
            Some(due) if due < date => Urgency::Overdue(due),
            Some(due) if due == date => Urgency::DueToday,
            Some(due) if date.tomorrow().is_ok_and(|next| due == next) => Urgency::DueTomorrow,
            _ => Urgency::Score(task.score.score),
        }
    }

    /// Gives tasks that a wish names a block of their own at its time, unless an existing block has the title.
    pub fn place_named_tasks(&mut self, ranked: &mut Vec<Ranked<'a>>) {
        for wish in &self.request.wishes {
            if let Wish::Move { title, to } = wish
                && !self.request.has_block(title)
                && let Some(at) = ranked.iter().position(|one| one.is_meant(title))
                && let minutes = ranked[at].task.minutes()
                && let Some(span) = self.exactly(minutes, *to)
            {
                let rule = Rule::Wished(wish.clone());
                let mut block = PlannedBlock::new(BlockType::Work, FOCUS_TITLE, span, rule);
                block.tasks.push(ranked.remove(at).part(minutes));
                self.add(block);
            }
        }
    }

    /// Puts each task into the first block that holds all of it, or else splits it. Gives what has no place.
    pub fn assign(&mut self, ranked: &[Ranked<'a>]) -> Vec<LeftOut> {
        let mut rooms = self.rooms();
        let mut left_out = Vec::new();
        for task in ranked {
            let part = shortest_part(task, &rooms);
            let whole = |room: &Room, missing: u32| room.left >= missing;
            let parts = |room: &Room, missing: u32| room.left >= part.min(missing);
            let focus = |room: &Room, missing: u32| !room.short && parts(room, missing);
            let mut missing = self.place(task, task.task.minutes(), &mut rooms, whole);
            missing = self.place(task, missing, &mut rooms, focus);
            if self.limits.parts_in_gaps && task.urgency.is_urgent() {
                missing = self.place(task, missing, &mut rooms, parts);
            }
            if missing > 0 {
                let (part, why) = (task.part(missing), self.limit(&rooms));
                left_out.push(LeftOut { part, why });
            }
        }
        left_out
    }

    /// Puts minutes of a task into the first suitable rooms. Returns the minutes that found no room.
    fn place(
        &mut self,
        task: &Ranked<'_>,
        mut missing: u32,
        rooms: &mut [Room],
        will_do: impl Fn(&Room, u32) -> bool,
    ) -> u32 {
        for room in rooms {
            let minutes = missing.min(room.left);
            if minutes > 0 && will_do(room, missing) {
                self.blocks[room.block].tasks.push(task.part(minutes));
                room.left -= minutes;
                missing -= minutes;
            }
        }
        missing
    }

    /// The new work blocks, and existing future ones that were made for any task.
    fn rooms(&self) -> Vec<Room> {
        let tasks = self.request.tasks.iter();
        let minutes: HashMap<_, u32> = tasks.map(|task| (&task.task.id, task.minutes())).collect();
        let mut rooms = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut existing = self.request.blocks.iter();
            let row = existing.find(|row| block.id.as_ref() == Some(&row.id));
            // A task that isn't in the list may take any time.
            let used: Option<u32> = row.map_or(Some(0), |row| {
                let planned = |part: &TaskPart| part.minutes.or(minutes.get(&part.id).copied());
                row.tasks.iter().map(planned).sum()
            });
            let title = block.title.trim().to_lowercase();
            let future = block.span.start() >= self.from;
            let open =
                row.is_none() || (future && OPEN_TITLES.split(", ").any(|open| open == title));
            if let (BlockType::Work, true, true, Some(used)) =
                (block.kind, open, block.tasks.is_empty(), used)
            {
                let size = self.clock.minutes(block.span).saturating_sub(used);
                rooms.push(Room {
                    block: at,
                    size,
                    left: size,
                    short: block.rule == Rule::ShortGap,
                });
            }
        }
        rooms
    }

    /// The limit that keeps out the next task, in words.
    fn limit(&self, rooms: &[Room]) -> String {
        let mut wishes = self.request.wishes.iter();
        let wish = wishes.rfind(|wish| matches!(wish, Wish::FocusAtMost(_)));
        if let Some(wish) = wish {
            return format!("as you asked: {wish}");
        }
        let most = rooms.iter().map(|room| room.left).max().unwrap_or(0);
        let size: u32 = rooms.iter().map(|room| room.size).sum();
        let work_time = self.work_time().into_iter().map(Stretch::minutes).max();
        let could_work = work_time.unwrap_or(0) >= self.limits.shortest_focus();
        match self.limits.slack {
            slack @ 1.. if could_work => format!("{slack} % of the day is for the unexpected"),
            _ if rooms.is_empty() => "there is no work block left".to_owned(),
            _ if most > 0 => format!("the longest piece of work time left has {most} minutes"),
            _ => format!("the {size} minutes of work time are full"),
        }
    }

    /// Minutes of urgent tasks that have a place, by tier.
    pub fn urgent_minutes(&self) -> [u32; 2] {
        let tasks = self.blocks.iter().flat_map(|block| &block.tasks);
        [0, 1].map(|tier| {
            let own = tasks.clone().filter(|task| task.urgency.tier() == tier);
            own.map(|task| task.minutes).sum()
        })
    }
}

/// Minutes of the shortest part that a task may be split into; all of them if it may not be.
fn shortest_part(task: &Ranked<'_>, rooms: &[Room]) -> u32 {
    let longest = rooms.iter().map(|room| room.size).max().unwrap_or(0);
    match task.task.minutes() {
        _ if task.urgency.is_urgent() => SHORTEST_URGENT_PART,
        minutes if minutes >= SPLIT_FROM || minutes > longest => SHORTEST_PART,
        minutes => minutes,
    }
}
