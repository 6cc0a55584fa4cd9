//! What the process that has the data folder answers to this account's other processes.

use alfred_agent::Work;
use alfred_agent::approval::Verdict;
use alfred_agent::program::Snapshot;
use alfred_core::ports::{Ids, SystemIds};
use alfred_core::{Role, WorkerOutput};
use clap::{Args, Subcommand};
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::app::{Absent, LocalApp};

pub(crate) const ANSWER_ON_CARD: &str = "Nobody can tell whether this happened, so it has more than two answers; give yours on its card in Slack.";

/// A question, sent as JSON to its path and answered in JSON; each is answered in a file of `server`.
pub trait Request: Serialize + DeserializeOwned + Send + Sync + 'static {
    const PATH: &'static str;
    type Answer: Serialize + DeserializeOwned + Send;

    /// What becomes of a data folder that isn't there. Who only looks makes none.
    fn absent(&self) -> Absent {
        Absent::Refused
    }

    /// The answer of this process. The same question with the same id is carried out once.
    fn answer(&self, app: &LocalApp) -> impl Future<Output = anyhow::Result<Self::Answer>> + Send;
}

/// An id for a question that may have to be sent again.
pub fn new_id() -> String {
    hex::encode(SystemIds.uuid().as_bytes())
}

#[derive(Deserialize, Serialize)]
pub struct Ask {
    pub user: String,
    pub request: String,
    pub id: String,
}

#[derive(Deserialize, Serialize)]
pub struct Trace {
    /// A run's, or a trace's.
    pub id: String,
    pub team: String,
    pub json: bool,
}

/// A run of a tool or of a worker file.
#[derive(Deserialize, Serialize)]
pub struct Start {
    pub user: String,
    pub work: Work,
    /// Whose workers do it, where that isn't one of Alfred's own.
    pub program: Option<Snapshot>,
    /// The model of all of them, where one is named: `provider:model`.
    #[serde(default)]
    pub model: Option<String>,
    /// The task in words.
    pub prompt: String,
    /// Files to look at, as name and base64.
    #[serde(default)]
    pub attach: Vec<(String, String)>,
    /// What has the same name goes one after the other.
    pub place: String,
    pub id: String,
}

/// Whether a program may run, its owner's yes given with it or before.
#[derive(Deserialize, Serialize)]
pub struct Trust {
    pub user: String,
    pub program: Snapshot,
    pub given: bool,
}

#[derive(Deserialize, Serialize)]
pub struct People {
    pub order: Order,
    pub json: bool,
}

#[derive(Deserialize, Serialize)]
pub enum Order {
    List,
    Add { id: String, role: Role },
    Forget { id: String },
}

#[derive(Deserialize, Serialize)]
pub struct Approvals {
    pub user: String,
    pub json: bool,
}

#[derive(Deserialize, Serialize)]
pub struct Decide {
    pub user: String,
    pub approval: String,
    pub verdict: Verdict,
    /// Why not; with an edit, what should be different.
    pub reason: Option<String>,
    /// With an edit, what is to stand where, by the names of arguments.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    pub id: String,
}

/// All that was said with a worker is forgotten.
#[derive(Deserialize, Serialize)]
pub struct Anew {
    pub user: String,
    /// As of its runs.
    pub place: String,
}

#[derive(Deserialize, Serialize)]
pub struct Audit {
    pub command: AuditCommand,
    pub json: bool,
}

/// How far the long work of the process is, in words.
#[derive(Deserialize, Serialize)]
pub struct HowFar {}

/// A new link to the page.
#[derive(Deserialize, Serialize)]
pub struct PageLink {}

/// What to do with the audit.
#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
pub enum AuditCommand {
    /// List entries, the oldest first.
    List(ListAudit),
    /// Check every entry against its hash, its place, and the locked digests. Exits with 1 if something is wrong.
    Verify,
}

/// Which entries.
#[derive(Args, Clone, Debug, Deserialize, Serialize)]
pub struct ListAudit {
    // `--user` is global and has a default; here it narrows only if it is given.
    #[arg(skip)]
    pub of: Option<String>,
    /// Those of one run.
    #[arg(long)]
    pub run: Option<String>,
    /// Those of one tool, or `approval.asked`, `approval.decided`, `effect.begun`, `reply`.
    #[arg(long)]
    pub tool: Option<String>,
    /// From this day (UTC) on; 30 days back unless given.
    #[arg(long, value_parser = day)]
    pub since: Option<Date>,
    /// Up to this day (UTC), included.
    #[arg(long, value_parser = day)]
    pub until: Option<Date>,
    /// Those that failed.
    #[arg(long)]
    pub failed: bool,
}

fn day(word: &str) -> Result<Date, String> {
    word.parse()
        .map_err(|_| "it is no day such as 2026-11-21".into())
}

#[derive(Deserialize, Serialize)]
pub struct Report {
    pub text: String,
    /// Whether everything is as it was written.
    pub clean: bool,
}

/// The outcome of a run, and who thought about it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer {
    pub output: WorkerOutput,
    /// The answer for a person at a terminal; none when a notice was the answer.
    pub reply: Option<String>,
    /// `provider:model`.
    pub model: String,
    /// For `alfred trace`; none when a notice was the answer.
    pub run: Option<String>,
    /// What the tool of a direct call gave.
    #[serde(default)]
    pub data: Option<Value>,
    /// What the run waits for.
    #[serde(default)]
    pub waiting: Vec<Waiting>,
    /// The reply's pictures, as lines.
    #[serde(default)]
    pub days: Vec<String>,
}

/// An approval that waits, as the terminal shows it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Waiting {
    pub id: String,
    /// Everything that would run, why it is asked, and until when.
    pub text: String,
    /// Whether a yes or a no answers it.
    pub yes_or_no: bool,
    /// What a person can write otherwise, by the names of arguments, as it stands.
    #[serde(default)]
    pub written: Vec<(String, String)>,
    /// Whether words say what should be different.
    #[serde(default)]
    pub takes_words: bool,
    /// Whether a yes can count for the same call again.
    #[serde(default)]
    pub can_be_remembered: bool,
}

impl Waiting {
    /// The card, and how to answer it.
    pub fn in_full(&self) -> String {
        let (text, id) = (&self.text, &self.id);
        if self.yes_or_no {
            format!("{text}\nYes: alfred approvals approve {id}\nNo:  alfred approvals reject {id}")
        } else {
            format!("{text}\n{ANSWER_ON_CARD} ({id})")
        }
    }
}
