use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{ApprovalDefault, Part, PartDone, Resolution, Tool};

use super::look::{look, telling};
use super::{Arguments, DAYS, Landed, Move, TOOLSET};
use crate::prelude::*;
use crate::schedule::meetings::{self, Meetings};
use crate::schedule::move_time_block::{self, Target, put};
use crate::schedule::taken::TakenBlock;

pub const NAME: &str = "focus_makeRoom";

struct MakeRoom(ToolDef);

pub fn tool() -> SharedTool {
    let description =
        "Looks for meetings on the person's focus blocks, and asks whether these should move.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        .flow(Flow::UNKNOWN)
        .effect(Effect::ReversibleWrite)
        .approval(ApprovalDefault::Always);
    Arc::new(MakeRoom(def))
}

#[async_trait]
impl Tool for MakeRoom {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn schema(&self) -> Value {
        let list =
            |what: &str| json!({"type": "array", "items": {"type": "object"}, "description": what});
        json!({
            "type": "object",
            "properties": {
                "moves": list("What a look found, to be asked about together."),
                "stuck": list("What a look found no place for."),
                "move": {"type": "object", "description": "One block, to be moved by itself."},
            },
            "additionalProperties": false,
        })
    }

    async fn resolve(&self, context: &ToolContext, arguments: Value) -> Result<Resolution> {
        let given: Arguments = tool::parsed(arguments.clone())?;
        if given.one.is_some() || !given.moves.is_empty() {
            return Ok(Resolution::Call(arguments));
        }
        let found = look(context).await?;
        if found.moves.is_empty() {
            return nothing(context, &found);
        }
        let found = serde_json::to_value(found).map_err(Failure::bug)?;
        Ok(Resolution::Call(found))
    }

    async fn preview(&self, _: &ToolContext, arguments: &Value) -> Result<Preview> {
        let args: Arguments = tool::parsed(arguments.clone())?;
        let title = match &args.one {
            Some(one) if one.back => "Move a focus block back",
            _ => focus_title(1),
        };
        let of_one = |one: &Move| shown(Preview::new(title), one, &one.title);
        Ok(args.one.as_ref().map_or_else(|| card(&args), of_one))
    }

    fn asked(&self, context: &ToolContext, arguments: &Value) -> Result<Vec<Write>> {
        let args: Arguments = tool::parsed(arguments.clone())?;
        Ok(telling(context, &args))
    }

    fn next_part(&self, _: &ToolContext, arguments: &Value, done: &[PartDone<'_>]) -> Option<Part> {
        let args: Arguments = tool::parsed(arguments.clone()).ok()?;
        if args.moves.is_empty() {
            return None;
        }
        if let Some(one) = args.moves.get(done.len()) {
            return Some(Part::Call {
                tool: crate::tool(NAME)?,
                arguments: json!({"move": one}),
                left: None,
            });
        }
        let mut lines = Vec::new();
        for (one, part) in args.moves.iter().zip(done).filter(|(_, part)| !part.ok) {
            let (from, output) = (one.from.in_words(), part.output);
            let why = output["say"].as_str().or(output["error"].as_str());
            let why = why.unwrap_or_default();
            lines.push(format!(
                "I left the focus block of {from} where it is: {why}"
            ));
        }
        if lines.is_empty() {
            lines.push(text::DONE.to_owned());
        }
        let output = ToolOutput::data(&json!({"say": lines.join("\n")})).ok()?;
        Some(Part::Finished(Box::new(output.bringing(Flow::PRIVATE))))
    }

    async fn run(&self, context: ToolContext, arguments: AuthorizedArgs) -> Result<ToolOutput> {
        let args: Arguments = tool::parsed(arguments.into_value())?;
        match args.one {
            Some(one) if one.back => take_back(&context, one).await,
            Some(one) => make_way(&context, one).await,
            None => Err(ToolError::Stop(Failure::bug("nothing to move was given"))),
        }
    }
}

fn focus_title(blocks: usize) -> &'static str {
    match blocks {
        1 => "A meeting landed on your focus block",
        _ => "Meetings landed on your focus blocks",
    }
}

/// The result when no block can move: a message, or nothing when no meeting landed.
fn nothing(context: &ToolContext, found: &Arguments) -> Result<Resolution> {
    let line = |one: &Move| format!("- {}", one.conflict(Landed::as_code));
    let lines: Vec<String> = found.stuck.iter().map(line).collect();
    let data = match lines.len() {
        0 => json!({}),
        count => json!({"say": format!(
            "{}, and I found no free place in the next {DAYS} days. You may want to shorten a block or decline a meeting:\n{}",
            focus_title(count),
            lines.join("\n")
        )}),
    };
    let mut output = ToolOutput::data(&data)?.bringing(Flow::of_stored(!lines.is_empty()));
    output.writes = telling(context, found);
    Ok(Resolution::Nothing(Box::new(output)))
}

fn card(args: &Arguments) -> Preview {
    let count = args.moves.len();
    let it = if count == 1 { "it" } else { "them" };
    let (yes, no) = (format!("Move {it}"), format!("Leave {it}"));
    let mut preview = Preview::new(focus_title(count)).answered(&yes, &no);
    for (at, one) in args.moves.iter().enumerate() {
        if count == 1 {
            preview = shown(preview, one, &one.title);
            continue;
        }
        // The card lists all meetings before all changes, so each block's title gets its time.
        let from = one.from.in_words();
        preview = shown(preview, one, &format!("{}, {from}", one.title));
        preview = preview.item(format!("/moves/{at}"), from);
    }
    let stuck = args.stuck.iter().map(|one| one.conflict(Landed::in_words));
    let stuck: Vec<String> = stuck.collect();
    if stuck.is_empty() {
        preview
    } else {
        preview.body(format!(
            "I found no free place in the next {DAYS} days for:\n{}",
            stuck.join("\n")
        ))
    }
}

fn shown(preview: Preview, one: &Move, block: &str) -> Preview {
    let mut preview = preview.field("Focus block", block);
    for meeting in &one.meetings {
        preview = preview.field("Meeting", meeting.in_words());
    }
    preview.change("When", one.from.in_words(), one.to.in_words())
}

/// Moves a block, if it and one of its meetings are still where the card showed them.
async fn make_way(context: &ToolContext, one: Move) -> Result<ToolOutput> {
    let taken = unchanged(context, &one).await?;
    let clock = meetings::clock(context, "date", one.from.date)?;
    let now = Meetings::load(context, &clock).await?;
    let is_one = |meeting: &alfred_planner::TimeBlock| {
        one.meetings.iter().any(|landed| landed.id == meeting.id)
    };
    if !now.on(&taken.block).any(is_one) {
        return Err(ToolError::failed("the meeting isn't on it any more."));
    }
    let (edit, _) = moved(context, taken, &one, &[]).await?;
    let back = Move {
        from: one.to,
        to: one.from,
        back: true,
        ..one.clone()
    };
    edit.undone_by(NAME, json!({"move": back})).output(context)
}

async fn take_back(context: &ToolContext, one: Move) -> Result<ToolOutput> {
    let taken = unchanged(context, &one).await?;
    let meetings = one.meetings.iter().map(|landed| landed.id.clone());
    let meetings: Vec<_> = meetings.collect();
    let (edit, back) = moved(context, taken, &one, &meetings).await?;
    match back {
        Some(back) => edit.undone_by(move_time_block::NAME, back).output(context),
        None => edit.not_undoable().output(context),
    }
}

async fn unchanged(context: &ToolContext, one: &Move) -> Result<TakenBlock> {
    let found = TakenBlock::load(context, one.block_id.as_str()).await?;
    let is_there = |taken: &TakenBlock| {
        let same_time = taken.block.span == one.from.span;
        taken.day.date == one.from.date && same_time && taken.block.title == one.title
    };
    let there = found.filter(is_there);
    there.ok_or_else(|| ToolError::failed("it was moved, changed or deleted since I asked."))
}

async fn moved(
    context: &ToolContext,
    taken: TakenBlock,
    one: &Move,
    beside: &[alfred_core::id::BlockId],
) -> Result<(Edit<TakenBlock>, Option<Value>)> {
    let written = one.to.span.start().to_string();
    let target = Target {
        clock: &meetings::clock(context, "date", one.to.date)?,
        span: one.to.span,
        written: &written,
        beside,
    };
    let (edit, back) = put(context, taken, &target).await?;
    Ok((edit.without_taint_of_run(), back))
}
