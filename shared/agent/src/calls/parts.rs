//! Calls made of others: one part after another, each with its own step.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use serde_json::Value;

use super::result::given;
use super::sort::Ready;
use super::{CallError, MAX_CONFLICT_RETRIES, answered, context, of_call};
use crate::approval::show;
use crate::interpret;
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::run::elapsed_ms;
use crate::status::StatusLine;
use crate::step::{Step, StepKind};
use crate::tool::{Effect, Part, PartDone, SharedTool, is_part, part_id, whole_of};

/// Parts of one call; more is a defect of its tool.
const MOST: usize = 200;

/// Does what is left of a call made of parts, and gives its result.
///
/// # Errors
/// `Superseded` when another worker has the run; a part's `Stop`.
pub async fn perform(
    ports: &Ports,
    loaded: &mut LoadedRun,
    ready: &Ready,
    status: &mut StatusLine,
) -> Result<(), CallError> {
    loop {
        let (arguments, call) = (ready.arguments.value(), &ready.call);
        let done = done(&loaded.steps, &call.id);
        let number = done.len() + 1;
        let now = ports.clock.now();
        let mut whole = of_call(context(ports, &loaded.run), &call.id, now);
        whole.tainted = tainted_when_asked(&loaded.steps, &call.id).unwrap_or(whole.tainted);
        whole.own_wishes = own_wishes(&loaded.steps, &call.id);
        match ready.tool.next_part(&whole, arguments, &done) {
            _ if number > MOST => {
                let detail = format!("{} has no end", call.name);
                return Err(CallError::Stop(Failure::bug(detail)));
            }
            None => {
                let detail = format!("{} stopped having parts", call.name);
                return Err(CallError::Stop(Failure::bug(detail)));
            }
            Some(Part::Finished(output)) => {
                let writes = output.writes.clone();
                let mut step = given(call, ready.tool.def(), *output);
                if let StepKind::ToolResult { changed, .. } = &mut step {
                    // Its parts changed what it changed.
                    *changed = false;
                }
                let steps = vec![(0, step)];
                return Ok(ports
                    .journal()
                    .commit(loaded, steps, writes, |_| {})
                    .await?);
            }
            Some(Part::Call { tool, arguments }) => {
                let part = ToolCall {
                    id: part_id(&call.id, number),
                    name: tool.def().name.to_string(),
                    arguments: arguments.to_string(),
                };
                status.show(ports, &loaded.run, &tool.def().toolset.status);
                one(ports, loaded, ready, &part, &tool, arguments).await?;
                show::progress(ports, loaded, &call.id).await;
            }
        }
    }
}

/// Whether the run had read other people's words when its owner was last asked about this call. What its
/// own parts brought in since shaped nothing of it.
fn tainted_when_asked(steps: &[Step], id: &str) -> Option<bool> {
    let asked = steps.iter().rev().find_map(|step| match &step.did {
        StepKind::Asked {
            call_id, tainted, ..
        } if call_id == id => Some(*tainted),
        _ => None,
    });
    asked.flatten()
}

/// What the owner wrote on the card of this call themselves, as a model that saw nobody else's words made
/// arguments of it, as far as these were used.
fn own_wishes(steps: &[Step], id: &str) -> Vec<Value> {
    let (mut wishes, mut read) = (Vec::new(), Vec::new());
    let (mut before, mut own) = (&Value::Null, false);
    for step in steps {
        match &step.did {
            StepKind::Asked {
                call_id, arguments, ..
            } if call_id == id => {
                let used = std::mem::take(&mut read);
                if arguments != before {
                    wishes.extend(used);
                }
                before = arguments;
            }
            StepKind::Decided { call_id, taint, .. } if call_id == id => {
                own = taint.untrusted.is_empty();
            }
            StepKind::Interpreted {
                call_id,
                name,
                turn,
                flow,
            } if call_id == id && own && !flow.untrusted => {
                read = interpret::wanted(turn, name).unwrap_or_default();
            }
            _ => {}
        }
    }
    wishes
}

/// The parts of a call that were tried, in order.
fn done<'a>(steps: &'a [Step], id: &str) -> Vec<PartDone<'a>> {
    let of_this = |call: &str| is_part(call) && whole_of(call) == id;
    steps
        .iter()
        .filter_map(|step| match &step.did {
            StepKind::ToolResult {
                call_id,
                name,
                ok,
                output,
                ..
            } if of_this(call_id) => Some(PartDone {
                tool: name,
                ok: *ok,
                output,
            }),
            _ => None,
        })
        .collect()
}

/// One part, in one commit with what it writes.
async fn one(
    ports: &Ports,
    loaded: &mut LoadedRun,
    ready: &Ready,
    part: &ToolCall,
    tool: &SharedTool,
    arguments: Value,
) -> Result<(), CallError> {
    let def = tool.def_of(&arguments);
    if def.effect == Effect::Outward {
        let detail = format!("{} is outward and a part of {}", part.name, ready.call.name);
        return Err(CallError::Stop(Failure::bug(detail)));
    }
    for _ in 0..MAX_CONFLICT_RETRIES {
        let began = ports.clock.now();
        let context = of_call(context(ports, &loaded.run), &part.id, began);
        let authorized = ready.arguments.part(arguments.clone());
        let result = tool.run(context, authorized).await;
        let output = answered(ports, &loaded.run, part, result).await?;
        let ms = elapsed_ms(began, ports.clock.now());
        ports.measure.tool(&part.name, ms);
        let writes = output.writes.clone();
        let step = given(part, def, output);
        match ports
            .journal()
            .commit(loaded, vec![(ms, step)], writes, |_| {})
            .await
        {
            Ok(()) => return Ok(()),
            Err(CommitError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(CallError::Stop(Failure::retry("an item is contended")))
}
