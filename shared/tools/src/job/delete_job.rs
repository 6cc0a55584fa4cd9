use alfred_schedule::JobState;

use super::{TOOLSET, content, store, view};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its name.
    job_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "job_deleteJob",
        "Deletes a reminder or scheduled job. To let it rest: job_updateJob.",
    )
    .flow(Flow::PRIVATE.steering())
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, delete)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let job = store::get(&context, &args.job_id).await?.job;
    let words = content::words_of(&job.does).0;
    Ok(Preview::new("Delete what is scheduled")
        .change("Name", &job.name, "")
        .change("When", view::when(&context, &job), "")
        .change("What", words, ""))
}

async fn delete(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let stored = store::get(&context, &args.job_id).await?;
    let tainted = store::is_tainted(&stored.job);
    context.ensure_as_left(&stored.job.name, tainted, &store::left(&stored.job))?;
    if !stored.job.is_kept() {
        return Err(refused("jobId", &args.job_id, "is over already."));
    }
    let was_active = stored.job.state == JobState::Active;
    let job = stored.job.clone().resting(JobState::Deleted);
    let writes = store::write(&context, &job, Some(&stored))?;
    let back = json!({"jobId": job.id, "status": if was_active { "active" } else { "paused" }});
    let data = json!({"deleted": view::shown(&context, &stored.job)});
    Ok(ToolOutput::data(&data)?
        .with_effect(
            format!("Deleted “{}” from what is scheduled", job.name),
            writes,
        )
        .undone_by("job_updateJob", [back])
        .leaving([store::left(&job)])
        .bringing(Flow::of_stored(tainted)))
}
