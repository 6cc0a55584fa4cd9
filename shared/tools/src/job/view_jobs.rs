use super::{TOOLSET, store, view};
use crate::args::NoArguments;
use crate::prelude::*;

pub fn tool() -> SharedTool {
    let description = "Lists the person's reminders and scheduled jobs, paused ones too.";
    let def = ToolDef::new(TOOLSET, "job_viewJobs", description).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, _: NoArguments) -> Result<ToolOutput> {
    let jobs = store::list(&context).await?;
    let tainted = jobs.iter().any(Entity::is_tainted);
    let shown = jobs.iter().map(|stored| view::shown(&context, &stored.job));
    let shown: Vec<Value> = shown.collect();
    let data = json!({"total": shown.len(), "jobs": shown});
    Ok(ToolOutput::data(&data)?.bringing(Flow::of_stored(tainted)))
}
