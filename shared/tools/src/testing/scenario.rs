//! Runs scenarios: text files that say which tools are called, and what each call shows.
//!
//! A scenario begins with `# title` and starts in an empty workspace. A line that begins with `> ` is a command;
//! indented lines continue it. Lines that begin with `|` are the output of the command before. Other lines are
//! comments. `INSTA_UPDATE=always` writes the outputs anew, for review.

mod give;
mod json;
mod outcome;
mod setup;
mod show;
mod world;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use world::World;

/// Checks all scenarios in the folder `scenarios` of this module.
pub(crate) async fn check(module: &str) {
    let folder = format!("{}/src/{module}/scenarios", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut wrong = String::new();
    for file in files {
        wrong += &differences(&file).await;
    }
    let accept = "Accept intended changes with INSTA_UPDATE=always.";
    assert!(wrong.is_empty(), "{wrong}\n{accept}");
}

async fn differences(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let (mut now, mut wrong) = (String::new(), String::new());
    for scenario in scenarios(&text) {
        let played = play(scenario).await;
        if played != scenario {
            let title = scenario.lines().next().unwrap_or_default();
            let name = file.file_name().unwrap().display();
            let _ = writeln!(wrong, "{name}: {title}\n{}", changed(scenario, &played));
        }
        now += &played;
    }
    if !wrong.is_empty() && std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        std::fs::write(file, now).unwrap();
        return String::new();
    }
    wrong
}

fn scenarios(text: &str) -> Vec<&str> {
    let begins = text.match_indices("# ").map(|(at, _)| at);
    let begins = begins.filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let mut places: Vec<usize> = begins.collect();
    places.push(text.len());
    places
        .windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}

/// The scenario with the outputs that its commands give now.
async fn play(scenario: &str) -> String {
    let mut world = World::new();
    let mut played = String::new();
    let mut lines = scenario
        .lines()
        .filter(|line| !line.starts_with('|'))
        .peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(played, "{line}");
        let Some(command) = line.strip_prefix("> ") else {
            continue;
        };
        let mut command = command.to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with(' ')) {
            let _ = writeln!(played, "{more}");
            command += more;
        }
        for shown in world.run(&command).await.lines() {
            let _ = writeln!(played, "{}", format!("| {shown}").trim_end());
        }
    }
    played
}

/// The first lines in which the texts differ.
fn changed(expected: &str, played: &str) -> String {
    let alike = |(a, b): &(&str, &str)| a == b;
    let same = expected
        .lines()
        .zip(played.lines())
        .take_while(alike)
        .count();
    let part = |text: &str, sign: &str| -> String {
        let lines = text.lines().skip(same).take(8);
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    let before = expected.lines().take(same).last().unwrap_or_default();
    format!("  {before}\n{}{}", part(expected, "-"), part(played, "+"))
}
