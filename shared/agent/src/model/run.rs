//! A run: one agent's work on a request. The row holds what the next step needs; the journal holds what happened.

use alfred_core::ports::{Live, Post, QueueName, Usage};
use alfred_core::{
    ChannelId, Preferences, ResponseType, RunId, SessionId, Taint, TeamId, TraceId, UserId,
    WorkerOutput,
};
use alfred_timeline::Timeline;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::approval::OpenApproval;
use crate::model::budget::Budget;
use crate::model::input::{JobOccurrence, Offered, RunInput, Work};
use crate::model::plan::Plan;
use crate::model::session::{Chat, Exchange, Session, Summary};
use crate::model::step::{CallResult, StepKind};
use crate::model::usage::UsageSnapshot;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub v: u8,
    pub id: RunId,
    pub team: TeamId,
    pub user: UserId,
    pub session: SessionId,
    pub trace_id: TraceId,
    pub parent: Option<RunId>,
    /// For the status line and searches in Slack's history.
    pub asked_ts: Option<String>,
    pub input: RunInput,
    pub work: Work,
    /// Includes taint inherited from its inputs.
    pub taint: Taint,
    pub before: Before,
    pub progress: Progress,
    pub state: RunState,
    pub plan: Option<Plan>,
    /// Its share of the parent's model budget, in addition to its agent's limits.
    pub granted: Option<Budget>,
    pub job: Option<JobOccurrence>,
    pub watch_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Before {
    pub preferences: Preferences,
    pub history: Vec<Exchange>,
    pub chat: Option<Chat>,
    /// The expected version of the session row. Guessing it saves a read.
    pub session_version: u64,
    pub spent: UsageSnapshot,
    pub waiting: Vec<OpenApproval>,
    pub answers: Option<Offered>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub audit: Head,
    pub steps: u32,
    pub iterations: u32,
    /// Parked because the model's provider asked for a pause.
    pub pauses: u32,
    pub usage: Usage,
    /// Stored with the first step. The prompt gives this as the current time.
    pub began_at: Option<Timestamp>,
    /// A run paused until then isn't abandoned.
    pub wake_at: Option<Timestamp>,
    /// Its message goes to the dead letter queue.
    pub defect: Option<String>,
    pub refused_reply: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<Rating>,
}

/// What the owner thinks of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rating {
    Good,
    Bad,
}

impl Rating {
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub count: u32,
    pub hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum RunState {
    Queued,
    Ready,
    Waiting,
    Asking { shown: bool },
    Replying { output: WorkerOutput, reply: Reply },
    Done { output: WorkerOutput },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub parts: Vec<Post>,
    /// When a search first missed the next part. A second search, later, confirms it.
    pub missed_at: Option<Timestamp>,
    /// The first part that a search doesn't find was certainly not posted.
    pub next_untried: bool,
    pub pictures: Vec<Timeline>,
    /// The live message that the first part in its place replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

impl Run {
    pub fn queue(&self) -> QueueName {
        match (&self.input, &self.plan) {
            (RunInput::Team(_), _) => QueueName::Team,
            (RunInput::Worker(_), Some(_)) => QueueName::Runs,
            (RunInput::Worker(_), None) => QueueName::Utility,
        }
    }

    pub fn children(&self) -> impl Iterator<Item = &RunId> {
        let tasks = self.plan.iter().flat_map(|plan| &plan.tasks);
        tasks.filter_map(|task| task.run.as_ref())
    }

    /// No progress is expected before that.
    pub fn rests_until(&self) -> Timestamp {
        let woken = self.progress.wake_at.unwrap_or(self.updated_at);
        woken.max(self.updated_at)
    }

    pub fn account(&mut self, did: &StepKind) {
        if let StepKind::Turn(turn) = did {
            if self.progress.iterations == 0
                && let Some(chat) = &mut self.before.chat
            {
                chat.context_tokens = turn.usage.input_tokens;
            }
            self.progress.iterations += 1;
        }
        if let Some(used) = did.usage() {
            self.progress.usage = self.progress.usage.plus(&used);
        }
    }

    pub fn log_end(&self, now: Timestamp) {
        let success = self.output().is_some_and(|output| output.success);
        tracing::info!(
            run.id = %self.id,
            run.success = success,
            run.iterations = self.progress.iterations,
            run.ms = elapsed_ms(self.created_at, now),
            model.input_tokens = self.progress.usage.input_tokens,
            model.output_tokens = self.progress.usage.output_tokens,
            model.cost_dollars = self.progress.usage.cost_dollars(),
            "a run ended"
        );
    }

    /// Takes over the conversation's exchanges and taint; in a channel only the private taint of owner-only answers.
    pub fn remember(&mut self, said: &Session) {
        self.before.history.clone_from(&said.memory);
        if !self.work.reads_memory() {
            return;
        }
        let is_chat = self.work.is_chat();
        self.before.chat = is_chat.then(|| said.chat.clone().unwrap_or_default());
        let chat = self.before.chat.as_ref();
        let summary = chat.and_then(|chat| chat.summary.as_ref());
        let silent = summary.is_none() && said.memory.is_empty();
        let mut taint = summary.map(|one| one.taint.clone()).unwrap_or_default();
        said.memory.iter().for_each(|one| taint.absorb(&one.taint));
        if !self.is_public() {
            taint.private.clear();
            taint.private.extend((!silent).then(|| "memory".to_owned()));
        }
        self.taint.absorb(&taint);
    }

    /// Gives a chat's memory back to its conversation, unless that changed since the run began.
    pub fn give_back(&self, session: &mut Session) {
        if let (Some(known), Some(chat)) = (&mut session.chat, &self.before.chat)
            && known.changes == chat.changes
        {
            known.clone_from(chat);
            session.memory.clone_from(&self.before.history);
        }
    }

    pub fn is_tainted(&self) -> bool {
        !self.taint.untrusted.is_empty()
    }

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
            // An error message can contain data that the tool read, like a result.
            StepKind::ToolResult(CallResult {
                name,
                flow: Some(flow),
                ..
            }) => {
                if flow.untrusted {
                    self.taint.untrusted.insert(name.clone());
                }
                if flow.private {
                    self.taint.private.insert(name.clone());
                }
            }
            // Everybody in a channel has seen the files shared there.
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
            StepKind::Decided(decided) => self.taint.absorb(&decided.taint),
            StepKind::Compacted {
                text,
                exchanges,
                taint,
                ..
            } => {
                let (text, taint) = (text.clone(), taint.clone());
                self.compacted(*exchanges, Summary { text, taint });
            }
            StepKind::Asked(asked) if asked.private => {
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

    fn compacted(&mut self, exchanges: u32, summary: Summary) {
        let Some(chat) = self.before.chat.as_mut().filter(|_| exchanges > 0) else {
            return;
        };
        let many = usize::try_from(exchanges).unwrap_or(usize::MAX);
        let history = &mut self.before.history;
        history.drain(..many.min(history.len()));
        chat.summary = Some(summary);
        chat.context_tokens = 0;
    }

    pub fn began(&self) -> Timestamp {
        self.progress.began_at.unwrap_or(self.created_at)
    }

    pub fn in_thread(&self) -> bool {
        self.input.slack().response_type == ResponseType::Thread
    }

    pub fn output(&self) -> Option<&WorkerOutput> {
        match &self.state {
            RunState::Replying { output, .. } | RunState::Done { output } => Some(output),
            _ => None,
        }
    }

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

    pub fn is_public(&self) -> bool {
        let slack = self.input.slack();
        slack.response_type != ResponseType::Dm && !slack.channel_id.as_str().starts_with('D')
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    Here,
    OwnerFirst,
    Owner,
}

/// 0 if they are in the wrong order.
pub fn elapsed_ms(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_millis()).unwrap_or(0)
}
