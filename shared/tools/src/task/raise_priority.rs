use alfred_planner::Priority;

use super::TOOLSET;
use super::store::StoredTask;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: Ref<StoredTask>,
    /// How many steps, 1 or 2; 1 when left out.
    steps: Option<Number<1, 2>>,
}

pub fn tool() -> SharedTool {
    let description = "Makes a task more important.";
    let def = ToolDef::new(TOOLSET, "task_raisePriority", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    edit::tool(def, raise)
}

async fn raise(context: ToolContext, args: Arguments) -> Result<Edit<StoredTask>> {
    let before = args.task_id.find(&context).await?;
    let mut after = before.clone();
    for _ in 0..args.steps.map_or(1, |steps| *steps) {
        after.task.priority = match after.task.priority {
            Priority::Low => Priority::Medium,
            Priority::Medium | Priority::High => Priority::High,
        };
    }
    Ok(Edit::change("Raise a task's priority", before, after))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[tokio::test]
    async fn the_example_of_the_documentation_has_a_card_a_receipt_and_an_undo() {
        let harness = ToolHarness::at("2026-11-20T08:00:00Z");
        harness.task("Call Ana", 5, "low").await;
        let (tool, args) = (super::tool(), json!({"taskId": "ana", "steps": 2}));
        let card = tool.preview(&harness.context, &args).await.unwrap();
        assert_snapshot!(card.as_text(), @"
        Raise a task's priority
        Task: Call Ana
        ~ Priority: low → high
        ");
        let run = async |args: Value| {
            let args = harness.authorized(&tool, args);
            tool.run(harness.context.clone(), args).await
        };
        let output = run(args.clone()).await.unwrap();
        harness.commit(&output).await.unwrap();
        let receipt = output.receipt.unwrap();
        assert_eq!(receipt.what, "Changed task \"Call Ana\": priority high");
        assert_eq!(run(args).await.unwrap_err().to_string().lines().count(), 1);
        let undone = harness.undo(receipt.undo).await;
        assert_eq!(undone["task"]["priority"], "low");
    }
}
