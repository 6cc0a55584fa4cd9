//! Runs scenarios, which look like this:
//!
//! ```text
//! ## what it is about
//! for STEP in files.info upload_url          runs it for each value; a second line runs it for each pair
//! with rate_limit                            options of the stand-in
//! root: says @ana @ana_dm hello              a step; `root` stands for the id of what it made from here on
//! post @ana_dm key in root
//! = posted in @ana_dm                        what the step returns, and how long the client waited
//! ```

use alfred_slack_local::seed::ALFRED;
use alfred_slack_local::{Channel, ChannelKind, Options};

use crate::world::{World, failed};

/// Plays all scenarios of a file, each in a new workspace.
pub async fn check(file: &str) {
    let mut wrong = Vec::new();
    for scenario in file.split("\n## ").skip(1) {
        for scenario in variants(scenario) {
            let seen = play(&scenario).await;
            if seen.trim_end() != scenario.trim_end() {
                wrong.push(format!("## {seen}"));
            }
        }
    }
    assert!(wrong.is_empty(), "seen instead:\n{}", wrong.join("\n"));
}

/// The scenario with each value of its `for` lines.
fn variants(scenario: &str) -> Vec<String> {
    let mut variants = vec![scenario.to_owned()];
    for line in scenario
        .lines()
        .filter_map(|line| line.strip_prefix("for "))
    {
        let (name, values) = line.split_once(" in ").unwrap();
        let with = |known: &String| -> Vec<String> {
            let values = values.split(' ');
            values.map(|value| known.replace(name, value)).collect()
        };
        variants = variants.iter().flat_map(with).collect();
    }
    variants
}

fn options(scenario: &str) -> Options {
    let mut options = Options::default();
    for line in scenario
        .lines()
        .filter_map(|line| line.strip_prefix("with "))
    {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("rate_limit", _) => options.rate_limit = true,
            ("file_looks", number) => options.file_looks = number.parse().unwrap(),
            ("channels", number) => options
                .seed
                .channels
                .extend(channels(number.parse().unwrap())),
            other => panic!("{other:?}"),
        }
    }
    options
}

fn channels(number: usize) -> impl Iterator<Item = Channel> {
    (0..number).map(|n| Channel {
        id: format!("C9{n:04}"),
        name: format!("c{n}"),
        kind: ChannelKind::Public,
        members: vec![ALFRED.into()],
        created: 0,
    })
}

/// The scenario with what its steps return.
async fn play(scenario: &str) -> String {
    let mut world = World::new(options(scenario)).await;
    let mut lines: Vec<String> = Vec::new();
    let steps = scenario.lines().filter(|line| !line.starts_with("= "));
    for (number, line) in steps.enumerate() {
        lines.push(line.to_owned());
        let is_step = number > 0 && !line.starts_with("for ") && !line.starts_with("with ");
        if !is_step || line.is_empty() {
            continue;
        }
        let (name, step) = line.split_once(": ").unwrap_or(("", line));
        let step = world.with_values(step);
        let words: Vec<&str> = step.split(' ').collect();
        let done = match world.arrange(&words).await {
            Some(done) => done,
            None => {
                let asked = world.ask(&words).await;
                asked.unwrap_or_else(|error| failed(&error))
            }
        };
        if !name.is_empty() {
            world.name_last(name);
        }
        let done = world.with_names(&done);
        lines.extend((!done.is_empty()).then(|| format!("= {done}")));
        lines.extend(world.waited());
    }
    lines.join("\n")
}
