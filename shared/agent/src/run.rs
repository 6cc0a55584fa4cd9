//! A run: one agent's work on one request, as it is stored.
//!
//! The row holds what the next step needs; the journal beside it holds what
//! happened. Both carry a version, so that a run started by the last release
//! ends under this one.

use alfred_core::ports::{Post, QueueName, Usage, Write};
use alfred_core::{
    ChannelId, Failure, Preferences, ResponseType, RunId, SessionId, Taint, TeamId, TraceId,
    UserId, WorkerOutput,
};
use alfred_timeline::Timeline;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::approval::OpenApproval;
use crate::budget::Budget;
use crate::chat::{Chat, Summary};
pub use crate::input::{DirectCall, RunInput, Work};
pub use crate::options::Offered;
use crate::plan::Plan;
pub use crate::schedule::JobOccurrence;
use crate::session::Session;
pub use crate::step::{NewStep, Step, StepKind, Unclear, actions, open_calls};
use crate::usage::{self, UsageSnapshot};

/// A run's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Schema version.
    pub v: u8,
    /// Its id.
    pub id: RunId,
    /// The workspace.
    pub team: TeamId,
    /// For whom it works.
    pub user: UserId,
    /// The conversation.
    pub session: SessionId,
    /// Follows the request through every function.
    pub trace_id: TraceId,
    /// The run that waits for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    /// The message that asked, for the status line and for looks in Slack's history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_ts: Option<String>,
    /// What it is to do.
    pub input: RunInput,
    /// Who works on it.
    pub work: Work,
    /// How the person likes to be served, as it was when the run began.
    pub preferences: Preferences,
    /// What was said in this conversation before, oldest first.
    pub history: Vec<Exchange>,
    /// What was said before that, and how long it is, where it is a word in a chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<Chat>,
    /// What it, and what it was made from, has read.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
    /// The head of its audit chain.
    pub audit: Head,
    /// Where it stands.
    pub state: RunState,
    /// The teams that work for it, once it was found complex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What it may use of models beside its agent's own limits: its part of what its parent may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<Budget>,
    /// Steps in its journal.
    pub steps: u32,
    /// Model turns taken.
    pub iterations: u32,
    /// Times it was parked because the model's provider asked for a pause.
    pub pauses: u32,
    /// What all its turns used.
    pub usage: Usage,
    /// The defect that ended it; its message goes to the dead-letter queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defect: Option<String>,
    /// Slack's code when it took the reply in no form; the run has failed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_reply: Option<String>,
    /// Version of the session row as this run last wrote it; a guess that saves a read.
    pub session_version: u64,
    /// What its person had used that day, as it was when the run began.
    pub spent_before: UsageSnapshot,
    /// What waited for its owner's decision when it was asked, where its model may know of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<OpenApproval>,
    /// What the request answers by a button, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Offered>,
    /// The job whose occurrence it is, where nobody asked just now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobOccurrence>,
    /// When its watchdog first looks after it.
    pub watch_at: Timestamp,
    /// The moment it last waited for: a pause is no sign that it was left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When its first step began, which its prompt tells as now; set with that step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// When it last moved.
    pub updated_at: Timestamp,
}

/// The end of a run's audit chain, in the row that every commit conditions on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Entries so far.
    pub count: u32,
    /// The hash of the last one; empty before the first.
    pub hash: String,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum RunState {
    /// Behind another run of its conversation.
    Queued,
    /// To be worked on.
    Ready,
    /// Its teams are at work.
    Waiting,
    /// It waits for its owner's decisions, and costs nothing meanwhile.
    Asking {
        /// Whether every card is in Slack.
        shown: bool,
    },
    /// It has its outcome; the reply may or may not have been posted.
    Replying {
        /// The outcome.
        output: WorkerOutput,
        /// The reply.
        reply: Reply,
    },
    /// Finished.
    Done {
        /// The outcome.
        output: WorkerOutput,
    },
}

/// A reply on its way to Slack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The messages, in order.
    pub parts: Vec<Post>,
    /// When a look found the next part missing; a second one, later, settles it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_at: Option<Timestamp>,
    /// The first part that a look doesn't find was certainly not posted.
    pub next_untried: bool,
    /// What the blocks of the parts show as pictures, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Timeline>,
}

/// One request and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// What the person asked.
    pub request: String,
    /// What they got.
    pub answer: String,
    /// What the answer was made from.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
    /// Whether the request holds a quotation, and so words of others.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotes: bool,
    /// The run that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Run {
    /// Where its continuation goes.
    pub fn queue(&self) -> QueueName {
        match (&self.input, &self.plan) {
            (RunInput::Team(_), _) => QueueName::Team,
            (RunInput::Worker(_), Some(_)) => QueueName::Ingress,
            (RunInput::Worker(_), None) => QueueName::Utility,
        }
    }

    /// The runs that work for it, as far as they were started.
    pub fn children(&self) -> impl Iterator<Item = &RunId> {
        let tasks = self.plan.iter().flat_map(|plan| &plan.tasks);
        tasks.filter_map(|task| task.run.as_ref())
    }

    /// Until when nothing need happen to it: its last move, or the end of the pause it waits for.
    pub fn rests_until(&self) -> Timestamp {
        self.wake_at
            .map_or(self.updated_at, |at| at.max(self.updated_at))
    }

    /// Counts a step that goes into its journal: turns, tokens, cost.
    pub fn account(&mut self, did: &StepKind) {
        if let StepKind::Turn(turn) = did {
            if let Some(chat) = self.chat.as_mut().filter(|_| self.iterations == 0) {
                chat.context_tokens = turn.usage.input_tokens;
            }
            self.iterations += 1;
        }
        if let Some(used) = did.usage() {
            self.usage = self.usage.plus(&used);
        }
    }

    /// The write that counts what it used among what its person used today, as that was `seen`.
    pub(crate) fn spend(&self, seen: &UsageSnapshot, now: Timestamp) -> Result<Write, Failure> {
        let mut used = seen.today(self.input.user(), now);
        used.model_calls += u64::from(self.iterations);
        used.tokens += self.usage.input_tokens + self.usage.output_tokens;
        used.cost_micros += self.usage.cost_micros.unwrap_or(0);
        usage::write(self, seen, &used)
    }

    pub(crate) fn log_end(&self, now: Timestamp) {
        let success = self.output().is_some_and(|output| output.success);
        tracing::info!(
            run.id = %self.id,
            run.success = success,
            run.iterations = self.iterations,
            run.ms = elapsed_ms(self.created_at, now),
            model.input_tokens = self.usage.input_tokens,
            model.output_tokens = self.usage.output_tokens,
            model.cost_dollars = self.usage.cost_dollars(),
            "a run ended"
        );
    }

    /// Takes in what was said before, and what that was made from. In a channel
    /// its own memory isn't private, as everybody there has read it, but for the
    /// answers that went to the owner alone.
    pub fn remember(&mut self, said: &Session) {
        self.history.clone_from(&said.memory);
        if self.work.is_by_hand() {
            return;
        }
        let is_chat = self.work.is_chat();
        self.chat = is_chat.then(|| said.chat.clone().unwrap_or_default());
        let summary = self.chat.as_ref().and_then(|chat| chat.summary.as_ref());
        let silent = summary.is_none() && said.memory.is_empty();
        let mut taint = summary.map(|one| one.taint.clone()).unwrap_or_default();
        said.memory.iter().for_each(|one| taint.absorb(&one.taint));
        if !self.is_public() {
            taint.private.clear();
            taint.private.extend((!silent).then(|| "memory".to_owned()));
        }
        self.taint.absorb(&taint);
    }

    /// Whether it has read words that its owner didn't write.
    pub fn is_tainted(&self) -> bool {
        !self.taint.untrusted.is_empty()
    }

    /// Counts what a step read.
    pub fn absorb(&mut self, did: &StepKind) {
        match did {
            StepKind::Context {
                foreign: true,
                conversation,
                ..
            } => {
                self.taint.untrusted.insert("thread".into());
                self.taint.conversations.insert(conversation.clone());
            }
            // A failure tells of what its tool looked at as a success does.
            StepKind::ToolResult {
                name,
                flow: Some(flow),
                ..
            }
            | StepKind::Interpreted { name, flow, .. } => {
                if flow.untrusted {
                    self.taint.untrusted.insert(name.clone());
                }
                if flow.private {
                    self.taint.private.insert(name.clone());
                }
            }
            // Everybody in a channel has seen what was shared there.
            StepKind::Attached { files } => {
                let opened = files.iter().any(|file| file.opened().is_some());
                let handed_on = files.iter().any(|file| file.handed_on);
                if handed_on {
                    self.taint.untrusted.insert("files".into());
                }
                if handed_on || opened && !self.is_public() {
                    self.taint.private.insert("files".into());
                }
            }
            StepKind::Decided { taint, .. } => self.taint.absorb(taint),
            StepKind::Compacted {
                text,
                exchanges,
                taint,
                ..
            } => {
                let (text, taint) = (text.clone(), taint.clone());
                self.compacted(*exchanges, Summary { text, taint });
            }
            StepKind::Asked { private: true, .. } => {
                self.taint.private.insert("approval".into());
            }
            StepKind::ToolResult { .. }
            | StepKind::Context { .. }
            | StepKind::Asked { .. }
            | StepKind::Intent { .. }
            | StepKind::NotReached { .. }
            | StepKind::Classified(_)
            | StepKind::Turn(_)
            | StepKind::Planned(_) => {}
        }
    }

    /// The moment its prompt tells, the same whenever it is resumed.
    pub fn began(&self) -> Timestamp {
        self.began_at.unwrap_or(self.created_at)
    }

    /// Whether this is the answer to a thread somebody else may have started.
    pub fn in_thread(&self) -> bool {
        self.input.slack().response_type == ResponseType::Thread
    }

    /// The outcome, once there is one.
    pub fn output(&self) -> Option<&WorkerOutput> {
        match &self.state {
            RunState::Replying { output, .. } | RunState::Done { output } => Some(output),
            RunState::Queued | RunState::Ready | RunState::Waiting | RunState::Asking { .. } => {
                None
            }
        }
    }

    /// Who reads its answer first.
    pub fn readers(&self) -> Readers {
        let here = &self.input.slack().channel_id;
        let elsewhere = |said: &ChannelId| said != here;
        if !self.is_public() {
            Readers::Here
        } else if !self.taint.private.is_empty() || self.taint.conversations.iter().any(elsewhere) {
            Readers::Owner
        } else if self.is_tainted() {
            Readers::OwnerFirst
        } else {
            Readers::Here
        }
    }

    /// Whether its answer goes where others read it.
    pub fn is_public(&self) -> bool {
        let slack = self.input.slack();
        slack.response_type != ResponseType::Dm && !slack.channel_id.as_str().starts_with('D')
    }
}

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever reads along where it was asked.
    Here,
    /// Its owner, who may have it posted where it was asked: other people's words may speak in it.
    OwnerFirst,
    /// Its owner alone.
    Owner,
}

/// The whole milliseconds between two moments, none if they are in the wrong order.
pub fn elapsed_ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_millis()).unwrap_or(0)
}
