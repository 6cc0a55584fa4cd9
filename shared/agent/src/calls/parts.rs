//! Runs calls that consist of several calls, one part after another, each with its own step.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use serde_json::Value;

use crate::calls::context::RunContext;
use crate::calls::result::{self, given};
use crate::calls::stage::Ready;
use crate::history;
use crate::model::effect::Effect;
use crate::model::run::elapsed_ms;
use crate::model::step::Step;
use crate::slack::show;
use crate::store::race::Race;
use crate::tool::{Part, PartDone, SharedTool, is_part, part_id, whole_of};

/// Maximum parts of one call. More indicates a bug in its tool.
const MOST: usize = 200;

/// Runs the remaining parts and commits the call's result. Fails if another worker took over the run, or
/// a part returns `Stop`.
pub(crate) async fn perform_parts(cx: &mut RunContext<'_>, ready: &Ready) -> Result<(), Failure> {
    let (arguments, call) = (ready.arguments.value(), &ready.call);
    loop {
        let steps = &cx.loaded.steps;
        let done = done(steps, &call.id);
        let number = done.len() + 1;
        let mut whole = cx.tool_context(&call.id);
        if let Some(asked) = history::asked(steps, &call.id) {
            // Taint from the call's own parts came later and didn't shape it.
            whole.tainted = asked.tainted;
        }
        match ready.tool.next_part(&whole, arguments, &done) {
            _ if number > MOST => {
                return Err(Failure::bug(format!("{} has no end", call.name)));
            }
            None => {
                return Err(Failure::bug(format!("{} stopped having parts", call.name)));
            }
            Some(Part::Finished(output)) => {
                let writes = output.writes.clone();
                let mut step = given(call, ready.tool.def(), *output);
                // The parts' own steps already record the change.
                step.changed = false;
                return Ok(cx.commit(vec![step.into()], writes, |_| {}).await?);
            }
            Some(Part::Call {
                tool,
                arguments,
                left,
            }) => {
                cx.show_status(&tool.def().toolset.status);
                let part = Subcall {
                    id: part_id(&call.id, number),
                    tool,
                    arguments,
                    left,
                };
                perform_part(cx, ready, &part).await?;
                show::progress(cx.ports, cx.loaded, &call.id).await;
            }
        }
    }
}

/// A part that runs now.
struct Subcall {
    id: String,
    tool: SharedTool,
    arguments: Value,
    /// For an undo part: the state that the effect left.
    left: Option<Value>,
}

/// Runs one part and commits it with its writes.
async fn perform_part(
    cx: &mut RunContext<'_>,
    ready: &Ready,
    part: &Subcall,
) -> Result<(), Failure> {
    let def = part.tool.def_of(&part.arguments);
    let call = ToolCall {
        id: part.id.clone(),
        name: part.tool.def().name.to_string(),
        arguments: part.arguments.to_string(),
        echo: None,
    };
    if def.effect == Effect::Outward {
        let (part, whole) = (&call.name, &ready.call.name);
        return Err(Failure::bug(format!(
            "{part} is outward and a part of {whole}"
        )));
    }
    let mut race = Race::over("an item");
    loop {
        let mut context = cx.tool_context(&part.id);
        context.left.clone_from(&part.left);
        let began = context.now;
        let authorized = ready.arguments.part(part.arguments.clone());
        let result = part.tool.run(context, authorized).await;
        let output = result::answered(cx, &call, result).await?;
        let ms = elapsed_ms(began, cx.now());
        (cx.ports.measure)(ms);
        let writes = output.writes.clone();
        let step = given(&call, def, output).took(ms);
        if race.won(cx.commit(vec![step], writes, |_| {}).await)? {
            return Ok(());
        }
    }
}

/// Finished parts of a call, in order.
fn done<'a>(steps: &'a [Step], id: &str) -> Vec<PartDone<'a>> {
    let results = steps.iter().filter_map(Step::result);
    let parts = results.filter(|one| is_part(&one.call_id) && whole_of(&one.call_id) == id);
    let done = parts.map(|part| PartDone {
        tool: &part.name,
        ok: part.ok,
        output: &part.output,
    });
    done.collect()
}
