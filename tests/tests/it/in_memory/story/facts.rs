//! What can be looked at: `runs`, `status`, `tasks` and so on, several with commas.
//!
//! - `runs`: the state and the steps of each run.
//! - `form`: the fields of the last pending approval's edit form.
//! - `status`: the cards' states and the number of messages sent to others; `sent`: these messages. `waiting`: what waits for Ana's decision.
//! - `card 1`: all of a card. `posts`: all messages of Alfred, as they are now; `posted`: their number.
//! - `tasks`: the titles of Ana's tasks. `results`: what the last run's tools gave. `output`: how the last run ended.
//! - `taint`: what the last run has read; `taint of card 1`: what its call was made from; `summary`: of the chat,
//!   made by the last run.
//! - `uploads`: the pictures. `calls mail.`: the number of calls of a port.
//! - `asked`: what people and Alfred said, as the model's last request shows it. `turns`: how often the model was asked.

use alfred_agent::approval::pending;
use alfred_agent::model::Approval;
use alfred_agent::slack::edit;
use alfred_agent::{RunState, StepKind};
use alfred_core::ports::{Message, Query, Range, Store};
use alfred_core::{ApprovalId, WorkerOutput, keys};
use alfred_testkit::Kept;
use alfred_tests::story;

use super::Story;
use super::forms::fields;
use super::screen::message;
use crate::in_memory::world::{results, team};

impl Story {
    pub(super) async fn facts(&mut self, facts: &str) -> String {
        let mut shown = Vec::new();
        for fact in facts.split(", ") {
            let found = self.fact(fact).await;
            shown.push(self.screen.masked(&found));
        }
        shown.join("\n")
    }

    async fn fact(&mut self, fact: &str) -> String {
        match fact {
            "runs" => self.runs().await,
            "status" => self.status().await,
            "sent" => {
                let sent = self.sent();
                let sent = sent.iter().map(|kept| message(kept).replace('\n', " / "));
                lines(sent)
            }
            "waiting" => self.waiting().await,
            "form" => fields(&edit::view(self.pending().await.last().unwrap()).unwrap()),
            "posts" => {
                let posted = self.world.chat.posted();
                let shown = posted.iter().map(message);
                shown.collect::<Vec<_>>().join("\n--\n")
            }
            "posted" => format!("{} posted", self.world.chat.posted().len()),
            "tasks" => self.tasks().await,
            "results" => {
                let run = self.last_run().await;
                let results = results(&self.world.steps(&run.id).await);
                lines(results.iter().map(ToString::to_string))
            }
            "output" => {
                let run = self.last_run().await;
                let refused = run.progress.refused_reply;
                let refused = refused.map(|code| format!("\nSlack refused: {code}"));
                match run.state {
                    RunState::Done { output } => ended(&output) + &refused.unwrap_or_default(),
                    other => format!("{other:?}"),
                }
            }
            "asked" => {
                let last = self.last_request();
                let said = last.messages.iter().filter_map(|message| match message {
                    Message::User { text } => Some(text.to_string()),
                    Message::Assistant { text, .. } if !text.is_empty() => {
                        Some(format!("Alfred: {text}"))
                    }
                    _ => None,
                });
                lines(said)
            }
            "turns" => self.world.model.calls().to_string(),
            "taint" => {
                let run = self.last_run().await;
                serde_json::to_string(&run.taint).unwrap()
            }
            taint if taint.starts_with("taint of card ") => {
                let kept = self.screen.card(&self.world, taint[14..].parse().unwrap());
                let approval = self.approval(kept.idempotency_key.as_deref().unwrap());
                serde_json::to_string(&approval.await.taint).unwrap()
            }
            "summary" => {
                let run = self.last_run().await;
                let steps = self.world.steps(&run.id).await;
                let made = steps.iter().filter_map(|step| match &step.did {
                    StepKind::Compacted { text, taint, .. } => {
                        Some(format!("{text} {}", serde_json::to_string(taint).unwrap()))
                    }
                    _ => None,
                });
                lines(made)
            }
            "uploads" => {
                let uploads = self.world.chat.uploads();
                lines(uploads.iter().map(|(_, image)| {
                    assert!(image.png.starts_with(b"\x89PNG"));
                    format!("{}: {}", image.name, image.alt)
                }))
            }
            calls if calls.starts_with("calls ") => {
                let count = self.world.faults.calls(&calls[6..]);
                format!("{count} calls of {}", &calls[6..])
            }
            card if card.starts_with("card ") => {
                let kept = self.screen.card(&self.world, card[5..].parse().unwrap());
                message(&kept)
            }
            _ => {
                let mut found = self.worker_fact(fact).await;
                if found.is_none() {
                    found = self.account_fact(fact).await;
                }
                if found.is_none() {
                    found = self.place_fact(fact).await;
                }
                let found = found.unwrap_or_else(|| panic!("no command or fact {fact:?}"));
                lines(found.into_iter())
            }
        }
    }

    pub(super) async fn last_run(&self) -> alfred_agent::Run {
        let runs = self.world.runs().await.into_iter();
        runs.max_by_key(|run| run.created_at).unwrap()
    }

    async fn runs(&self) -> String {
        let mut shown = Vec::new();
        for run in self.world.runs().await {
            let state = match &run.state {
                RunState::Done { output } if output.success => "done",
                RunState::Done { .. } => "failed",
                RunState::Asking { .. } => "asking",
                _ => "working",
            };
            let steps = story(&self.world.steps(&run.id).await);
            let steps = grouped(steps.split(' ').map(str::to_owned)).join(" ");
            shown.push(format!("{state}: {steps}"));
        }
        lines(shown.into_iter())
    }

    /// Of more than three cards, how many are in each state.
    async fn status(&self) -> String {
        let posted = self.world.chat.posted();
        let mut cards = Vec::new();
        for ts in self.screen.cards() {
            let card = posted.iter().find(|kept| kept.ts == *ts).unwrap();
            let approval = self.approval(card.idempotency_key.as_deref().unwrap());
            cards.push(format!("{:?}", approval.await.status).to_lowercase());
        }
        let each = (1..).zip(&cards);
        let each = each.map(|(number, status)| format!("card {number} {status}"));
        let mut shown: Vec<String> = each.collect();
        if cards.len() > 3 {
            let groups = cards.chunk_by(|one, other| one == other);
            let groups = groups.map(|group| format!("{} {}", group.len(), group[0]));
            shown = groups.collect();
        }
        shown.push(format!("{} sent", self.sent().len()));
        shown.join(", ")
    }

    /// Messages in direct messages of others.
    fn sent(&self) -> Vec<Kept> {
        let mut posted = self.world.chat.posted();
        posted
            .retain(|kept| kept.channel.as_str().starts_with('D') && kept.channel.as_str() != "D1");
        posted
    }

    /// The calls that wait for Ana. Equal digests have the same number.
    async fn pending(&self) -> Vec<Approval> {
        let (team, ana) = (team(), "U1".into());
        let pending = pending::pending(&*self.world.store, &team, &ana).await;
        pending.unwrap()
    }

    async fn waiting(&mut self) -> String {
        let mut shown = Vec::new();
        for approval in self.pending().await {
            let digest = self.screen.number("digest", &approval.digest.to_string());
            let (id, call) = (approval.button_value(), &approval.action_type);
            let what = format!("{id} {call} {}, digest {digest}", approval.payload);
            shown.push(what);
            shown.extend(approval.trouble);
        }
        lines(shown.into_iter())
    }

    /// The approval of a card's key, `card:ID:REVISION`.
    async fn approval(&self, key: &str) -> Approval {
        let id = key.split(':').nth(1).unwrap();
        let found = pending::load(&*self.world.store, &team(), &ApprovalId(id.to_owned())).await;
        found.unwrap().unwrap().0
    }

    async fn tasks(&self) -> String {
        let tasks = Query::state(keys::tasks(&team(), &"U1".into()), Range::All);
        let page = self.world.store.query(&tasks).await.unwrap();
        let items = page.items.iter();
        let titles = items.map(|item| item.body["title"].as_str().unwrap().to_owned());
        lines(titles)
    }
}

/// How a run ended: its actions, its effects, and its error.
fn ended(output: &WorkerOutput) -> String {
    let mut shown = vec![if output.success { "done" } else { "failed" }.to_owned()];
    shown.extend(output.error.clone());
    if !output.success {
        shown.extend(output.result.clone());
    }
    if output.requires_approval {
        shown.push("requires approval".to_owned());
    }
    let actions = output.actions_taken.iter();
    shown.extend(actions.map(|action| format!("action: {action}")));
    for effect in &output.effects {
        let row = serde_json::to_value(effect).unwrap();
        let state = row["state"].as_str().unwrap();
        shown.push(format!("effect {state}: {}", effect.line));
    }
    shown.join("\n")
}

/// Equal neighbours once, with their number.
fn grouped(words: impl Iterator<Item = String>) -> Vec<String> {
    let words: Vec<String> = words.collect();
    let groups = words.chunk_by(|one, other| one == other);
    let groups = groups.map(|group| match group {
        [one] => one.clone(),
        many => format!("{} ×{}", many[0], many.len()),
    });
    groups.collect()
}

/// `none` if there are none.
fn lines(lines: impl Iterator<Item = String>) -> String {
    let lines = grouped(lines);
    if lines.is_empty() {
        return "none".to_owned();
    }
    lines.join("\n")
}
