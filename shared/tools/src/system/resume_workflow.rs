use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Verdict, in_words};
use alfred_agent::tool::Choice;

use super::TOOLSET;
use super::history::{self, Again, Executed};
use super::interrupted::{self, Interrupted};
use crate::prelude::*;

/// How long failed parts of a workflow are offered again.
const OFFERED: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Most workflows to read, the newest.
const LOOKED_AT: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Id of its proposal, run or history entry; all when left out.
    workflow_id: Option<String>,
    /// A workflow's name or part of it.
    workflow_type: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    WaitsForConfirmation,
    Expired,
    Interrupted,
    /// It ended, and a part failed.
    Partial,
}

/// A workflow that isn't finished.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    workflow_id: String,
    #[serde(rename = "type")]
    kind: String,
    state: State,
    /// Whether this call resumed its run or showed its card again.
    resumed: bool,
    since: Timestamp,
    message: &'static str,
    /// The calls for what is left, with exactly these arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<Again>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_resumeWorkflow",
        "Goes on with a workflow that was cut off, waits for the person or failed in part.",
    ).flow(Flow::UNKNOWN)
    .rules(&[
        "Where system_resumeWorkflow gives calls under next, make them at once with exactly those arguments; the card asks the person.",
    ])
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, resume)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let left = Left::find(&context, &args).await?;
    let named = |kind: &str| in_words(kind.trim_start_matches("workflow_"));
    let waiting = left.waiting.iter().map(|one| one.preview.title.clone());
    let cut_off = left.cut_off.iter().map(|one| named(&one.workflow));
    let undone = left.undone.iter().map(|one| named(&one.kind));
    let all: Vec<String> = waiting.chain(cut_off).chain(undone).collect();
    Ok(Preview::new("Go on with what was left").body(all.join("\n")))
}

struct Left {
    waiting: Vec<Approval>,
    cut_off: Vec<Interrupted>,
    undone: Vec<Executed>,
}

impl Left {
    async fn find(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let mut waiting =
            pending::pending(&*context.store, &context.team, context.user_id()).await?;
        waiting.retain(|one| {
            let workflow = interrupted::is_workflow(&one.action_type);
            let own = one.owner == *context.user_id();
            workflow && own && args.mean(one.id.as_str(), &one.action_type)
        });
        let mut cut_off = interrupted::interrupted_runs(context).await?;
        cut_off.retain(|one| args.mean(one.run.as_str(), &one.workflow));
        let undone = undone(context, args).await?;
        Ok(Self {
            waiting,
            cut_off,
            undone,
        })
    }
}

async fn resume(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let Left {
        waiting,
        cut_off,
        undone,
    } = Left::find(&context, &args).await?;
    let found = waiting.len() + cut_off.len() + undone.len();
    if let (0, Some(id)) = (found, &args.workflow_id) {
        let problem = "is no workflow that waits, was cut off or has something left to do.";
        return Err(refused("workflowId", id, problem));
    }
    let open = waiting.iter().filter(|one| one.expires_at > context.now);
    // Shows only the sole or named card again, since that voids the old one.
    let shown = match open.collect::<Vec<_>>().as_slice() {
        [one] if found == 1 || args.workflow_id.is_some() => Some(again(one)),
        _ => None,
    };
    let waits = |one| waits(one, context.now, shown.as_ref());
    let views = waiting.iter().map(waits).chain(cut_off.iter().map(cut));
    let views: Vec<View> = views.chain(undone.into_iter().map(partial)).collect();
    let resumed = views.iter().filter(|view| view.resumed).count();
    let message = (views.is_empty())
        .then_some("No workflow of yours is interrupted, waits or ended with something undone.");
    let data = serde_json::json!({"resumed": resumed, "workflows": views, "message": message});
    let mut output = ToolOutput::data(&data)?;
    if !cut_off.is_empty() {
        // The tool only writes; the next sweep starts the run.
        let action = set_going(cut_off.len());
        let writes = cut_off.into_iter().flat_map(|one| one.going);
        output = output.with_effect(action, writes.collect());
    }
    Ok(match shown {
        Some(choice) => output.deciding(choice),
        None => output,
    })
}

fn set_going(count: usize) -> String {
    match count {
        1 => "Set an interrupted workflow going again".into(),
        several => format!("Set {several} interrupted workflows going again"),
    }
}

impl Arguments {
    fn mean(&self, id: &str, kind: &str) -> bool {
        let wanted = self.workflow_type.as_deref().unwrap_or_default();
        let named = self.workflow_id.as_deref();
        kind.to_lowercase().contains(&wanted.trim().to_lowercase())
            && named.is_none_or(|named| named.trim() == id)
    }
}

/// The newest workflow of each type, if it failed in part, can still be done and wasn't redone later.
async fn undone(context: &ToolContext, args: &Arguments) -> Result<Vec<Executed>, ToolError> {
    let since = context.now.saturating_sub(OFFERED).unwrap_or(context.now);
    let mut newest: Vec<Executed> = Vec::new();
    let mut later: Vec<Executed> = Vec::new();
    for mut one in history::since(context, since, LOOKED_AT).await?.items {
        one.again
            .retain(|again| !later.iter().any(|later| later.answers(again)));
        if later.iter().all(|known| known.kind != one.kind) {
            newest.push(one.clone());
        }
        later.push(one);
    }
    let today = today(context).to_string();
    newest.retain_mut(|one| {
        // A past day can't be planned.
        let over = |again: &Again| again.date().is_some_and(|date| date < today.as_str());
        one.again.retain(|again| !over(again));
        !one.again.is_empty() && args.mean(&one.id, &one.kind)
    });
    Ok(newest)
}

fn waits(approval: &Approval, now: Timestamp, shown: Option<&Choice>) -> View {
    let expired = approval.expires_at <= now;
    let resumed = shown.is_some_and(|choice| choice.approval == approval.id);
    let tool = crate::tool(&approval.action_type);
    let proposal = tool.as_ref().and_then(|tool| tool.proposal());
    let wished = proposal.and_then(|proposal| proposal.wished(&approval.payload).ok());
    let again = wished.map(|arguments| Again {
        tool: approval.action_type.clone(),
        arguments,
        day: None,
    });
    View {
        workflow_id: approval.id.to_string(),
        kind: approval.action_type.clone(),
        state: if expired {
            State::Expired
        } else {
            State::WaitsForConfirmation
        },
        resumed,
        since: approval.created_at,
        message: match (expired, resumed) {
            (true, _) => "Its card has expired; it can be proposed anew.",
            (false, true) => {
                "It waits for you; its card is below again, and the older one is void."
            }
            (false, false) => "It waits for you on its card.",
        },
        next: again.filter(|_| expired).into_iter().collect(),
    }
}

fn cut(one: &Interrupted) -> View {
    View {
        workflow_id: one.run.to_string(),
        kind: one.workflow.clone(),
        state: State::Interrupted,
        resumed: true,
        since: one.since,
        message: "It was cut off half-way and goes on now where it stopped.",
        next: Vec::new(),
    }
}

fn partial(one: Executed) -> View {
    View {
        workflow_id: one.id,
        kind: one.kind,
        state: State::Partial,
        resumed: false,
        since: one.executed_at,
        message: "Some of it didn't work; exactly that can be proposed again.",
        next: one.again,
    }
}

/// Shows the card of the same call again, as its next revision.
fn again(approval: &Approval) -> Choice {
    Choice {
        approval: approval.id.clone(),
        revision: approval.revision,
        verdict: Verdict::Edit,
        arguments: Some(approval.payload.clone()),
        note: None,
    }
}
