//! Shows the habits that `alfred_planner::patterns` finds in the stored data.

use alfred_planner::patterns::{Pattern, patterns};

use super::TOOLSET;
use super::observed::{About, Timeframe, observe};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// How far back; week when left out.
    timeframe: Option<Timeframe>,
    /// All when left out.
    about: Option<Vec<About>>,
}

pub fn tool() -> SharedTool {
    let description = "Says what the person's days, tasks, feedback and proposals have in common, with examples and how sure it is.";
    let def = ToolDef::new(TOOLSET, "system_showPatterns", description).flow(Flow::PRIVATE);
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let timeframe = args.timeframe.unwrap_or(Timeframe::Week);
    let all = [About::Days, About::Tasks, About::Feedback, About::Proposals];
    let about = args.about.filter(|about| !about.is_empty());
    let about = about.unwrap_or_else(|| all.to_vec());
    let observed = observe(&context, timeframe, &about).await?;
    let seen = &observed.observations;
    let found = patterns(seen, &context.zone());
    let tainted = found.iter().any(|pattern| pattern.tainted);
    let views: Vec<Value> = found.iter().map(view).collect();
    let mut shown = json!({
        "timeframe": timeframe,
        "from": observed.first,
        "until": observed.last,
        "patterns": views,
        "considered": {
            "days": seen.days.len(),
            "tasks": seen.tasks.len(),
            "requests": seen.asked.len(),
            "proposals": seen.offers.len(),
        },
    });
    add(&mut shown, "note", json!(observed.note));
    Ok(ToolOutput::data(&shown)?.bringing(Flow::of_stored(tainted)))
}

/// `confidence` is the lower end of the Wilson interval of `agree` of `of`, from 0 to 1. Plans follow what is
/// `followed`.
fn view(found: &Pattern) -> Value {
    let mut view = json!(found.what);
    view["pattern"] = json!(found.what.to_string());
    view["confidence"] = json!(found.confidence());
    view["examples"] = json!(found.examples);
    view["agree"] = json!(found.agree);
    view["of"] = json!(found.of);
    view["followed"] = json!(found.is_sure());
    view
}
