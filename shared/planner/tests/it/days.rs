//! Days that differ, the same in every run.
use alfred_core::user::DayPreferences;
use alfred_planner::{
    BlockType, ClockTime, DayClock, DayRequest, Habits, Priority, ScoredTask, Span, Task,
    TimeBlock, Wish,
};
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};

/// splitmix64.
pub struct Dice(u64);

impl Dice {
    pub fn new(number: u64) -> Self {
        Self(number.wrapping_mul(0xA076_1D64_78BD_642F))
    }

    pub fn roll(&mut self, sides: u16) -> u16 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u16::try_from((mixed ^ (mixed >> 31)) % u64::from(sides)).unwrap()
    }

    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let sides = u16::try_from(all.len()).unwrap();
        all[usize::from(self.roll(sides))].clone()
    }
}

pub fn time(minutes: u16) -> ClockTime {
    ClockTime::from_minutes(minutes).unwrap()
}

pub fn block(id: &str, kind: BlockType, start: u16, end: u16) -> TimeBlock {
    let span = Span::new(time(start), time(end)).unwrap();
    TimeBlock::new(id, kind, &format!("{kind} {id}"), span)
}

fn tasks(on: Date, zone: &TimeZone, dice: &mut Dice) -> Vec<ScoredTask> {
    let begins = on.to_zoned(zone.clone()).unwrap().timestamp();
    let count = dice.roll(17);
    let tasks = (0..count).map(|number| {
        let id = format!("{number:02}");
        let age = SignedDuration::from_hours(24 * i64::from(dice.roll(16)));
        let due = dice.one_of(&[99, 99, 99, -1, 0, 0, 1, 4]);
        let priority = dice.one_of(Priority::ALL);
        let minutes = dice.one_of(&[10, 15, 20, 30, 30, 45, 45, 60, 60, 75, 90, 120, 180]);
        Task {
            priority,
            estimated_minutes: minutes,
            due_date: (due < 99).then(|| on + due.days()),
            ..Task::new(format!("tsk_{id}"), format!("Task {id}"), begins - age)
        }
    });
    ScoredTask::all(tasks, on, zone)
}

/// The usual day of that number: from empty to full of meetings, from no task to sixteen, some of them half over.
pub fn day(number: u64) -> DayRequest {
    let mut dice = Dice::new(number);
    let date = date(2026, 11, 23) + i64::try_from(number % 7).unwrap().days();
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let hours = dice.one_of(&[-6, -6, -6, 9, 11, 14]);
    let preferences = DayPreferences {
        focus_block_duration: dice.one_of(&[60, 90, 90, 90, 120]),
        break_frequency: dice.one_of(&[60, 90, 90, 120]),
        meeting_buffer: dice.one_of(&[0, 5, 15, 15]),
        slack_percent: dice.one_of(&[0, 15, 15, 15, 25]),
        work_end_time: dice.one_of(&["15:00", "17:00", "17:00", "18:30"]).into(),
        ..DayPreferences::default()
    };
    let meetings = dice.roll(8);
    let meetings = (0..meetings).map(|number| {
        let start = 540 + 15 * dice.roll(30);
        let length = dice.one_of(&[15, 30, 30, 30, 45, 60, 60, 90]);
        let id = format!("evt_{number}");
        block(&id, BlockType::Meeting, start, start + length)
    });
    let begins = date.to_zoned(zone.clone()).unwrap().timestamp();
    DayRequest {
        date,
        now: begins + SignedDuration::from_hours(hours),
        habits: Habits::read(&preferences).unwrap(),
        blocks: meetings.collect(),
        tasks: tasks(date, &zone, &mut dice),
        named: true,
        wishes: Vec::new(),
        zone,
    }
}

/// An unusual day: odd habits and times, blocks of all kinds, a clock change, wishes.
pub fn unusual(number: u64) -> DayRequest {
    let mut dice = Dice::new(number);
    let (date, zone) = dice.one_of(&[
        (date(2026, 11, 23), "Europe/Berlin"),
        (date(2026, 3, 29), "Europe/Berlin"),
        (date(2026, 10, 25), "Europe/Berlin"),
        (date(2026, 9, 6), "America/Santiago"),
        (date(2026, 10, 4), "Australia/Lord_Howe"),
        (date(2026, 6, 1), "Asia/Kolkata"),
    ]);
    let zone = TimeZone::get(zone).unwrap();
    let clock = DayClock::new(date, &zone).unwrap();
    let from = dice.one_of(&[0, 1, 30, 36, 36, 36, 40]) * 15;
    let until = (from + 60 + 15 * dice.roll(44)).min(1_440);
    let habits = Habits {
        working: Span::new(time(from), time(until)).unwrap(),
        lunch: time(660 + 15 * dice.roll(12)),
        lunch_length: dice.one_of(&[0, 30, 45, 60]),
        focus: dice.one_of(&[15, 25, 45, 90, 120]),
        break_every: dice.one_of(&[30, 60, 90, 120]),
        email: dice.one_of(&[5, 15, 30, 60]),
        buffer: dice.one_of(&[0, 5, 15, 30]),
        slack: dice.one_of(&[0, 15, 30]),
    };
    let count = dice.roll(9);
    let blocks = (0..count).filter_map(|number| {
        let step = dice.one_of(&[1, 15]);
        let start = dice.one_of(&[60, 360]) + dice.roll(700);
        let (start, length) = (start / step * step, 5 + dice.roll(180));
        let kind = dice.one_of(BlockType::ALL);
        let mut block = block(&format!("blk_{number}"), kind, start, start + length);
        let titles = ["Thing", "Thing", "Lunch", "Focus time"];
        block.title = dice.one_of(&titles).into();
        clock.exists(block.span.start()).then_some(block)
    });
    let blocks = blocks.collect();
    let wishes = (0..dice.roll(3)).map(|_| wish(&mut dice)).collect();
    let now = dice.one_of(&[-300, -300, 400, 600, 800, 1_100]);
    let begins = date.to_zoned(zone.clone()).unwrap().timestamp();
    DayRequest {
        date,
        now: begins + SignedDuration::from_mins(now),
        habits,
        blocks,
        tasks: tasks(date, &zone, &mut dice),
        named: true,
        wishes,
        zone,
    }
}

fn wish(dice: &mut Dice) -> Wish {
    let at = time((32 + dice.roll(40)) * 15);
    let free = Span::new(at, at.plus(15 * u32::from(1 + dice.roll(20)))).unwrap();
    let (title, to) = ("thing".to_owned(), at);
    let dropped = Wish::Drop(title.clone());
    dice.one_of(&[
        Wish::LunchAt(at),
        Wish::NoLunch,
        Wish::NoFocusBefore(at),
        Wish::NoFocusAfter(at),
        Wish::NoMeetingsBefore(at),
        Wish::EmailAt(at),
        Wish::EmailFirst,
        Wish::OnlyFrom(at),
        Wish::NoEmail,
        Wish::NoBreaks,
        Wish::FocusAtMost(u32::from(at.minutes()) / 3),
        Wish::Move { title, to },
        dropped,
        Wish::First("task 03".to_owned()),
        Wish::KeepFree(free),
    ])
}
