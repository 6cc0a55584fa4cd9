use super::super::history::Again;
use crate::testing::*;
use alfred_agent::model::{Before, Progress};
use alfred_core::ports::Op;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_resumeWorkflow";

async fn resumed(harness: &ToolHarness, args: Value) -> ToolOutput {
    harness.output(TOOL, args).await
}

/// Type, state and whether it was resumed, of each.
fn states(output: &ToolOutput) -> Vec<String> {
    let all = output.data["workflows"].as_array().unwrap();
    let line = |one: &Value| {
        let resumed = if one["resumed"] == true {
            ", resumed"
        } else {
            ""
        };
        let [kind, state] = ["type", "state"].map(|field| one[field].as_str().unwrap());
        format!("{kind} {state}{resumed}")
    };
    all.iter().map(line).collect()
}

/// Stores a run in the middle of a call of this tool.
async fn run(harness: &ToolHarness, id: &str, tool: &str, moved: &str, state: Value) {
    let (team, user) = (&harness.context.team, harness.context.user_id());
    let row = json!({
        "v": 1, "id": id, "team": team, "user": user, "session": "T1/U1/D1",
        "trace_id": "0123456789abcdef0123456789abcdef",
        "input": {
            "contract": "worker", "task_prompt": "go",
            "user_context": {"slack_user_id": user, "email": "", "name": "P", "timezone": "UTC", "role": "member"},
            "slack_context": {"channel_id": "D1", "thread_ts": null, "response_type": "dm"},
            "session_id": "T1/U1/D1",
        },
        "state": state, "before": Before::default(), "progress": Progress::default(),
        "watch_at": moved, "created_at": moved, "updated_at": moved, "work": {"by": "agent"},
        "taint": alfred_core::Taint::default(),
    });
    let step = json!({"v": 1, "seq": 1, "at": moved, "ms": 0, "frame": [], "did": {
        "step": "turn", "text": "", "tool_calls": [{"id": "c1", "name": tool, "arguments": "{}"}],
        "finish": "tool_calls", "model": "m",
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_micros": null},
    }});
    let (id, at) = (id.into(), moved.parse().unwrap());
    for (key, body) in [
        (keys::run(team, &id), row),
        (keys::step(team, &id, 1), step),
        (keys::user_run(team, user, at, &id), json!({})),
    ] {
        harness.put(Write::create(key, body)).await;
    }
}

#[tokio::test]
async fn nothing_is_said_to_be_nothing() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.status = Status::Approved)
        .await;
    harness.ask("apr_2", "Send a Slack message", |_| ()).await;
    harness
        .executed("workflow_schedule", "run_1:c1", |_| ())
        .await;
    let output = resumed(&harness, json!({})).await;
    assert_eq!(output.data["resumed"], 0);
    assert_eq!(output.data["workflows"], json!([]));
    let said = output.data["message"].as_str().unwrap();
    assert!(said.contains("No workflow"), "{said}");
    assert!(output.writes.is_empty() && output.choices.is_empty());
}

#[tokio::test]
async fn the_one_that_waits_shows_its_card_again() {
    let harness = ToolHarness::at(NOW);
    harness
        .propose("apr_1", |approval| approval.revision = 2)
        .await;
    let output = resumed(&harness, json!({})).await;
    let waits = "workflow_schedule waits_for_confirmation, resumed";
    assert_eq!(states(&output), [waits]);
    let choice = &output.choices[0];
    assert_eq!((choice.verdict, choice.revision), (Verdict::Edit, 2));
    let asked = &choice.arguments.as_ref().unwrap()["confirmation"]["approvedBlocks"];
    assert_eq!(asked.as_array().unwrap().len(), 2, "exactly as it was");
}

#[tokio::test]
async fn of_several_none_is_shown_unless_it_is_named() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    harness
        .propose("apr_2", |approval| {
            approval.action_type = "workflow_fillEmailBlock".into()
        })
        .await;
    let both = resumed(&harness, json!({})).await;
    assert!(both.choices.is_empty() && both.data["resumed"] == 0);
    assert_eq!(both.data["workflows"].as_array().unwrap().len(), 2);
    let named = resumed(&harness, json!({"workflowId": "apr_2"})).await;
    assert_eq!(named.choices[0].approval.as_str(), "apr_2");
    let by_type = resumed(&harness, json!({"workflowType": "fillEmail"})).await;
    assert_eq!(by_type.choices[0].approval.as_str(), "apr_2");
}

#[tokio::test]
async fn an_expired_one_gives_the_wish_it_was() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    let late = harness.later("2026-11-21T13:00:00Z");
    let output = resumed(&late, json!({})).await;
    assert_eq!(states(&output), ["workflow_schedule expired"]);
    assert_eq!(
        output.data["workflows"][0]["next"],
        json!([{"tool": "workflow_schedule", "arguments": {"date": "2026-11-22", "changes": {"lunchAt": "13:00"}}}])
    );
    assert!(output.choices.is_empty());
}

#[tokio::test]
async fn one_that_was_cut_off_is_woken_by_the_next_sweep() {
    let harness = ToolHarness::at(NOW);
    let (team_mate, elsewhere) = (harness.asked_by("T1", "U2"), harness.asked_by("T2", "U1"));
    let (plan, then) = ("workflow_schedule", "2026-11-21T11:50:00Z");
    let ready = json!({"is": "ready"});
    let asking = json!({"is": "asking", "shown": true});
    for (whose, id, tool, moved, state) in [
        (&harness, "run_cut", "workflow_fillEmailBlock", then, &ready),
        (&harness, "run_busy", plan, "2026-11-21T11:59:00Z", &ready),
        (&harness, "run_asks", plan, then, &asking),
        (&harness, "run_other", "time_now", then, &ready),
        // The run of this call.
        (&harness, "run_1", plan, then, &ready),
        (&harness, "run_old", plan, "2026-10-31T11:50:00Z", &ready),
        (&team_mate, "run_u2", plan, then, &ready),
        (&elsewhere, "run_t2", plan, then, &ready),
    ] {
        run(whose, id, tool, moved, state.clone()).await;
    }
    let output = resumed(&harness, json!({})).await;
    let all = output.data["workflows"].as_array().unwrap().iter();
    let ids: Vec<&Value> = all.map(|one| &one["workflowId"]).collect();
    assert_eq!(ids, ["run_cut", "run_old"]);
    let cut = "workflow_fillEmailBlock interrupted, resumed";
    assert_eq!(states(&output)[0], cut);
    assert_eq!(output.writes.len(), 4, "a row and a timer each");
    let wake = json!("wake");
    let timer = output.writes.iter().find_map(|write| match &write.op {
        Op::Put { body, .. } if body.value()["purpose"] == wake => Some(body.value()),
        Op::Put { .. } | Op::Delete | Op::Check => None,
    });
    assert_eq!(timer.unwrap()["run"], "run_cut");
    let said = "Set 2 interrupted workflows going again";
    assert_eq!(output.action.as_deref(), Some(said));
    // The runs have moved, so they aren't resumed again.
    let again = resumed(&harness, json!({})).await;
    assert_eq!(again.data["workflows"], json!([]));
}

#[tokio::test]
async fn what_failed_is_offered_as_exactly_that_and_no_longer_than_it_can_be_done() {
    let harness = ToolHarness::at(NOW);
    let again = |date: &str| Again {
        tool: "workflow_schedule".into(),
        arguments: json!({"date": date}),
        day: None,
    };
    harness
        .executed("workflow_schedule", "run_1:c1", |one| {
            one.status = "partial".into();
            one.again = vec![again("2026-11-20"), again("2026-11-21")];
        })
        .await;
    let output = resumed(&harness, json!({})).await;
    assert_eq!(states(&output), ["workflow_schedule partial"]);
    assert_eq!(
        output.data["workflows"][0]["next"],
        json!([again("2026-11-21")]),
        "a day that is over isn't planned"
    );
    assert_eq!(output.data["workflows"][0]["workflowId"], "run_1:c1");
    // The next workflow of its type has settled it.
    let later = harness.later("2026-11-21T12:05:00Z");
    later
        .executed("workflow_schedule", "run_2:c1", |_| ())
        .await;
    let left = resumed(&later, json!({})).await;
    assert_eq!(left.data["workflows"], json!([]));
}

#[tokio::test]
async fn what_is_offered_lasts_a_week() {
    let harness = ToolHarness::at(NOW);
    let arguments = json!({"changes": {"archive": ["m1"], "nothingElse": true}});
    harness
        .executed("workflow_fillEmailBlock", "run_1:c1", |one| {
            one.again = vec![Again {
                tool: "workflow_fillEmailBlock".into(),
                arguments,
                day: None,
            }];
        })
        .await;
    let args = json!({"workflowType": "workflow_fillEmailBlock"});
    assert_eq!(states(&resumed(&harness, args.clone()).await).len(), 1);
    let later = harness.later("2026-11-28T12:00:01Z");
    assert!(states(&resumed(&later, args).await).is_empty());
}

/// A call that plans these tasks for a block of that day.
fn filling(block: &str, ids: &[&str], day: &str) -> Again {
    Again {
        tool: "workflow_fillWorkBlock".into(),
        arguments: json!({"blockId": block, "changes": {"first": ids, "atMostTasks": ids.len()}}),
        day: Some(day.into()),
    }
}

#[tokio::test]
async fn what_another_workflow_did_since_is_not_offered() {
    let harness = ToolHarness::at(NOW);
    let rest = filling("blk_1", &["tsk_1", "tsk_2"], "2026-11-22");
    harness
        .executed("workflow_schedule", "run_1:c1", |one| {
            one.again = vec![rest.clone()]
        })
        .await;
    let filled = |block: &str, ids: &[&str]| json!({"blockId": block, "assigned": ids});
    let offered = async |harness: &ToolHarness| {
        let said = resumed(harness, json!({})).await.data["workflows"].clone();
        let of = |one: &Value| (one["type"].clone(), one["next"].clone());
        said.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    let schedule = (json!("workflow_schedule"), json!([rest]));
    let fill = "workflow_fillWorkBlock";
    // Neither another block nor a part of the tasks settles the offer.
    let others = [
        ("2026-11-21T12:01:00Z", filled("blk_2", &["tsk_1", "tsk_2"])),
        ("2026-11-21T12:02:00Z", filled("blk_1", &["tsk_1"])),
    ];
    for (at, changes) in others {
        let later = harness.later(at);
        later.executed(fill, at, |one| one.changes = changes).await;
        let only = std::slice::from_ref(&schedule);
        assert_eq!(offered(&later).await, only, "{at}");
    }
    // A workflow that did one part and offers the other settles all of it.
    let later = harness.later("2026-11-21T12:03:00Z");
    let half = filling("blk_1", &["tsk_2"], "2026-11-22");
    later
        .executed(fill, "half", |one| {
            one.changes = filled("blk_1", &["tsk_1"]);
            one.again = vec![half.clone()];
        })
        .await;
    assert_eq!(offered(&later).await, [(json!(fill), json!([half]))]);
    let later = harness.later("2026-11-21T12:04:00Z");
    later
        .executed(fill, "whole", |one| {
            one.changes = filled("blk_1", &["tsk_1", "tsk_2"]);
        })
        .await;
    assert_eq!(offered(&later).await, []);
}

#[tokio::test]
async fn what_is_for_a_block_is_offered_until_the_day_of_the_block_is_over() {
    let harness = ToolHarness::at(NOW);
    let rest = filling("blk_1", &["tsk_1"], "2026-11-22");
    harness
        .executed("workflow_schedule", "run_1:c1", |one| {
            one.again = vec![rest]
        })
        .await;
    let last = harness.later("2026-11-22T23:59:00Z");
    assert_eq!(states(&resumed(&last, json!({})).await).len(), 1);
    let over = harness.later("2026-11-23T00:00:00Z");
    assert!(states(&resumed(&over, json!({})).await).is_empty());
}

#[tokio::test]
async fn somebody_elses_look_like_none() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    let (then, ready) = ("2026-11-21T11:50:00Z", json!({"is": "ready"}));
    run(&harness, "run_cut", "workflow_schedule", then, ready).await;
    let missing = harness.fails(TOOL, json!({"workflowId": "apr_9"})).await;
    assert_snapshot!(missing, @r#"workflowId: "apr_9" is no workflow that waits, was cut off or has something left to do."#);
    for other in harness.strangers() {
        assert!(states(&resumed(&other, json!({})).await).is_empty());
        for id in ["apr_1", "run_cut"] {
            let error = other.fails(TOOL, json!({"workflowId": id})).await;
            assert_eq!(error, missing.replace("apr_9", id));
        }
    }
}
