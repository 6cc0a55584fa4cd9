//! Plays cases, whose commands look like this:
//!
//! ```text
//! with rate_limit                            begins anew with this option of the stand-in
//! for STEP in files.info upload_url          plays the steps below it for each value, each in a new workspace
//!   fail STEP 1 drop-before
//! root: says @ana @ana_dm hello              a step; `root` stands for the id of what it made from here on
//! post @ana_dm key in root                   shows what the step returns, and how long the client waited
//! ```

use alfred_slack_local::{Channel, Options};
use alfred_testkit::play::Interpreter;
use async_trait::async_trait;
use std::collections::BTreeSet;

use crate::world::{World, failed};

#[async_trait]
impl Interpreter for World {
    async fn perform(&mut self, command: &str) -> String {
        if let Some(series) = command.strip_prefix("for ") {
            return self.series(series).await;
        }
        let mut shown = Vec::new();
        for step in command.split("  ") {
            shown.extend(self.step(step).await);
        }
        shown.join("\n")
    }
}

impl World {
    /// What the steps show for all values: one output, unless the values differ.
    async fn series(&mut self, series: &str) -> String {
        let (values, steps) = series.split_once("  ").unwrap();
        let (name, values) = values.split_once(" in ").unwrap();
        let mut outputs = BTreeSet::new();
        for value in values.split(' ') {
            *self = Self::new().await;
            let shown = self.perform(&steps.replace(name, value)).await;
            outputs.insert(shown.replace(value, name));
        }
        outputs.into_iter().collect::<Vec<_>>().join("\n")
    }

    /// What a step returns, if anything, and the time that passed in it.
    async fn step(&mut self, line: &str) -> Vec<String> {
        let (name, step) = line.split_once(": ").unwrap_or(("", line));
        let names = self.names.iter();
        let step = names.fold(step.to_owned(), |step, (name, id)| step.replace(name, id));
        let words: Vec<&str> = step.split(' ').collect();
        let done = match self.arrange(&words).await {
            Some(done) => done,
            None => {
                let asked = self.ask(&words).await;
                asked.unwrap_or_else(|error| failed(&error))
            }
        };
        if !name.is_empty() {
            self.names.push((name.into(), self.last.clone()));
        }
        let names = self.names.iter();
        let done = names.fold(done, |done, (name, id)| done.replace(id, name));
        let done = (!done.is_empty()).then_some(done);
        done.into_iter().chain(self.waited()).collect()
    }
}

/// The options of the stand-in with this one.
pub fn options(option: &[&str]) -> Options {
    let mut options = Options::default();
    match option {
        ["rate_limit"] => options.rate_limit = true,
        ["file_looks", number] => options.file_looks = number.parse().unwrap(),
        ["channels", number] => {
            let known = options.seed.channels[0].clone();
            let more = (0..number.parse().unwrap()).map(|n| Channel {
                id: format!("C9{n:04}"),
                name: format!("c{n}"),
                ..known.clone()
            });
            options.seed.channels.extend(more);
        }
        other => panic!("{other:?}"),
    }
    options
}
