//! Days that differ, the same in every run, and what a plan does with their tasks.
use alfred_core::user::DayPreferences;
use alfred_planner::fit::{Job, Part, fit};
use alfred_planner::plan::{Change, PlannedBlock, Why};
use alfred_planner::{
    BlockType, ClockTime, DayPlan, DayRequest, Habits, Priority, ScoredTask, Task, TaskSource,
    TaskStatus, TimeBlock,
};
use jiff::SignedDuration;
use jiff::civil::date;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// splitmix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.roll(all.len() as u64)).unwrap()]
    }
}

/// The day of that number: from empty to full of meetings, from no task to sixteen, some of them half over.
pub fn day(number: u64) -> DayRequest {
    let mut dice = Dice(number.wrapping_mul(0xA076_1D64_78BD_642F));
    let on = date(2026, 11, 23) + jiff::Span::new().days(i64::try_from(number % 7).unwrap());
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let begins = on.to_zoned(zone.clone()).unwrap().timestamp();
    let hours = dice.one_of(&[-6, -6, -6, 9, 11, 14]);
    let now = begins + SignedDuration::from_hours(hours);
    let preferences = DayPreferences {
        focus_block_duration: dice.one_of(&[60, 90, 90, 90, 120]),
        break_frequency: dice.one_of(&[60, 90, 90, 120]),
        meeting_buffer: dice.one_of(&[0, 5, 15, 15]),
        slack_percent: dice.one_of(&[0, 15, 15, 15, 25]),
        work_end_time: dice.one_of(&["15:00", "17:00", "17:00", "18:30"]).into(),
        ..DayPreferences::default()
    };
    let meetings = dice.roll(8);
    let blocks = (0..meetings)
        .map(|number| meeting(number, &mut dice))
        .collect();
    let count = dice.roll(17);
    let tasks: Vec<Task> = (0..count)
        .map(|id| {
            let age = i64::try_from(dice.roll(16)).unwrap();
            let due = dice.one_of(&[
                None,
                None,
                None,
                Some(-1),
                Some(0),
                Some(0),
                Some(1),
                Some(4),
            ]);
            Task {
                id: format!("tsk_{id:02}").into(),
                title: format!("Task {id:02}"),
                description: String::new(),
                status: TaskStatus::Backlog,
                priority: dice.one_of(Priority::ALL),
                estimated_minutes: dice
                    .one_of(&[10, 15, 20, 30, 30, 45, 45, 60, 60, 75, 90, 120, 180]),
                due_date: due.map(|days: i64| on + jiff::Span::new().days(days)),
                source: TaskSource::Chat,
                created_at: begins - SignedDuration::from_hours(24 * age),
                block_id: None,
                tainted: false,
            }
        })
        .collect();
    DayRequest {
        date: on,
        now,
        habits: Habits::read(&preferences).unwrap(),
        blocks,
        tasks: ScoredTask::all(tasks, on, &zone),
        named: true,
        wishes: Vec::new(),
        zone,
    }
}

fn meeting(number: u64, dice: &mut Dice) -> TimeBlock {
    let start = 540 + 15 * u16::try_from(dice.roll(30)).unwrap();
    let length = dice.one_of(&[15, 30, 30, 30, 45, 60, 60, 90]);
    TimeBlock {
        id: format!("evt_{number}").into(),
        kind: BlockType::Meeting,
        title: format!("Meeting {number}"),
        start: ClockTime::from_minutes(start).unwrap(),
        end: ClockTime::from_minutes(start + length).unwrap(),
        description: String::new(),
        task_ids: Vec::new(),
        tainted: false,
    }
}

/// The tasks of a plan as the search takes them, in the order in which they deserve a place.
pub struct Placement {
    pub titles: Vec<String>,
    pub jobs: Vec<Job>,
    pub rooms: Vec<u32>,
    pub parts: Vec<Part>,
}

impl Placement {
    /// What a plan made of the tasks, read from its blocks alone.
    pub fn read(request: &DayRequest, plan: &DayPlan) -> Self {
        let tier = |task: &Task| match task.due_date {
            Some(due) if due <= request.date => 1,
            Some(due) if due == request.date.tomorrow().unwrap() => 2,
            _ => 3,
        };
        let mut tasks: Vec<&ScoredTask> = request.tasks.iter().collect();
        tasks.sort_by_key(|task| {
            let (task, score) = (&task.task, std::cmp::Reverse(task.score.score));
            let due = task.due_date.unwrap_or(jiff::civil::Date::MAX);
            (tier(task), score, due, task.created_at, task.id.clone())
        });
        let position: HashMap<&str, usize> = tasks
            .iter()
            .enumerate()
            .map(|(at, task)| (task.task.id.as_str(), at))
            .collect();
        let job = |task: &&ScoredTask| Job {
            minutes: task.minutes(),
            tier: tier(&task.task),
            score: task.score.score,
        };
        let jobs = tasks.iter().map(job).collect();
        let titles = tasks.iter().map(|task| task.task.title.clone()).collect();
        let (mut rooms, mut parts): (Vec<u32>, Vec<Part>) = (Vec::new(), Vec::new());
        let work =
            |block: &&PlannedBlock| block.kind == BlockType::Work && block.change == Change::New;
        for block in plan.blocks.iter().filter(work) {
            let minutes = u32::from(block.span.end().minutes() - block.span.start().minutes());
            match (&block.why, rooms.last_mut()) {
                // It was cut off the block in which a task goes on.
                (Why::Behind { .. }, Some(room)) => *room += minutes,
                _ => rooms.push(minutes),
            }
            parts.extend(block.tasks.iter().map(|task| Part {
                job: position[task.id.as_str()],
                room: rooms.len() - 1,
                minutes: task.minutes,
            }));
        }
        Self {
            titles,
            jobs,
            rooms,
            parts,
        }
    }

    /// The minutes that a task gets in the same rooms when some others aren't there.
    pub fn minutes_without(&self, own: usize, gone: impl Fn(usize) -> bool) -> u32 {
        let left: Vec<usize> = (0..self.jobs.len()).filter(|job| !gone(*job)).collect();
        let jobs: Vec<Job> = left.iter().map(|job| self.jobs[*job]).collect();
        let parts = fit(&jobs, &self.rooms);
        let own = parts.iter().filter(|part| left[part.job] == own);
        own.map(|part| part.minutes).sum()
    }

    /// The same rooms filled by whoever takes one task after the other, each into the first room that holds it.
    pub fn greedy(&self) -> Vec<Part> {
        let mut left = self.rooms.clone();
        let mut parts = Vec::new();
        for (job, Job { minutes, .. }) in self.jobs.iter().enumerate() {
            if let Some(room) = left.iter().position(|left| left >= minutes) {
                left[room] -= minutes;
                parts.push(Part {
                    job,
                    room,
                    minutes: *minutes,
                });
            }
        }
        parts
    }
}
