//! Ana's reminders and jobs, and sweeps.
//!
//! - `sweeps after 5 min` and `sweeps at TIME` move the clock and sweep. What that queues waits for `deliver`.
//! - `zone Europe/Atlantis` gives her jobs another time zone, such as one that the database no longer has.
//! - Fact: `jobs`: the state of each job, its runs and failures in a row, the meetings told of, and when it is due.

use alfred_core::keys;
use alfred_core::ports::{Item, Query, QueueName, Range, Store};
use alfred_schedule::Job;
use alfred_tests::sweep;
use serde_json::json;
use std::fmt::Write as _;

use super::Story;
use super::faults::duration;
use crate::in_memory::world::team;

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn schedules(&mut self, act: &str) -> bool {
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        match verb {
            "sweeps" => {
                match rest.split_once(' ').unwrap() {
                    ("after", rest) => self.world.clock.advance(duration(rest)),
                    ("at", time) => self.world.clock.set(time.parse().unwrap()),
                    _ => panic!("neither after nor at: {rest}"),
                }
                let world = &mut self.world;
                world.deliver_until_done(QueueName::Runs, sweep()).await;
            }
            "zone" => {
                for mut item in self.job_rows().await {
                    item.body["zone"] = json!(rest);
                    self.world.store.damage(&item.key, item.body);
                }
            }
            _ => return false,
        }
        true
    }

    async fn job_rows(&self) -> Vec<Item> {
        let jobs = Query::state(keys::jobs(&team(), &"U1".into()), Range::All);
        self.world.store.query(&jobs).await.unwrap().items
    }

    pub(super) async fn jobs(&self) -> Vec<String> {
        let rows = self.job_rows().await.into_iter();
        let jobs = rows.map(|row| serde_json::from_value(row.body).unwrap());
        jobs.map(|job: Job| shown(&job)).collect()
    }
}

fn shown(job: &Job) -> String {
    let state = serde_json::to_value(job.state).unwrap();
    let words = ["is", "why"].map(|field| state[field].as_str().unwrap_or_default());
    let mut shown = format!("{}: {}", job.name, words.join(" ").trim_end());
    let (runs, failures, told) = (job.runs, job.failures, job.told.len());
    let _ = write!(shown, ", {runs} runs, {failures} failures, {told} told");
    if let Some(next) = job.next {
        let _ = write!(shown, ", next {}", next.at);
    }
    shown
}
