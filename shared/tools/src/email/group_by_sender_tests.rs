use crate::testing::*;

const TOOL: &str = "email_groupBySender";

#[tokio::test]
async fn senders_with_enough_mails_are_groups() {
    let (harness, _) = inbox();
    let ids = ["Lunch?", "Old plans", "m-9", "Budget for the spring"];
    let data = harness.ok(TOOL, json!({"emailIds": ids})).await;
    let bens = json!({"sender": "ben@example.com", "count": 2, "emailIds": ["Old plans", "Budget for the spring"]});
    assert_eq!(data["groups"], json!([bens]));
    assert_eq!(data["failed"], json!(["m-9"]));
    let data = harness
        .ok(TOOL, json!({"emailIds": ids, "minGroupSize": 1}))
        .await;
    assert_eq!(data["groups"].as_array().unwrap().len(), 2);
    let error = harness
        .fails(TOOL, json!({"emailIds": ids, "minGroupSize": 0}))
        .await;
    assert_snapshot!(error, @r#"minGroupSize: "0" is out of range: 1 to 500."#);
}
