//! Time, deliveries and faults.
//!
//! - `after 61 min` moves the clock, and sweeps; `at TIME` as well. `minutes 12` does so each minute. `settle` lets
//!   everything end. `lose` takes the next message out of the queues.
//! - `fail chat.post before missing_scope` fails the next such call, `… 3` the next three, `fail model.turn+1 …` the one
//!   after it. The errors of Slack are `away`, `unknown`, `limited:SECONDS`, or a code.
//! - `the same with a fault at every store call: FACTS`, or `at every store.commit`, plays the case again, with a fault at each call of the store
//!   since the last event or since `faults from here`, and compares the facts.
//! - `policy {"tools": {"slack_sendMessage": "blocked"}}` sets the approval settings; `careful` asks for
//!   every tool.
//! - `budget model_calls 2` limits what a person may use in a day, `budget scheduled model_calls 2` what their jobs may.
//! - `live` lets requests show live messages, and `the live message is deleted` does what an administrator may.
//! - `otherwise : words` sets the model's answer to all that isn't scripted.

use alfred_core::policy::{Mode, Setting};
use alfred_core::ports::{ChatError, ModelError, PageError, SearchError};
use alfred_testkit::{STORE_FAULTS, When, unsent};
use std::any::Any;
use std::time::Duration;

use super::Story;
use super::accounts::account_error;
use crate::in_memory::world::World;

const PORTS: &str = "chat mail calendar documents sheets model search pages";
const CALLS: [&str; 4] = ["store.get", "store.query", "store.commit", "queue.send"];

/// For how long the queue takes no message twice.
const DEDUPLICATION: Duration = Duration::from_secs(300);

/// The number of calls of each kind.
#[derive(Clone)]
pub struct CallCounts([usize; CALLS.len()]);

impl CallCounts {
    pub fn of(world: &World) -> Self {
        Self(CALLS.map(|call| world.faults.calls(call)))
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
                let duration = duration(rest);
                self.world.clock.advance(duration);
                self.remembered += duration;
                if self.remembered >= DEDUPLICATION {
                    self.world.queue.forget_dedup();
                    self.remembered = Duration::ZERO;
                }
                self.world.sweep().await;
            }
            "fail" => self.fail(rest),
            "budget" => self.budget(rest),
            "policy" => {
                self.world.reconfigure(|config| {
                    config.policy = serde_json::from_str(rest).unwrap();
                    config.real_slack = config.policy.mode != Mode::ApproveAll;
                });
            }
            "careful" => {
                let tools = alfred_tools::catalogue();
                let names = tools.iter().map(|tool| tool.def().name.to_string());
                let ask = names.map(|name| (name, Setting::Ask)).collect();
                self.world.reconfigure(|config| config.policy.tools = ask);
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
            "faults" => {
                assert_eq!(rest, "from here");
                let counts = CallCounts::of(&self.world);
                self.faults_from = Some((self.told.len(), counts));
            }
            "live" => self.world.change_ports(|ports| ports.live = true),
            "lose" => assert!(self.world.next().is_some(), "nothing is queued"),
            _ => return false,
        }
        true
    }

    /// `model_calls 2`: what a person may use in a day.
    fn budget(&mut self, rest: &str) {
        self.world.reconfigure(|config| {
            let (budget, rest) = match rest.strip_prefix("scheduled ") {
                Some(rest) => (&mut config.scheduled_budget, rest),
                None => (&mut config.daily_budget, rest),
            };
            let (field, most) = rest.split_once(' ').unwrap();
            let most = most.parse().unwrap();
            match field {
                "model_calls" => budget.model_calls = most,
                "outward_effects" => budget.outward_effects = most,
                _ => panic!("no budget {field}"),
            }
        });
    }

    fn fail(&mut self, rest: &str) {
        let words: Vec<&str> = rest.split(' ').collect();
        let (call, skipped) = words[0].split_once('+').unwrap_or((words[0], "0"));
        let call: &'static str = call.to_owned().leak();
        let skipped: usize = skipped.parse().unwrap();
        let (when, code) = (words[1], words[2]);
        let when = match when {
            "after" => When::After,
            "before" => When::Before,
            _ => panic!("neither before nor after: {rest}"),
        };
        let kind = call.split('.').next().unwrap();
        assert!(PORTS.split(' ').any(|port| port == kind), "no port {kind}");
        let times = words.get(3).map_or(1, |times| times.parse().unwrap());
        let first = self.world.faults.calls(call) + 1 + skipped;
        self.planned.push((call, first));
        for _ in 0..times {
            match kind {
                "chat" => self.plan(call, skipped, when, chat_error(code)),
                "model" => self.plan(call, skipped, when, model_error(code)),
                "search" => self.plan(call, skipped, when, search_error(code)),
                "pages" => self.plan(call, skipped, when, page_error(code)),
                _ => self.plan(call, skipped, when, account_error(kind, code)),
            }
        }
    }

    /// Each planned fault, and whether its call came.
    pub(super) fn met_faults(&self) -> impl Iterator<Item = (String, bool)> {
        self.planned.iter().map(|(call, first)| {
            let met = self.world.faults.calls(call) >= *first;
            (format!("a call of {call} to fail"), met)
        })
    }

    /// Fails the next call that has no fault yet, or the one after so many.
    fn plan(&self, call: &'static str, skipped: usize, when: When, error: impl Any + Send) {
        let faults = &self.world.faults;
        match skipped {
            0 => faults.fail_next(call, when, error),
            _ => faults.fail_at(call, faults.calls(call) + 1 + skipped, when, error),
        }
    }

    /// Compares facts after a fault at every call of this kind since the last event; of all kinds for `store call`.
    pub(super) async fn same_with_faults(&mut self, kind: &str, facts: &str) -> String {
        let since = self.faults_from.take().or_else(|| self.last.clone());
        let (before, counts) = since.unwrap();
        let is_anew = self.told[before].starts_with("anew: ");
        assert!(!is_anew, "a fresh world would lose the fault");
        self.world.settle().await;
        let all = CallCounts::of(&self.world);
        let expected = self.facts(facts).await;
        let mut different = Vec::new();
        let mut tried = 0;
        let calls = CALLS.into_iter().enumerate();
        let is_meant =
            |call: &str| call == kind || kind == "store call" && call.starts_with("store.");
        for (at, call) in calls.filter(|(_, call)| is_meant(call)) {
            for number in counts.0[at] + 1..=all.0[at] {
                for (when, error) in STORE_FAULTS {
                    let mut other = self.told_again(before).await;
                    let faults = &other.world.faults;
                    if call == "queue.send" {
                        faults.fail_at(call, number, when, unsent());
                    } else {
                        faults.fail_at(call, number, when, error());
                    }
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
        let least = if kind == "queue.send" { 3 } else { 10 };
        assert!(tried >= least, "{tried} faults");
        if different.is_empty() {
            return "the same each time".to_owned();
        }
        different[..different.len().min(3)].join("\n")
    }
}

pub fn duration(text: &str) -> Duration {
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

pub fn model_error(code: &str) -> ModelError {
    let detail = "planned".to_owned();
    match code.split_once(':') {
        Some(("limited", seconds)) => ModelError::RateLimited {
            detail,
            retry_after: Some(Duration::from_secs(seconds.parse().unwrap())),
        },
        None if code == "away" => ModelError::Unavailable { detail },
        None if code == "late" => ModelError::Timeout { detail },
        None if code == "busy" => ModelError::RateLimited {
            detail,
            retry_after: None,
        },
        None if code == "refused" => ModelError::Refused { detail },
        None if code == "unusable" => ModelError::Unusable { detail },
        None if code == "toolong" => ModelError::TooLong { detail },
        _ => panic!("no error {code}"),
    }
}

fn search_error(code: &str) -> SearchError {
    match code {
        "unset" => SearchError::NotSetUp,
        "key" => SearchError::KeyRefused {
            detail: "HTTP 401 sk-secret".to_owned(),
        },
        "quota" => SearchError::OverQuota { retry_after: None },
        "slow" => SearchError::TooSlow,
        _ => panic!("no error {code}"),
    }
}

fn page_error(code: &str) -> PageError {
    assert_eq!(code, "unanswered");
    PageError::Unanswered {
        detail: "reset".to_owned(),
    }
}
