use alfred_schedule::{JobState, StoredJob};

use super::{TOOLSET, content};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its name.
    job_id: Ref<StoredJob>,
}

pub fn tool() -> SharedTool {
    let description = "Deletes a reminder or scheduled job. To pause it: job_updateJob.";
    let def = ToolDef::new(TOOLSET, "job_deleteJob", description)
        .flow(Flow::PRIVATE.steering())
        .effect(Effect::ReversibleWrite);
    edit::tool(def, delete)
}

async fn delete(context: ToolContext, args: Arguments) -> Result<Edit<StoredJob>> {
    let stored = args.job_id.find(&context).await?;
    let job = &stored.job;
    if !job.is_kept() {
        return Err(args.job_id.refused("is over already."));
    }
    let words = content::words_of(&job.does).0.to_owned();
    let receipt = format!("Deleted “{}” from what is scheduled", job.name);
    let status = match job.state {
        JobState::Active => "active",
        _ => "paused",
    };
    let back = json!({"jobId": job.id, "status": status});
    Ok(Edit::delete("Delete what is scheduled", stored)
        .receipt(receipt)
        .line("What", words, String::new())
        .undone_by("job_updateJob", back))
}
