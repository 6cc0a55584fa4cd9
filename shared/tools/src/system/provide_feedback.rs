use alfred_planner::patterns::RemarkKind;
use alfred_planner::{Changes, Habits, Wish, check_wishes};
use serde_json::Map;

use super::TOOLSET;
use super::remarks::{self, Remark};
use crate::prelude::*;
use crate::user::day_preferences;

/// In characters.
const CATEGORY: usize = 50;
const MESSAGE: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Whether it is praise, blame, an idea or a defect.
    #[serde(rename = "type")]
    kind: RemarkKind,
    /// In a word: "schedule", "email", "tasks".
    category: String,
    /// What the person said, in their words.
    message: String,
    /// What all later plans should follow, in the fields of workflow_schedule's changes; nothing for one day or weekday alone.
    changes: Option<Map<String, Value>>,
}

pub fn tool() -> SharedTool {
    let description = "Keeps what the person says of how Alfred works for them; later plans follow a suggestion's changes.";
    let def = ToolDef::new(TOOLSET, "system_provideFeedback", description)
        // Later plans follow it.
        .flow(Flow::PRIVATE.steering())
        .with(|def| def.labels = &["type", "category"])
        .effect(Effect::ReversibleWrite);
    tool::shown(def, async |_, args| preview(args), keep)
}

fn preview(args: Arguments) -> Result<Preview> {
    let (wishes, unmet) = wishes(args.changes.unwrap_or_default())?;
    let wishes: Vec<String> = wishes.iter().map(Wish::to_string).chain(unmet).collect();
    Ok(Preview::new("Keep your feedback")
        .field("About", args.category)
        .any("Later plans follow", wishes.join(", "))
        .body(args.message))
}

async fn keep(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    for (field, said) in [("category", &args.category), ("message", &args.message)] {
        if said.trim().is_empty() {
            return Err(refused(field, said, "is empty; say what it is."));
        }
    }
    let (wishes, unmet) = wishes(args.changes.unwrap_or_default())?;
    let remark = Remark {
        kind: args.kind,
        category: text_up_to("category", &args.category, CATEGORY).map_err(invalid)?,
        message: text_up_to("message", &args.message, MESSAGE).map_err(invalid)?,
        wishes,
        at: context.now,
        tainted: context.tainted,
    };
    let mut data = json!({"kept": true, "type": remark.kind, "category": remark.category});
    if let Some(note) = why_not_followed(&context, &remark).await? {
        data["note"] = note.into();
    } else if !unmet.is_empty() {
        data["note"] = format!("Kept; plans can't follow this of it: {}.", unmet.join("; ")).into();
    }
    let writes = vec![remarks::write(&context, &remark)?];
    Ok(ToolOutput::data(&data)?.with_effect("Kept your feedback".to_owned(), writes))
}

/// The changes as wishes of plans, and what no field expresses.
fn wishes(changes: Map<String, Value>) -> Result<(Vec<Wish>, Vec<String>)> {
    let changes: Changes = serde_json::from_value(Value::Object(changes)).map_err(|error| {
        ToolError::failed(format!("changes: {error}")).say(text::NOT_ASKED_RIGHTLY)
    })?;
    let wishes = changes.wishes().map_err(invalid)?;
    match wishes.iter().find(|wish| wish.topic().is_none()) {
        Some(wish) => {
            let problem = "is about one task or block; later plans follow what is of whole days.";
            Err(refused(wish.field(), &wish.to_string(), problem))
        }
        None => Ok((wishes, changes.unmet)),
    }
}

/// The reason why plans won't follow a remark that looks like an instruction.
async fn why_not_followed(context: &ToolContext, remark: &Remark) -> Result<Option<String>> {
    let suggests = remark.kind == RemarkKind::Suggestion;
    let note = match (suggests, remark.wishes.is_empty()) {
        (true, true) => "Kept as words: plans of days follow only what stands in changes.",
        (false, true) => return Ok(None),
        (false, false) => "Kept, but plans follow its changes only where its type is a suggestion.",
        (true, false) if remark.tainted => {
            "Kept, but plans don't follow it: words the person didn't write may have shaped it."
        }
        (true, false) => {
            let habits = Habits::read(&day_preferences(context).await?).map_err(invalid)?;
            let (wishes, zone) = (&remark.wishes, context.zone());
            let error = check_wishes(&habits, wishes, today(context), &zone).err();
            return Ok(error.map(|error| format!("Kept, but plans don't follow it: {error}")));
        }
    };
    Ok(Some(note.to_owned()))
}
