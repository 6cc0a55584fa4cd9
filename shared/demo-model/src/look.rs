//! What a look found, as the arguments of the call behind it.

use alfred_planner::ClockTime;
use serde_json::{Map, Value};

use crate::call::{Call, plus};
use crate::things::{self, Miss, list, one, text, titled};

/// The calls with what the look found.
pub(crate) fn follow(
    mut call: Call,
    look: &Call,
    data: &Value,
    form: Option<&str>,
) -> Result<Vec<Call>, Miss> {
    match look.tool.as_str() {
        "email_viewEmails" => mails(&mut call, data)?,
        "schedule_viewSchedule" | "schedule_viewWeek" => return blocks(call, data),
        "task_viewTasks" => {
            let named = call.arguments["taskId"].as_str().unwrap_or_default();
            let found = titled(list(data, "tasks"), named);
            let task = one(&found, &["title"], NO_TASK)?;
            call.arguments.insert("taskId".into(), task["id"].clone());
        }
        "schedule_findGaps" => {
            let gap = list(data, "gaps").first();
            let gap = gap.ok_or_else(|| Miss::Unfit(NO_GAP.into()))?;
            call.arguments.insert("date".into(), data["date"].clone());
            call.arguments
                .insert("startTime".into(), gap["startTime"].clone());
            let minutes = look.arguments["minDuration"].as_u64().unwrap_or_default();
            let minutes = u32::try_from(minutes).unwrap_or_default();
            let end = plus(text(gap, "startTime"), minutes);
            call.arguments.insert("endTime".into(), end.into());
        }
        _ => proposal(&mut call, data, form)?,
    }
    Ok(vec![call])
}

const NOTHING: &str = "I found nothing like that, so I did nothing.";
const NO_GAP: &str = "There is no free time of that length on that day.";
const NO_TASK: &str = "I found no task like that. A block or meeting needs a time, too: “move the dentist block to friday at 3pm”.";
const MEETINGS: &str = "There are meetings of your calendar, too, so I did nothing. I delete blocks by name: “delete the lunch block”, and meetings: “cancel my meeting with Ben”.";
const NO_PLAN: &str = "No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.";
const NO_TRIAGE: &str = "No triage is open that this could change. “triage my mail” makes one.";
const PLANS: &str = "Several of them are open: press Modify on the card that you mean.";

fn mails(call: &mut Call, data: &Value) -> Result<(), Miss> {
    let mails: Vec<&Value> = list(data, "emails").iter().collect();
    let pick = call.arguments.remove("pick").unwrap_or_default();
    let whole = pick == "some" || pick == "all" && data["total"] == mails.len();
    let meant = match mails.as_slice() {
        [newest, ..] if pick == "newest" => vec![*newest],
        all @ [_, ..] if whole => all.to_vec(),
        all => vec![one(all, &["subject", "from"], NOTHING)?],
    };
    let ids: Value = meant.iter().map(|mail| mail["id"].clone()).collect();
    match call.tool.as_str() {
        "task_createTask" => {
            call.arguments
                .insert("title".into(), meant[0]["subject"].clone());
            call.arguments.insert("source".into(), "email".into());
        }
        "email_processEmail" | "email_readEmail" | "email_createTaskFromEmail" => {
            call.arguments.insert("emailId".into(), ids[0].clone());
        }
        _ => drop(call.arguments.insert("emailIds".into(), ids)),
    }
    Ok(())
}

/// The calls for the block that is named, that is on at a time or in a part of the day, or for all of those.
fn blocks(mut call: Call, data: &Value) -> Result<Vec<Call>, Miss> {
    let [named, at, part, pick] = ["blockId", "at", "part", "pick"]
        .map(|name| call.arguments.remove(name).unwrap_or_default());
    let all = things::blocks(data);
    let mut found = titled(&all, named.as_str().unwrap_or_default());
    let (from, to) = (part[0].as_str(), part[1].as_str());
    let within = from.unwrap_or("00:00")..to.unwrap_or("24:00");
    found.retain(|block| {
        let start = text(block, "startTime");
        (at.is_null() || at == start) && within.contains(&start)
    });
    if pick == "all" && !found.is_empty() {
        if found.iter().any(|block| block["type"] == "meeting") {
            return Err(Miss::Unfit(MEETINGS.into()));
        }
        let each = found.into_iter();
        return each
            .map(|block| named_block(call.clone(), block, data))
            .collect();
    }
    let block = one(&found, &["startTime", "endTime", "title"], NOTHING)?;
    Ok(vec![named_block(call, block, data)?])
}

/// The call for this block; one that is a meeting is moved as such. To another day it goes at its own time.
fn named_block(mut call: Call, block: &Value, data: &Value) -> Result<Call, Miss> {
    let mut minutes = |name: &str| call.arguments.remove(name).and_then(|it| it.as_i64());
    let by = minutes("later").or(minutes("earlier").map(|minutes| -minutes));
    let meeting = block["type"] == "meeting";
    if call.tool == "schedule_deleteTimeBlock" && meeting {
        let event = Map::from_iter([("eventId".into(), block["eventId"].clone())]);
        return Ok(Call::new("calendar_cancelMeeting", event));
    }
    if call.tool == "schedule_moveTimeBlock" && !call.arguments.contains_key("newStartTime") {
        let start = ClockTime::parse("start", text(block, "startTime")).ok();
        let start = start.map(|start| i64::from(start.minutes()) + by.unwrap_or_default());
        let start = start.and_then(|start| ClockTime::from_minutes(u16::try_from(start).ok()?));
        let other = || Miss::Unfit("That would be on another day, so I did nothing.".into());
        let start = start.ok_or_else(other)?.to_string();
        call.arguments.insert("newStartTime".into(), start.into());
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

fn proposal(call: &mut Call, data: &Value, form: Option<&str>) -> Result<(), Miss> {
    let kind = call.arguments.remove("for").unwrap_or_default();
    let open = list(data, "approvals").iter();
    let is_meant = |id: &Value| form.is_none_or(|form| id == form);
    let open = open.filter(|one| one["tool"] == kind && is_meant(&one["approvalId"]));
    let open: Vec<&Value> = open.collect();
    match open.as_slice() {
        [one] => {
            let id = one["approvalId"].clone();
            call.arguments.insert("proposalId".into(), id);
            Ok(())
        }
        [] if kind == "workflow_schedule" => Err(Miss::Nothing(NO_PLAN.into())),
        [] => Err(Miss::Nothing(NO_TRIAGE.into())),
        [..] => Err(Miss::Unfit(PLANS.into())),
    }
}
