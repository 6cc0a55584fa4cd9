//! Plays scenarios: text files that say which tools are called, and what each call shows.
//!
//! `alfred_testkit::play` says how a file is written. Each case starts in an empty workspace. `INSTA_UPDATE=always`
//! writes the outputs anew, for review.
//!
//! - `task_viewTasks {}` makes a call and shows all of its outcome. `task_viewTasks {} | tasks: title | total` shows
//!   the receipt, the taint and the named data alone: of each task its title, then the total. `*` names all data.
//! - `card`, `gate`, `to` and `look` before a call show its card, what the gate asks, its recipients, and what a look
//!   for a lost effect finds. `again` repeats the last call, and `undo` makes the calls that take it back.
//! - `tainted` before a call makes it in a run that has read other people's words, `hand` without a model, and
//!   `T1/U2` as another person.
//! - `propose workflow_schedule {}` shows a workflow's card and stores its proposal, from which a label after a `|`
//!   was left out.
//! - `begin TIME ZONE` registers U1 in a new workspace, and `at TIME` sets the clock.
//!   `wait TIME` does so while the request still runs. `stored.rs` and `give.rs` have
//!   the other commands that change what is there, and `show.rs` those that show it.

mod give;
mod json;
mod outcome;
mod setup;
mod show;
mod stored;
mod world;

use alfred_testkit::play::{Interpreter, assert_reviewed, play};

use world::World;

#[tokio::test(flavor = "multi_thread")]
async fn all_scenarios_are_as_reviewed() {
    let mut files: Vec<String> = Vec::new();
    for module in names("") {
        let folder = format!("{module}/scenarios");
        files.extend(names(&folder).map(|file| format!("{folder}/{file}")));
    }
    assert!(files.len() > 30);
    let played = files.into_iter().map(|file| tokio::spawn(check(file)));
    let played: Vec<_> = played.collect();
    for file in played {
        file.await.unwrap();
    }
}

/// The names of what is in a folder of `src`; none if it doesn't exist.
fn names(folder: &str) -> impl Iterator<Item = String> {
    let folder = format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap())
}

#[async_trait::async_trait]
impl Interpreter for World {
    async fn perform(&mut self, command: &str) -> String {
        self.run(command).await
    }
}

async fn check(file: String) {
    let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let now = play(&text, async || World::default()).await;
    assert_reviewed(&path, &text, &now);
}
