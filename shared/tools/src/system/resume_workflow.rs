use alfred_agent::model::{Approval, Verdict, in_words};

use super::TOOLSET;
use super::history::{self, Again, Executed};
use super::interrupted::{self, Interrupted};
use super::proposal::choice;
use crate::approval;
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
    /// It waits, and this call shows its card again.
    #[serde(rename = "waits_for_confirmation")]
    Reshown,
    Expired,
    /// This call resumes its run.
    Interrupted,
    /// It ended, and a part failed.
    Partial,
}

pub fn tool() -> SharedTool {
    let description =
        "Goes on with a workflow that was cut off, waits for the person or failed in part.";
    let def = ToolDef::new(TOOLSET, "system_resumeWorkflow", description).flow(Flow::UNKNOWN)
    .rules(&[
        "Where system_resumeWorkflow gives calls under next, make them at once with exactly those arguments; the card asks the person.",
    ])
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, resume)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
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
    async fn find(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let mut waiting = approval::waiting(context).await?;
        waiting.retain(|one| {
            let workflow = interrupted::is_workflow(&one.action_type);
            let own = one.owner == *context.user_id();
            workflow && own && args.mean(one.id.as_str(), &one.action_type)
        });
        let mut cut_off = interrupted::interrupted_runs(context).await?;
        cut_off.retain(|one| args.mean(one.run.as_str(), &one.workflow));
        Ok(Self {
            waiting,
            cut_off,
            undone: undone(context, args).await?,
        })
    }
}

async fn resume(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let left = Left::find(&context, &args).await?;
    let found = left.waiting.len() + left.cut_off.len() + left.undone.len();
    if let (0, Some(id)) = (found, &args.workflow_id) {
        let problem = "is no workflow that waits, was cut off or has something left to do.";
        return Err(refused("workflowId", id, problem));
    }
    let is_open = |one: &&Approval| one.expires_at > context.now;
    let open = left.waiting.iter().filter(is_open);
    // Shows only the sole or named card again, as its next revision, since that voids the old one.
    let shown = match open.collect::<Vec<_>>().as_slice() {
        [one] if found == 1 || args.workflow_id.is_some() => {
            Some(choice(one, Verdict::Edit, Some(one.payload.clone())))
        }
        _ => None,
    };
    let shown_again = shown.as_ref().map(|choice| &choice.approval);
    let waits = left.waiting.iter().map(|one| {
        let state = if one.expires_at <= context.now {
            State::Expired
        } else if shown_again == Some(&one.id) {
            State::Reshown
        } else {
            State::WaitsForConfirmation
        };
        let next = Vec::from_iter(proposed_again(one).filter(|_| state == State::Expired));
        let id = one.id.as_str();
        view(id, &one.action_type, state, one.created_at, &next)
    });
    let cut = left.cut_off.iter().map(|one| {
        let (id, kind) = (one.run.as_str(), &one.workflow);
        view(id, kind, State::Interrupted, one.since, &[])
    });
    let partial = left.undone.iter().map(|one| {
        let (id, kind) = (&one.id, &one.kind);
        view(id, kind, State::Partial, one.executed_at, &one.again)
    });
    let views: Vec<Value> = waits.chain(cut).chain(partial).collect();
    let resumed = left.cut_off.len() + usize::from(shown.is_some());
    let message = (views.is_empty()).then_some("No plan or triage is open.");
    let data = json!({"resumed": resumed, "workflows": views, "message": message});
    let mut output = ToolOutput::data(&data)?;
    if !left.cut_off.is_empty() {
        // The tool only writes; the next sweep starts the run.
        let action = match left.cut_off.len() {
            1 => "Set an interrupted workflow going again".to_owned(),
            several => format!("Set {several} interrupted workflows going again"),
        };
        let writes = left.cut_off.into_iter().flat_map(|one| one.going);
        output = output.with_effect(action, writes.collect());
    }
    output.choices.extend(shown);
    Ok(output)
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
async fn undone(context: &ToolContext, args: &Arguments) -> Result<Vec<Executed>> {
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

/// The call that proposes an expired workflow again.
fn proposed_again(approval: &Approval) -> Option<Again> {
    let tool = crate::tool(&approval.action_type)?;
    Some(Again {
        tool: approval.action_type.clone(),
        arguments: tool.proposal()?.wished(&approval.payload).ok()?,
        day: None,
    })
}

/// A workflow that isn't finished. `next` are the calls for what is left, with exactly these arguments.
fn view(id: &str, kind: &str, state: State, since: Timestamp, next: &[Again]) -> Value {
    let message = match state {
        State::WaitsForConfirmation => "It waits for you on its card.",
        State::Reshown => "It waits for you; its card is below again, and the older one is void.",
        State::Expired => "Its card has expired; it can be proposed again.",
        State::Interrupted => "It was cut off half-way and goes on now where it stopped.",
        State::Partial => "Some of it didn't work; exactly that can be proposed again.",
    };
    let mut view = json!({
        "workflowId": id,
        "type": kind,
        "state": state,
        "resumed": matches!(state, State::Reshown | State::Interrupted),
        "since": since,
        "message": message,
    });
    add(&mut view, "next", json!(next));
    view
}
