use super::{TOOLSET, store, view};
use crate::entity::Entity;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "job_viewJobs",
        "Lists the person's reminders and scheduled jobs, paused ones too.",
    )
    .flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, _: Arguments) -> Result<ToolOutput, ToolError> {
    let jobs = store::list(&context).await?;
    let tainted = jobs.iter().any(Entity::is_tainted);
    let shown = jobs.iter().map(|stored| view::shown(&context, &stored.job));
    let shown: Vec<Value> = shown.collect();
    let data = json!({"total": shown.len(), "jobs": shown});
    Ok(ToolOutput::data(&data)?.bringing(Flow::of_stored(tainted)))
}
