//! Shows the habits that `alfred_planner::patterns` finds in the stored data.

use alfred_planner::patterns::{Pattern, What, patterns};

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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    timeframe: Timeframe,
    from: Date,
    until: Date,
    patterns: Vec<View>,
    considered: Considered,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
struct Considered {
    days: usize,
    tasks: usize,
    requests: usize,
    proposals: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    pattern: String,
    /// 0–1: the lower end of the Wilson interval of `agree` of `of`.
    confidence: f64,
    examples: Vec<String>,
    agree: usize,
    of: usize,
    /// Whether it is sure enough for plans to follow it.
    followed: bool,
    #[serde(flatten)]
    what: What,
}

impl From<Pattern> for View {
    fn from(found: Pattern) -> Self {
        Self {
            pattern: found.what.to_string(),
            confidence: found.confidence(),
            followed: found.is_sure(),
            examples: found.examples,
            agree: found.agree,
            of: found.of,
            what: found.what,
        }
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_showPatterns",
        "Says what the person's days, tasks, feedback and proposals have in common, with examples and how sure it is.",
    ).flow(Flow::PRIVATE);
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let timeframe = args.timeframe.unwrap_or(Timeframe::Week);
    let about = args.about.filter(|about| !about.is_empty());
    let about = about.unwrap_or_else(|| About::ALL.to_vec());
    let observed = observe(&context, timeframe, &about).await?;
    let seen = &observed.observations;
    let found = patterns(seen, &context.zone());
    let tainted = found.iter().any(|pattern| pattern.tainted);
    let shown = Shown {
        timeframe,
        from: observed.first,
        until: observed.last,
        considered: Considered {
            days: seen.days.len(),
            tasks: seen.tasks.len(),
            requests: seen.asked.len(),
            proposals: seen.offers.len(),
        },
        patterns: found.into_iter().map(View::from).collect(),
        note: observed.note,
    };
    Ok(ToolOutput::data(&shown)?.bringing(Flow::of_stored(tainted)))
}
