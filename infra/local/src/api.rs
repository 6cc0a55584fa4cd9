//! Requests from this account's other processes to the process that owns the data folder.

use alfred_agent::Work;
use alfred_agent::model::{Snapshot, Verdict};
use alfred_agent::slack::written::Written;
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

/// A request, sent as JSON to its path and answered in JSON. Each is implemented in a file of `server`.
pub trait Request: Serialize + DeserializeOwned + Send + Sync + 'static {
    const PATH: &'static str;
    type Answer: Serialize + DeserializeOwned + Send;

    /// What to do if the data folder doesn't exist. A request that only reads creates none.
    const ABSENT: Absent = Absent::Refused;

    fn absent(&self) -> Absent {
        Self::ABSENT
    }

    /// Carries the request out. A repeated id is carried out once.
    fn answer(&self, app: &LocalApp) -> impl Future<Output = anyhow::Result<Self::Answer>> + Send;
}

/// An id for a request that may have to be resent.
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
    /// A run's id or a trace id.
    pub id: String,
    pub team: String,
    pub json: bool,
}

#[derive(Deserialize, Serialize)]
pub struct Start {
    pub user: String,
    pub work: Work,
    /// The worker program, if the run isn't for Alfred's own agent.
    pub program: Option<Snapshot>,
    /// The model of all workers, `provider:model`, if one is named.
    #[serde(default)]
    pub model: Option<String>,
    pub prompt: String,
    /// Files for the worker: name and base64.
    #[serde(default)]
    pub attach: Vec<(String, String)>,
    /// Conversation key: runs of the same place are queued.
    pub place: String,
    pub id: String,
}

/// Asks whether a program may run. `given` records its owner's consent.
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
    /// How a command for the same data and person begins.
    pub alfred: String,
    pub json: bool,
}

#[derive(Deserialize, Serialize)]
pub struct Decide {
    pub user: String,
    pub approval: String,
    pub verdict: Verdict,
    /// The reason of a rejection.
    pub reason: Option<String>,
    /// For an edit, new texts by argument name.
    #[serde(default)]
    pub texts: BTreeMap<String, String>,
    pub id: String,
}

impl Decide {
    pub fn new(user: &str, approval: &str, verdict: Verdict) -> Self {
        Self {
            user: user.to_owned(),
            approval: approval.to_owned(),
            verdict,
            reason: None,
            texts: BTreeMap::new(),
            id: new_id(),
        }
    }
}

/// Forgets the conversation with a worker.
#[derive(Deserialize, Serialize)]
pub struct Anew {
    pub user: String,
    /// The same as in its runs.
    pub place: String,
}

#[derive(Deserialize, Serialize)]
pub struct Dlq {
    pub command: DlqCommand,
    pub json: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
pub enum DlqCommand {
    /// List them, the oldest first, with the reason.
    List,
    /// Print all of one but what a person wrote.
    Show {
        /// As `list` prints it.
        id: String,
    },
    /// Deliver again: one, or all with `--all`.
    Redrive {
        /// As `list` prints it.
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
    /// Delete one.
    Drop {
        /// As `list` prints it.
        id: String,
        /// It can't be undone; without this nothing is deleted.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Deserialize, Serialize)]
pub struct Audit {
    pub command: AuditCommand,
    pub json: bool,
}

/// The progress of long work, in words.
#[derive(Deserialize, Serialize)]
pub struct HowFar {}

#[derive(Deserialize, Serialize)]
pub struct PageLink {}

#[derive(Clone, Debug, Deserialize, Serialize, Subcommand)]
pub enum AuditCommand {
    /// List entries, the oldest first.
    List(ListAudit),
    /// Check every entry against its hash, its place, and the locked digests. Exits with 1 if something is wrong.
    Verify,
}

#[derive(Args, Clone, Debug, Deserialize, Serialize)]
pub struct ListAudit {
    // `--user` is global and has a default, but here it only filters if given.
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
    /// Whether the record is intact.
    pub clean: bool,
}

/// The outcome of a run and its model.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer {
    pub output: WorkerOutput,
    /// The answer for a person at a terminal; none when a notice was the answer.
    pub reply: Option<String>,
    /// `provider:model`.
    pub model: String,
    /// For `alfred trace`. `None` if a notice was the answer.
    pub run: Option<String>,
    /// The tool's data of a direct call.
    #[serde(default)]
    pub data: Option<Value>,
    /// The pending approvals.
    #[serde(default)]
    pub waiting: Vec<Waiting>,
    /// The reply's pictures as text.
    #[serde(default)]
    pub days: Vec<String>,
}

/// A pending approval for the terminal.
#[derive(Debug, Deserialize, Serialize)]
pub struct Waiting {
    pub id: String,
    /// Everything that would run, the reason for asking, and the deadline.
    pub text: String,
    /// Whether yes or no is a valid answer.
    pub yes_or_no: bool,
    /// The editable arguments.
    #[serde(default)]
    pub written: Vec<Written>,
    /// Whether an approval can be remembered for identical calls.
    #[serde(default)]
    pub can_be_remembered: bool,
}

impl Waiting {
    /// The card and how to answer it. `alfred` begins the commands.
    pub fn in_full(&self, alfred: &str) -> String {
        let (text, id) = (&self.text, &self.id);
        if self.yes_or_no {
            let approvals = format!("{alfred} approvals");
            format!("{text}\nYes: {approvals} approve {id}\nNo:  {approvals} reject {id}")
        } else {
            format!("{text}\n{ANSWER_ON_CARD} ({id})")
        }
    }
}
