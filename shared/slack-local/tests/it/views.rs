//! Modals: what opens, replaces and submits them.

use alfred_slack_local::PersonError;
use alfred_slack_local::seed::{ANA, ANA_DM};
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::ResponseTemplate;

use crate::support::{app, call, trigger, with_app};

fn modal(external_id: &str) -> Value {
    let text = |text: &str| json!({"type": "plain_text", "text": text});
    let element = json!({"type": "plain_text_input", "action_id": "text"});
    let input =
        json!({"type": "input", "block_id": "body", "label": text("Body"), "element": element});
    json!({"type": "modal", "external_id": external_id, "title": text("Edit"),
        "submit": text("Save"), "blocks": [input]})
}

#[tokio::test]
async fn a_view_needs_a_fresh_unused_trigger() {
    let app = app([]).await;
    let (running, clock) = with_app(&app).await;
    let asked = async || {
        let asked = running.slack.command(ANA, ANA_DM, "/alfred", "edit");
        asked.await.unwrap();
        trigger(&app).await
    };
    let open = async |trigger: &str, view: Value| {
        let body = json!({"trigger_id": trigger, "view": view});
        call(&running, "views.open", body).await
    };
    let (first, second) = (asked().await, asked().await);
    open(&first, modal("apr_1")).await;
    let mut broken = modal("apr_2");
    broken["title"]["text"] = "x".repeat(25).into();
    for (trigger, view, code) in [
        ("trg.none", modal("apr_2"), "invalid_trigger_id"),
        (&first, modal("apr_2"), "exchanged_trigger_id"),
        (&second, modal("apr_1"), "duplicate_external_id"),
        (&second, broken, "invalid_arguments"),
    ] {
        assert_eq!(open(trigger, view).await["error"], code);
    }
    clock.advance(Duration::from_millis(3001));
    let late = open(&second, modal("apr_2")).await;
    assert_eq!(late["error"], "expired_trigger_id");
}

#[tokio::test]
async fn a_submitted_view_stays_open_until_the_app_takes_it() {
    let errors = json!({"response_action": "errors", "errors": {"body": "too short"}});
    let answers = [
        ResponseTemplate::new(200),
        ResponseTemplate::new(200).set_body_json(errors),
    ];
    let app = app(answers).await;
    let (running, _) = with_app(&app).await;
    let slack = &running.slack;
    slack.command(ANA, ANA_DM, "/alfred", "edit").await.unwrap();
    let opened = json!({"trigger_id": trigger(&app).await, "view": modal("apr_1")});
    let opened = call(&running, "views.open", opened).await;
    let id = opened["view"]["id"].as_str().unwrap();
    let empty = slack.submit_view(ANA, id, &json!({})).await;
    assert!(matches!(empty, Err(PersonError::MissingInput { block_id }) if block_id == "body"));
    let values = json!({"body": {"text": "Dear Ben"}});
    let refused = slack.submit_view(ANA, id, &values).await.unwrap();
    assert_eq!(refused.body["errors"]["body"], "too short");
    assert_eq!(slack.views(ANA).unwrap().len(), 1);
    slack.submit_view(ANA, id, &values).await.unwrap();
    assert!(slack.views(ANA).unwrap().is_empty());
    let gone = slack.submit_view(ANA, id, &values).await;
    assert!(matches!(gone, Err(PersonError::UnknownView)));
}
