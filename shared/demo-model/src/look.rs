//! Completes a call with the result of the look before it.

use serde_json::Value;

use crate::call::{Call, plus};
use crate::things::{Problem, list, only, text};

/// The call, completed with the result of the look. `form` is the proposal in whose form the person writes.
pub(crate) fn complete(
    mut call: Call,
    look: &Call,
    data: &Value,
    form: Option<&str>,
) -> Result<Call, Problem> {
    match look.tool.as_str() {
        "email_viewEmails" => mails(&mut call, data)?,
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
