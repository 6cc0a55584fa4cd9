use super::TOOLSET;
use super::history::{self, Executed};
use super::interrupted::{readable, runs};
use super::observed::newer_entries_left_out;
use crate::prelude::*;

/// Most workflows to read.
const LOOKED_AT: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// A workflow's name or part of it.
    workflow_type: Option<String>,
    /// Most entries, up to 100; 10 when left out.
    limit: Option<Number<1, 100>>,
    /// Adds each full result.
    include_details: Option<bool>,
}

pub fn tool() -> SharedTool {
    let description = "Lists what was done for the person today, and the workflows that were carried out, newest first.";
    let def = ToolDef::new(TOOLSET, "system_showWorkflowHistory", description).flow(Flow::UNKNOWN);
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let limit = args.limit.map_or(10, |limit| *limit as usize);
    let all = history::since(&context, Timestamp::MIN, LOOKED_AT).await?;
    let wanted = args.workflow_type.unwrap_or_default().trim().to_lowercase();
    let details = args.include_details.unwrap_or(false);
    let fits = |one: &Executed| one.kind.to_lowercase().contains(&wanted);
    let fitting: Vec<Executed> = all.items.into_iter().filter(fits).collect();
    let shown = fitting.iter().take(limit);
    let workflows: Vec<Value> = shown.map(|one| view(one, details)).collect();
    // The total counts those of this type in the last year, shown or not.
    let mut history = json!({"total": fitting.len(), "workflows": workflows});
    if all.unreadable > 0 {
        history["note"] = newer_entries_left_out(all.unreadable).into();
    }
    let (today, tainted) = done_today(&context).await?;
    add(&mut history, "today", json!(today));
    Ok(ToolOutput::data(&history)?.bringing(Flow::of_stored(details || tainted)))
}

/// The receipts of today, the newest last, and whether other people's words may be in them.
async fn done_today(context: &ToolContext) -> Result<(Vec<String>, bool)> {
    let (mut done, mut tainted) = (Vec::new(), false);
    for id in runs(context).await? {
        let loaded = readable(context.journal().load(&context.team, &id).await)?.flatten();
        let Some(loaded) = loaded.filter(|one| one.run.user == *context.user_id()) else {
            continue;
        };
        for step in &loaded.steps {
            let result = step.result().filter(|result| result.changed);
            let local = step.at.to_zoned(context.zone());
            if let Some(receipt) = result.and_then(|result| result.receipt.as_ref())
                && local.date() == today(context)
            {
                let line = format!("{} {}", local.strftime("%H:%M"), receipt.what);
                done.push((step.at, line));
                tainted |= loaded.run.is_tainted();
            }
        }
    }
    done.sort();
    Ok((done.into_iter().map(|(_, line)| line).collect(), tainted))
}

/// Without details only counts; titles and senders are only in the details.
fn view(one: &Executed, details: bool) -> Value {
    let mut view = json!({
        "id": one.id,
        "type": one.kind,
        "executedAt": one.executed_at,
        "status": one.status,
        "changes": one.in_numbers(),
        "outcome": one.outcome,
    });
    if details {
        view["details"] = one.changes.clone();
    }
    view
}
