//! An agent with one tool, and ports in memory or on SQLite, for the agent loop benchmarks.

use alfred_agent::model::AttachmentPolicy;
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::runner::resume::resume;
use alfred_agent::store::claim::Origin;
use alfred_agent::tool::{self, SharedTool, ToolContext, ToolDef, ToolError, Toolset};
use alfred_agent::{Agent, Deadline, Limits, Ports, Program, RunInput, Toolbox, Work};
use alfred_core::ports::{Clock, Model, Store, SystemClock, SystemIds};
use alfred_core::{
    Preferences, ResponseType, Role, SessionId, SlackContext, UserContext, WorkerInput,
};
use alfred_testkit::{MemoryQueue, RecordingChat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Deserialize, schemars::JsonSchema)]
struct GetTime {
    /// IANA time zone name.
    tz: String,
}

#[derive(Serialize)]
struct Time {
    time: String,
}

async fn get_time(context: ToolContext, asked: GetTime) -> Result<Time, ToolError> {
    let time = format!("{} {}", context.now.as_second(), asked.tz);
    Ok(Time { time })
}

pub fn agent() -> Program {
    let (tells, checks) = ("tell the time", "is checking the time…");
    let time = Toolset::new("time", tells, checks, "That", tells);
    let def = ToolDef::new(time, "get_time", "Current time in a time zone");
    let instructions = "You are a helpful Slack assistant.";
    with(instructions, tool::read(def, get_time)).into()
}

pub fn with(instructions: &'static str, tool: SharedTool) -> Agent {
    Agent {
        name: "bench".into(),
        prompt: Box::new(move |_, _| instructions.into()),
        tools: Toolbox::new([tool]).expect("one tool"),
        limits: Limits {
            max_iterations: 20,
            ..Limits::default()
        },
        model: None,
        approval: BTreeMap::new(),
        attachments: AttachmentPolicy::default(),
    }
}

pub fn ports(store: Arc<dyn Store>, model: Arc<dyn Model>) -> Ports {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let queue = Arc::new(MemoryQueue::default());
    let chat = Arc::new(RecordingChat::new(clock.clone()));
    let ids = Arc::new(SystemIds);
    alfred_tests::ports(store, queue, chat, model, (clock, ids))
}

/// Runs one request from admission to its reply; commits each step.
pub async fn run_once(ports: &Ports, agent: &Arc<Program>, n: usize) {
    let session = SessionId(format!("T1/U1/D{n}"));
    let origin = Origin::inline("T1".into(), "U1".into(), session.clone(), &n.to_string());
    let input = WorkerInput {
        task_prompt: "What time is it? Use the tool.".into(),
        user_context: UserContext {
            slack_user_id: "U1".into(),
            email: String::new(),
            name: "Ana".into(),
            timezone: "UTC".into(),
            role: Role::Member,
            opened_home: false,
        },
        slack_context: SlackContext {
            channel_id: "D1".into(),
            thread_ts: None,
            response_type: ResponseType::Dm,
        },
        session_id: session,
        files: Vec::new(),
        quotes: false,
    };
    let request = Request::new(RunInput::Worker(input), Work::Agent, Preferences::default());
    let memory = origin.session(ports).await.expect("the store answers");
    let admitted = admit(ports, &origin, request, memory, None).await;
    let Admitted::New(loaded) = admitted.expect("the store answers") else {
        panic!("run {n} was there before")
    };
    let ended = resume(ports, Ok(agent.clone()), *loaded, None, Deadline::none()).await;
    ended.expect("the run ends");
}
