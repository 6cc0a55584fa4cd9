//! Days whose plan was thought through by hand: `tests/golden/*.json`, each with the reason why its plan is right.
//! `ALFRED_UPDATE_GOLDEN=1` writes the plans anew; read the difference before you keep it.
use alfred_core::user::DayPreferences;
use alfred_planner::{
    BlockType, Changes, ClockTime, DayRequest, Habits, Priority, ScoredTask, Span, Task, TimeBlock,
    plan,
};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Day {
    why: String,
    date: Date,
    zone: String,
    /// On the wall clock there.
    now: DateTime,
    /// Whether its owner named the day.
    named: bool,
    preferences: DayPreferences,
    /// Type, title, start, end.
    blocks: Vec<(BlockType, String, ClockTime, ClockTime)>,
    /// Title, priority, minutes, due, days old.
    tasks: Vec<(String, Priority, u32, Option<Date>, i64)>,
    changes: Changes,
    plan: Vec<String>,
}

impl Day {
    fn plan(&self) -> Vec<String> {
        let zone = TimeZone::get(&self.zone).unwrap();
        let now = zone.to_timestamp(self.now).unwrap();
        let blocks = self.blocks.iter().enumerate();
        let blocks = blocks.map(|(at, (kind, title, start, end))| {
            let span = Span::new(*start, *end).unwrap();
            TimeBlock::new(format!("blk_{at}"), *kind, title, span)
        });
        let tasks = self.tasks.iter().enumerate();
        let tasks = tasks.map(|(at, (title, priority, minutes, due, days))| {
            let made = now - SignedDuration::from_hours(24 * days);
            Task {
                priority: *priority,
                estimated_minutes: *minutes,
                due_date: *due,
                ..Task::new(format!("tsk_{at:03}"), title.clone(), made)
            }
        });
        let request = DayRequest {
            date: self.date,
            now,
            habits: Habits::read(&self.preferences).unwrap(),
            blocks: blocks.collect(),
            tasks: ScoredTask::all(tasks, self.date, &zone),
            named: self.named,
            wishes: self.changes.wishes().unwrap(),
            zone,
        };
        match plan(&request) {
            Ok(plan) => plan.lines(),
            Err(error) => vec![format!("error: {error}")],
        }
    }
}

#[test]
fn every_day_matches_its_reviewed_plan() {
    let update = std::env::var_os("ALFRED_UPDATE_GOLDEN").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = std::fs::read_dir(folder).unwrap();
    let files: BTreeSet<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 100, "{} days", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let day: Day = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(day.why.len() > 30, "{name}: why is the plan right?");
        let plan = day.plan();
        if update {
            let (facts, _) = text.split_once("\n  \"plan\":").unwrap();
            let plan = serde_json::to_string_pretty(&json!({ "plan": plan })).unwrap();
            std::fs::write(&file, format!("{facts}{}\n", &plan[1..])).unwrap();
        } else if plan != day.plan {
            let [now, expected] = [&plan, &day.plan].map(|plan| plan.join("\n    "));
            let both = format!("{name}\n  now:\n    {now}\n  expected:\n    {expected}");
            wrong.push(both);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
