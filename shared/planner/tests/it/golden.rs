//! Days whose plan was thought through by hand: `tests/golden/*.json`, each with
//! the reason why its plan is right. `ALFRED_UPDATE_GOLDEN=1` writes the plans
//! anew; read the difference before you keep it.
use alfred_core::user::DayPreferences;
use alfred_planner::{
    BlockType, Changes, ClockTime, DayRequest, Habits, Priority, ScoredTask, Span, Task, TimeBlock,
    plan,
};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Day {
    why: String,
    date: Date,
    zone: String,
    /// On the wall clock there.
    now: DateTime,
    /// Whether its owner named the day.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    named: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    preferences: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Block>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Todo>,
    #[serde(default, skip_serializing_if = "is_none")]
    changes: Changes,
    plan: Vec<String>,
}

/// Type, title, start, end.
#[derive(Serialize, Deserialize)]
struct Block(BlockType, String, ClockTime, ClockTime);

fn is_none(changes: &Changes) -> bool {
    *changes == Changes::default()
}

/// Title, priority, minutes, due, days old.
#[derive(Serialize, Deserialize)]
struct Todo(String, Priority, u32, Option<Date>, i64);

impl Day {
    fn plan(&self) -> Vec<String> {
        let zone = TimeZone::get(&self.zone).unwrap();
        let now = zone.to_timestamp(self.now).unwrap();
        let preferences = serde_json::to_value(&self.preferences).unwrap();
        let preferences: DayPreferences = serde_json::from_value(preferences).unwrap();
        let blocks = self.blocks.iter().enumerate().map(|(at, block)| {
            let span = Span::new(block.2, block.3).unwrap();
            TimeBlock::new(format!("blk_{at}"), block.0, &block.1, span)
        });
        let tasks = self.tasks.iter().enumerate().map(|(at, todo)| Task {
            priority: todo.1,
            estimated_minutes: todo.2,
            due_date: todo.3,
            ..Task::new(
                format!("tsk_{at:03}"),
                todo.0.clone(),
                now - SignedDuration::from_hours(24 * todo.4),
            )
        });
        let request = DayRequest {
            date: self.date,
            now,
            habits: Habits::read(&preferences).unwrap(),
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

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn every_day_matches_its_reviewed_plan() {
    let update = std::env::var_os("ALFRED_UPDATE_GOLDEN").is_some();
    let files = files();
    assert!(files.len() >= 100, "{} days", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let mut day: Day = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(day.why.len() > 30, "{name}: why is the plan right?");
        let plan = day.plan();
        if update {
            day.plan = plan;
            let text = serde_json::to_string_pretty(&day).unwrap();
            std::fs::write(&file, text + "\n").unwrap();
        } else if plan != day.plan {
            wrong.push(format!(
                "{name}\n  now:\n    {}\n  expected:\n    {}",
                plan.join("\n    "),
                day.plan.join("\n    ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
