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
