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

impl RunContext<'_> {
    /// Runs the remaining parts and commits the call's result. Fails if another worker took over the run, or
    /// a part returns `Stop`.
    pub(super) async fn perform_parts(&mut self, ready: &Ready) -> Result<(), Failure> {
        let (arguments, call) = (ready.arguments.value(), &ready.call);
        loop {
            let steps = &self.loaded.steps;
            let done = done(steps, &call.id);
            let number = done.len() + 1;
            let mut whole = self.tool_context(&call.id);
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
                    return Ok(self.commit(vec![step.into()], writes, |_| {}).await?);
                }
                Some(Part::Call {
                    tool,
                    arguments,
                    left,
                }) => {
                    let part = ToolCall {
                        id: part_id(&call.id, number),
                        name: tool.def().name.to_string(),
                        arguments: arguments.to_string(),
                        echo: None,
                    };
                    self.show_status(&tool.def().toolset.status);
                    self.perform_part(ready, &part, &tool, (arguments, left))
                        .await?;
                    show::progress(self.ports, self.loaded, &call.id).await;
                }
            }
        }
    }

    /// Runs one part and commits it with its writes.
    async fn perform_part(
        &mut self,
        ready: &Ready,
        part: &ToolCall,
        tool: &SharedTool,
        (arguments, left): (Value, Option<Value>),
    ) -> Result<(), Failure> {
        let def = tool.def_of(&arguments);
        if def.effect == Effect::Outward {
            let (part, whole) = (&part.name, &ready.call.name);
            return Err(Failure::bug(format!(
                "{part} is outward and a part of {whole}"
            )));
        }
        let mut race = Race::over("an item");
        loop {
            let mut context = self.tool_context(&part.id);
            context.left.clone_from(&left);
            let began = context.now;
            let authorized = ready.arguments.part(arguments.clone());
            let result = tool.run(context, authorized).await;
            let output = result::answered(self, part, result).await?;
            let ms = elapsed_ms(began, self.now());
            self.ports.measure.tool(&part.name, ms);
            let writes = output.writes.clone();
            let step = given(part, def, output).took(ms);
            if race.won(self.commit(vec![step], writes, |_| {}).await)? {
                return Ok(());
            }
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
