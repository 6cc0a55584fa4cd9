//! Time, deliveries and faults.
//!
//! - `after 61 min` moves the clock, and sweeps; `at TIME` as well. `minutes 12` does so each minute. `settle` lets
//!   everything end. `lose` takes the next message out of the queues.
//! - `fail chat.post before missing_scope` fails the next such call, `… 3 times` the next three. The errors of Slack are
//!   `away`, `unknown`, `limited:SECONDS`, or a code.
//! - `the same with a fault at every store call: FACTS`, or `at every store.commit`, plays the case again, with a fault at each call of the store
//!   since the last event, and compares the facts.
//! - `policy {"tools": {"slack_sendMessage": "blocked"}}` sets the approval settings; `careful` asks for
//!   every tool.
//! - `budget model_calls 2` limits what a person may use in a day.
//! - `otherwise : words` sets the model's answer to all that isn't scripted.

use alfred_core::policy::Setting;
use alfred_core::ports::ChatError;
use alfred_testkit::{STORE_FAULTS, When};
use std::time::Duration;

use super::Story;
use super::accounts::account_error;
use crate::in_memory::world::World;

const PORTS: [&str; 6] = ["chat", "mail", "calendar", "documents", "sheets", "web"];
const STORE_CALLS: [&str; 3] = ["store.get", "store.query", "store.commit"];

/// The number of calls of each kind.
#[derive(Clone)]
pub struct CallCounts([usize; STORE_CALLS.len()]);

impl CallCounts {
    pub fn of(world: &World) -> Self {
        Self(STORE_CALLS.map(|call| world.faults.calls(call)))
    }
}

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn happens(&mut self, act: &str) -> bool {
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        match verb {
            "otherwise" => self.script.otherwise(rest),
            "settle" => self.world.settle().await,
            "after" => {
                self.world.clock.advance(duration(rest));
                self.world.sweep().await;
            }
            "fail" => self.fail(rest),
            "budget" => self.budget(rest),
            "policy" => {
                let mut config = (*self.world.ports.config).clone();
                config.policy = serde_json::from_str(rest).unwrap();
                self.world.reconfigure(config);
            }
            "careful" => {
                let mut config = (*self.world.ports.config).clone();
                let tools = alfred_tools::catalogue();
                let asked = tools
                    .iter()
                    .map(|tool| (tool.def().name.to_string(), Setting::Ask));
                config.policy.tools = asked.collect();
                self.world.reconfigure(config);
            }
            "minutes" => {
                for _ in 0..rest.parse::<u32>().unwrap() {
                    self.world.clock.advance(Duration::from_secs(60));
                    self.world.sweep().await;
                }
            }
            "at" => {
                self.world.clock.set(rest.parse().unwrap());
                self.world.sweep().await;
            }
            "lose" => assert!(self.world.next().is_some(), "nothing is queued"),
            _ => return false,
        }
        true
    }

    /// `model_calls 2`: what a person may use in a day.
    fn budget(&mut self, rest: &str) {
        let (field, most) = rest.split_once(' ').unwrap();
        let most = most.parse().unwrap();
        let mut config = (*self.world.ports.config).clone();
        let budget = &mut config.daily_budget;
        match field {
            "model_calls" => budget.model_calls = most,
            "outward_effects" => budget.outward_effects = most,
            _ => panic!("no budget {field}"),
        }
        self.world.reconfigure(config);
    }

    fn fail(&self, rest: &str) {
        let words: Vec<&str> = rest.split(' ').collect();
        let call: &'static str = words[0].to_owned().leak();
        let (when, code) = (words[1], words[2]);
        let when = match when {
            "after" => When::After,
            "before" => When::Before,
            _ => panic!("neither before nor after: {rest}"),
        };
        let kind = call.split('.').next().unwrap();
        assert!(PORTS.contains(&kind), "no port {kind}");
        let times = words.get(3).map_or(1, |times| times.parse().unwrap());
        for _ in 0..times {
            if call.starts_with("chat.") {
                self.world.faults.fail_next(call, when, chat_error(code));
            } else {
                self.world.faults.fail_next(call, when, account_error(code));
            }
        }
    }

    /// Compares facts after a fault at every call of this kind since the last event; of all kinds for `store call`.
    pub(super) async fn same_with_faults(&mut self, kind: &str, facts: &str) -> String {
        let (before, counts) = self.last.clone().unwrap();
        let is_anew = self.told[before].starts_with("anew: ");
        assert!(!is_anew, "a fresh world would lose the fault");
        self.world.settle().await;
        let all = CallCounts::of(&self.world);
        let expected = self.facts(facts).await;
        let mut different = Vec::new();
        let mut tried = 0;
        let calls = STORE_CALLS.into_iter().enumerate();
        for (at, call) in calls.filter(|(_, call)| [call, "store call"].contains(&kind)) {
            for number in counts.0[at] + 1..=all.0[at] {
                for (when, error) in STORE_FAULTS {
                    let mut other = self.told_again(before).await;
                    other.world.faults.fail_at(call, number, when, error());
                    for command in &self.told[before..] {
                        other.tell(command.clone()).await;
                    }
                    other.world.settle().await;
                    let found = other.facts(facts).await;
                    if found != expected || !other.world.dead.is_empty() {
                        different.push(format!("{call} {number} {when:?}: {found}"));
                    }
                    tried += 1;
                }
            }
        }
        assert!(tried > 10, "{tried} faults");
        if different.is_empty() {
            return "the same each time".to_owned();
        }
        different[..different.len().min(3)].join("\n")
    }
}

fn duration(text: &str) -> Duration {
    let (number, unit) = text.split_once(' ').unwrap();
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 3_600,
        _ => panic!("no unit {unit}"),
    };
    Duration::from_secs(number.parse::<u64>().unwrap() * seconds)
}

fn chat_error(code: &str) -> ChatError {
    let detail = || "planned".to_owned();
    match code {
        "away" => ChatError::NotSent { detail: detail() },
        "unknown" => ChatError::Unknown { detail: detail() },
        code => match code.strip_prefix("limited:") {
            Some(seconds) => ChatError::RateLimited {
                retry_after: Duration::from_secs(seconds.parse().unwrap()),
            },
            None => ChatError::Refused {
                method: "chat.postMessage",
                code: code.to_owned(),
            },
        },
    }
}
