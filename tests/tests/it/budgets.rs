//! Checks the line budgets in `tests/budgets.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Room {
    folders: Vec<String>,
    limit: usize,
    goal: usize,
}

fn lines(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let count = |path: &Path| {
        if path.is_dir() && !path.ends_with("target") {
            lines(path)
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            fs::read_to_string(path).unwrap().lines().count()
        } else {
            0
        }
    };
    entries.map(|entry| count(&entry.path())).sum()
}

fn rooms() -> BTreeMap<String, Room> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("budgets.toml");
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_room_stays_within_its_budget() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut table, mut over) = (String::new(), Vec::new());
    let (mut total, mut goals) = (0, 0);
    for (name, room) in rooms() {
        let sizes = room.folders.iter().map(|folder| lines(&root.join(folder)));
        let size: usize = sizes.sum();
        let Room { limit, goal, .. } = room;
        writeln!(table, "{name:14}{size:8} of {limit:7}, goal {goal:7}").unwrap();
        if size > limit {
            over.push(format!(
                "{name} has {size} lines, at most {limit} are allowed"
            ));
        }
        total += size;
        goals += goal;
    }
    writeln!(table, "{:14}{total:8}            goal {goals:7}", "all").unwrap();
    // Read by `.ci/run`.
    let report = alfred_testkit::tools::target_dir().join("lines-by-room.txt");
    fs::write(report, table).unwrap();
    assert_eq!(over, Vec::<String>::new(), "see tests/budgets.toml");
    let all = lines(&root);
    assert_eq!(total, all, "some Rust file is in no room of budgets.toml");
}
