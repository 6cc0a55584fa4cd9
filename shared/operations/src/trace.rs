//! A run's journal as a tree with timings, for `alfred trace`.

use alfred_agent::history::frame;
use alfred_agent::store::claim::{self, Served};
use alfred_agent::{Journal, LoadedRun, Run, RunInput, RunState, Step, StepKind};
use alfred_core::ports::{Store, SystemClock, SystemIds};
use alfred_core::text::one_line;
use alfred_core::{Config, Failure, RunId, TeamId, TraceId};
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

const SHOWN: usize = 100;

#[derive(Debug, Error)]
pub enum TraceError {
    #[error("nothing serves the trace {0}")]
    NoTrace(TraceId),
    #[error("there is no run {run} in the workspace {team}; --team names another one")]
    NoRun { run: RunId, team: TeamId },
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// A run and those of its teams. Shown as lines.
pub struct Tree {
    loaded: LoadedRun,
    children: Vec<Tree>,
}

impl Tree {
    /// Reads the run of an id or trace id. `None` if the event was answered with a notice, without a run.
    pub async fn read(
        store: Arc<dyn Store>,
        team: &TeamId,
        id: &str,
    ) -> Result<Option<Self>, TraceError> {
        let run = if id.starts_with("run_") {
            RunId::from(id)
        } else {
            let trace = TraceId::from(id);
            match claim::served(&*store, team, &trace).await? {
                Served::Run(run) => run,
                Served::Notice => return Ok(None),
                Served::No => return Err(TraceError::NoTrace(trace)),
            }
        };
        let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
        let journal = Journal::new(store, clock, ids, &Config::default());
        load(&journal, team, &run).await.map(Some)
    }

    pub fn as_json(&self) -> Value {
        json!({
            "run": self.loaded.run,
            "steps": self.loaded.steps,
            "teams": self.children.iter().map(Self::as_json).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        draw(self, 0, &mut lines);
        f.write_str(&lines.join("\n"))
    }
}

async fn load(journal: &Journal, team: &TeamId, id: &RunId) -> Result<Tree, TraceError> {
    let loaded = journal.load(team, id).await?;
    let loaded = loaded.ok_or_else(|| TraceError::NoRun {
        run: id.clone(),
        team: team.clone(),
    })?;
    let ids: Vec<RunId> = loaded.run.children().cloned().collect();
    let mut children = Vec::new();
    for id in ids {
        children.push(Box::pin(load(journal, team, &id)).await?);
    }
    Ok(Tree { loaded, children })
}

fn draw(tree: &Tree, depth: usize, lines: &mut Vec<String>) {
    let run = &tree.loaded.run;
    let indent = "  ".repeat(depth);
    let (id, trace, asked) = (&run.id, &run.trace_id, brief(run.input.prompt()));
    lines.push(format!("{indent}{id} {}  {}", state(run), summary(run)));
    lines.push(format!("{indent}  trace {trace}  asked: {asked}"));
    for step in &tree.loaded.steps {
        let called = frame::workers(&tree.loaded.steps, &step.frame);
        let team = match &run.input {
            RunInput::Team(input) => format!("{}/", input.team),
            RunInput::Worker(_) => String::new(),
        };
        let who = called.last().map(|who| format!("{team}{who}: "));
        let within = "  ".repeat(called.len());
        let who = who.unwrap_or_default();
        lines.push(format!("{indent}  {within}{who}{}", line(run, step)));
    }
    if let Some(code) = &run.progress.refused_reply {
        lines.push(format!("{indent}  Slack refused the reply: {code}"));
    }
    if let Some(rating) = &run.progress.rating {
        let rating = rating.name();
        lines.push(format!("{indent}  its owner found the answer {rating}"));
    }
    if let Some(detail) = &run.progress.defect {
        lines.push(format!("{indent}  a defect: {}", brief(detail)));
    }
    for child in &tree.children {
        draw(child, depth + 1, lines);
    }
}

fn state(run: &Run) -> &'static str {
    match &run.state {
        RunState::Queued => "waits for an earlier request",
        RunState::Ready => "is being worked on",
        RunState::Waiting => "waits for its teams",
        RunState::Asking { .. } => "waits for its owner",
        RunState::Replying { .. } => "is being answered",
        RunState::Done { output } if output.success => "done",
        RunState::Done { .. } => "failed",
    }
}

fn summary(run: &Run) -> String {
    let whole = run.updated_at.duration_since(run.created_at).as_millis();
    let usage = &run.progress.usage;
    let cost = usage
        .cost_micros
        .map(|micros| format!(", ${}.{:06}", micros / 1_000_000, micros % 1_000_000));
    let team = match &run.input {
        RunInput::Team(input) => format!("team {}, ", input.team),
        RunInput::Worker(_) => String::new(),
    };
    let cached = match usage.cached_tokens {
        0 => String::new(),
        cached => format!(" ({cached} of them cached)"),
    };
    format!(
        "{team}{whole} ms, {} turns, {}{cached} + {} tokens{}",
        run.progress.iterations,
        usage.input_tokens,
        usage.output_tokens,
        cost.unwrap_or_default()
    )
}

fn line(run: &Run, step: &Step) -> String {
    let at = step.at.duration_since(run.created_at).as_millis();
    let what = match &step.did {
        StepKind::Classified(found) if found.complex => "found complex".to_owned(),
        StepKind::Classified(found) => match (&found.fallback_reason, found.toolsets.as_deref()) {
            (Some(reason), _) => format!("taken as simple: {}", brief(reason)),
            (None, Some([])) => "found simple, needs no tools".to_owned(),
            (None, Some(toolsets)) => format!("found simple, needs {}", toolsets.join(", ")),
            (None, None) => "found simple".to_owned(),
        },
        StepKind::Context { lines, .. } => format!("read {} messages of the thread", lines.len()),
        StepKind::Attached { files } => {
            let opened = files.iter().filter(|file| file.opened().is_some()).count();
            format!("opened {opened} of {} files", files.len())
        }
        StepKind::Turn(turn) if turn.tool_calls.is_empty() => {
            format!("{} said: {}", turn.model, brief(&turn.text))
        }
        StepKind::Turn(turn) => {
            let calls = turn.tool_calls.iter();
            let calls = calls.map(|call| format!("{}{}", call.name, brief(&call.arguments)));
            let calls: Vec<String> = calls.collect();
            format!("{} called {}", turn.model, calls.join(", "))
        }
        StepKind::ToolResult(result) if result.ok => {
            let action = result.action.as_deref().unwrap_or("ok");
            format!("{}: {action}", result.name)
        }
        StepKind::ToolResult(result) => {
            let error = result.output["error"].as_str().unwrap_or_default();
            format!("{} failed: {}", result.name, brief(error))
        }
        StepKind::Asked(asked) => format!(
            "asked its owner: {} ({}, revision {})",
            asked.title, asked.approval, asked.revision
        ),
        StepKind::Decided(decided) => {
            format!("decided: {:?} ({})", decided.verdict, decided.approval).to_lowercase()
        }
        StepKind::Intent {
            call_id, attempt, ..
        } => format!("began the effect of {call_id}, attempt {attempt}"),
        StepKind::NotReached { call_id, limited } if *limited => {
            format!("{call_id} must wait for its provider")
        }
        StepKind::NotReached { call_id, .. } => format!("{call_id} could not be reached"),
        StepKind::Compacted { exchanges: 0, .. } => "found no summary of what was said".into(),
        StepKind::Compacted { exchanges, .. } => {
            format!("made a summary of {exchanges} exchanges")
        }
        StepKind::Planned(turn) => format!("{} chose teams", turn.model),
    };
    let what = one_line(&what);
    format!("{:>3}. +{at:>6} ms {:>6} ms  {what}", step.seq, step.ms)
}

fn brief(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
