//! Completes a call with the result of the look before it.

use alfred_planner::ClockTime;
use serde_json::{Map, Value};

use crate::call::{Call, plus};
use crate::things::{self, Problem, list, only, text, titled};

/// The call, completed with the result of the look. `form` is the proposal in whose form the person writes.
pub(crate) fn complete(
    mut call: Call,
    look: &Call,
    data: &Value,
    form: Option<&str>,
) -> Result<Call, Problem> {
    match look.tool.as_str() {
        "email_viewEmails" => mails(&mut call, data)?,
        "schedule_viewSchedule" | "schedule_viewWeek" => return block(call, data),
        "task_viewTasks" => {
            let named = call.arguments["taskId"].as_str().unwrap_or_default();
            let found = titled(list(data, "tasks"), named);
            let task = only(&found, &["title"], NO_TASK)?;
            call.arguments.insert("taskId".into(), task["id"].clone());
        }
        "schedule_findGaps" => {
            let gap = list(data, "gaps").first();
            let gap = gap.ok_or_else(|| Problem::Unfit(NO_GAP.into()))?;
            let minutes = look.arguments["minDuration"].as_u64().unwrap_or_default();
            let minutes = u32::try_from(minutes).unwrap_or_default();
            let end = plus(text(gap, "startTime"), minutes);
            call.arguments.insert("date".into(), data["date"].clone());
            call.arguments
                .insert("startTime".into(), gap["startTime"].clone());
            call.arguments.insert("endTime".into(), end.into());
        }
        _ => proposal(&mut call, data, form)?,
    }
    Ok(call)
}

const NOTHING: &str = "I found nothing like that, so I did nothing.";
const NO_GAP: &str = "There is no free time of that length on that day.";
const NO_TASK: &str = "I found no task like that. A block or meeting needs a time, too: “move the dentist block to friday at 3pm”.";
const OTHER_DAY: &str = "That would be on another day, so I did nothing.";
const NO_PLAN: &str = "No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.";
const NO_TRIAGE: &str = "No triage is open that this could change. “triage my mail” makes one.";
const PLANS: &str = "Several of them are open: press Modify on the card that you mean.";

fn mails(call: &mut Call, data: &Value) -> Result<(), Problem> {
    let mails: Vec<&Value> = list(data, "emails").iter().collect();
    let pick = call.arguments.remove("pick").unwrap_or_default();
    let whole = pick == "some" || pick == "all" && data["total"] == mails.len();
    let meant = match mails.as_slice() {
        [newest, ..] if pick == "newest" => vec![*newest],
        all @ [_, ..] if whole => all.to_vec(),
        all => vec![only(all, &["subject", "from"], NOTHING)?],
    };
    let ids: Value = meant.iter().map(|mail| mail["id"].clone()).collect();
    let (name, ids) = match call.tool.as_str() {
        "email_processEmail" | "email_readEmail" | "email_createTaskFromEmail" => {
            ("emailId", ids[0].clone())
        }
        _ => ("emailIds", ids),
    };
    call.arguments.insert(name.into(), ids);
    Ok(())
}

/// The call for the block that is named or starts at a time. A meeting is moved or cancelled as such.
/// Without a time a block keeps its own one, perhaps later or earlier.
fn block(mut call: Call, data: &Value) -> Result<Call, Problem> {
    let mut take = |name: &str| call.arguments.remove(name).unwrap_or_default();
    let (named, at, later, earlier) = (take("blockId"), take("at"), take("later"), take("earlier"));
    let all = things::blocks(data);
    let mut found = titled(&all, named.as_str().unwrap_or_default());
    found.retain(|block| at.is_null() || at == text(block, "startTime"));
    let block = only(&found, &["startTime", "endTime", "title"], NOTHING)?;
    let meeting = block["type"] == "meeting";
    if call.tool == "schedule_deleteTimeBlock" && meeting {
        let event = Map::from_iter([("eventId".into(), block["eventId"].clone())]);
        return Ok(Call::new("calendar_cancelMeeting", event));
    }
    if call.tool == "schedule_moveTimeBlock" && !call.arguments.contains_key("newStartTime") {
        let start = ClockTime::parse("start", text(block, "startTime")).ok();
        let by = later.as_i64().unwrap_or_default() - earlier.as_i64().unwrap_or_default();
        let start = start.and_then(|start| u16::try_from(i64::from(start.minutes()) + by).ok());
        let start = start.and_then(ClockTime::from_minutes);
        let start = start.ok_or_else(|| Problem::Unfit(OTHER_DAY.into()))?;
        call.arguments
            .insert("newStartTime".into(), start.to_string().into());
    }
    if !meeting {
        call.arguments.insert("blockId".into(), block["id"].clone());
        return Ok(call);
    }
    let dates = [
        call.arguments.get("newDate"),
        block.get("date"),
        data.get("date"),
    ];
    let date = dates.into_iter().flatten().find_map(Value::as_str);
    let time = call.arguments["newStartTime"].as_str().unwrap_or_default();
    let moment = format!("{}T{time}", date.unwrap_or_default());
    let event = ("eventId".into(), block["eventId"].clone());
    let arguments = Map::from_iter([event, ("newTime".into(), moment.into())]);
    Ok(Call::new("calendar_rescheduleMeeting", arguments))
}

/// The open proposal of the kind that the words are about.
fn proposal(call: &mut Call, data: &Value, form: Option<&str>) -> Result<(), Problem> {
    let kind = call.arguments.remove("for").unwrap_or_default();
    let is_meant =
        |one: &&Value| one["tool"] == kind && form.is_none_or(|form| one["approvalId"] == form);
    let open: Vec<&Value> = list(data, "approvals").iter().filter(is_meant).collect();
    match open.as_slice() {
        [one] => {
            let id = one["approvalId"].clone();
            call.arguments.insert("proposalId".into(), id);
            Ok(())
        }
        [] if kind == "workflow_schedule" => Err(Problem::Nothing(NO_PLAN.into())),
        [] => Err(Problem::Nothing(NO_TRIAGE.into())),
        [..] => Err(Problem::Unfit(PLANS.into())),
    }
}
