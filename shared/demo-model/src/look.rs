//! What a look found, as the arguments of the call behind it.

use alfred_planner::ClockTime;
use serde_json::{Value, json};

use crate::call::{Call, ending};
use crate::things::{list, one, text, titled};

/// The calls with what the look found, or why there are none.
pub(crate) fn follow(mut call: Call, look: &Call, data: &Value) -> Result<Vec<Call>, String> {
    match look.tool {
        "email_viewEmails" => mails(&mut call, data)?,
        "schedule_viewSchedule" => return blocks(call, data),
        "task_viewTasks" => {
            let named = call.arguments["taskId"].as_str().unwrap_or_default();
            let found = titled(list(data, "tasks"), named);
            let task = one(&found, &["title"], NO_TASK)?;
            call.arguments.insert("taskId".into(), task["id"].clone());
        }
        "schedule_findGaps" => {
            let gap = list(data, "gaps").first();
            let gap = gap.ok_or("There is no free time of that length on that day.")?;
            call.arguments.insert("date".into(), data["date"].clone());
            call.arguments
                .insert("startTime".into(), gap["startTime"].clone());
            let minutes = look.arguments.get("minDuration").and_then(Value::as_u64);
            ending(&mut call.arguments, minutes.unwrap_or_default());
        }
        _ => proposal(&mut call, data)?,
    }
    Ok(vec![call])
}

const NOTHING: &str = "I found nothing like that, so I did nothing.";
const NO_TASK: &str = "I found no task like that. A block or meeting needs a time, too: “move the dentist block to friday at 3pm”.";

fn mails(call: &mut Call, data: &Value) -> Result<(), String> {
    let mails = list(data, "emails");
    let pick = call.arguments.remove("pick").unwrap_or_default();
    let ids: Vec<&Value> = mails.iter().map(|mail| &mail["id"]).collect();
    let ids = match ids.as_slice() {
        [newest, ..] if pick == "newest" => json!([newest]),
        [_] => json!(ids),
        [_, ..] if pick == "all" && data["total"] == mails.len() => json!(ids),
        [_, ..] if pick == "some" => json!(ids),
        _ => {
            let mails: Vec<&Value> = mails.iter().collect();
            return one(&mails, &["subject", "from"], NOTHING).map(drop);
        }
    };
    if call.tool == "task_createTask" {
        let mut mails = mails.iter();
        let subject = mails
            .find(|mail| mail["id"] == ids[0])
            .map(|mail| mail["subject"].clone());
        call.arguments
            .extend(subject.map(|subject| ("title".into(), subject)));
        call.arguments.insert("source".into(), "email".into());
        return Ok(());
    }
    match call.tool {
        "email_archiveBatch" | "email_batchCategorize" => {
            call.arguments.insert("emailIds".into(), ids)
        }
        _ => call.arguments.insert("emailId".into(), ids[0].clone()),
    };
    Ok(())
}

/// The calls for the block that is named, that is on at a time or in a part of the day, or for all of those.
fn blocks(mut call: Call, data: &Value) -> Result<Vec<Call>, String> {
    let [named, at, part, pick] = ["blockId", "at", "part", "pick"]
        .map(|name| call.arguments.remove(name).unwrap_or_default());
    let mut found = titled(list(data, "blocks"), named.as_str().unwrap_or_default());
    let (from, to) = (part[0].as_str(), part[1].as_str());
    let within = from.unwrap_or("00:00")..to.unwrap_or("24:00");
    found.retain(|block| {
        let start = text(block, "startTime");
        (at.is_null() || at == start) && within.contains(&start)
    });
    if pick == "all" && !found.is_empty() {
        if found.iter().any(|block| block["type"] == "meeting") {
            return Err("There are meetings of your calendar, too, which I can't cancel. I delete blocks by name: “delete the lunch block”.".into());
        }
        let each = found.into_iter();
        return each
            .map(|block| named_block(call.clone(), block, data))
            .collect();
    }
    let block = one(&found, &["startTime", "endTime", "title"], NOTHING)?;
    Ok(vec![named_block(call, block, data)?])
}

/// The call for this block; one that is a meeting is moved as such.
fn named_block(mut call: Call, block: &Value, data: &Value) -> Result<Call, String> {
    let mut minutes = |name: &str| call.arguments.remove(name).and_then(|it| it.as_i64());
    let (later, earlier) = (minutes("later"), minutes("earlier"));
    let meeting = block["type"] == "meeting";
    if let Some(minutes) = later.or(earlier.map(|minutes| -minutes)) {
        let start = ClockTime::parse("start", text(block, "startTime")).ok();
        let start = start.map(|start| i64::from(start.minutes()) + minutes);
        let start = start.and_then(|start| ClockTime::from_minutes(u16::try_from(start).ok()?));
        let start = start.ok_or("That would be on another day, so I did nothing.")?;
        call.arguments
            .insert("newStartTime".into(), start.to_string().into());
    }
    match (call.tool, meeting) {
        ("schedule_deleteTimeBlock", true) => return Err(
            "That is a meeting of your calendar, which I can't cancel. I can move one: “move my meeting with Ben to friday at 3pm”.".into(),
        ),
        (_, true) => {
            let date = call.arguments.get("newDate").unwrap_or(&data["date"]);
            let time = call.arguments["newStartTime"].as_str().unwrap_or_default();
            let moment = format!("{}T{time}", date.as_str().unwrap_or_default());
            let arguments = json!({"eventId": block["eventId"], "newTime": moment});
            call.tool = "calendar_rescheduleMeeting";
            call.arguments = arguments.as_object().cloned().unwrap_or_default();
        }
        (_, false) => drop(call.arguments.insert("blockId".into(), block["id"].clone())),
    }
    Ok(call)
}

fn proposal(call: &mut Call, data: &Value) -> Result<(), String> {
    let kind = call.arguments.remove("for").unwrap_or_default();
    let open = list(data, "approvals").iter();
    let open: Vec<&Value> = open.filter(|one| one["tool"] == kind).collect();
    match open.as_slice() {
        [one] => call.arguments.insert("proposalId".into(), one["approvalId"].clone()),
        [] if kind == "workflow_schedule" => return Err("No plan of a day is open that this could change. “plan my day, no meetings before 10” makes one, “remember: no meetings before 10” is for all of them.".into()),
        [] => return Err("No triage is open that this could change. “triage my mail” makes one.".into()),
        [..] => return Err("Several of them are open: press Modify on the card that you mean.".into()),
    };
    Ok(())
}
