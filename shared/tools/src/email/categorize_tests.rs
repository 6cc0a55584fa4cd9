use crate::testing::*;

const ONE: &str = "email_categorizeEmail";
const BATCH: &str = "email_batchCategorize";

#[tokio::test]
async fn one_mail_is_categorized_with_what_to_do() {
    let (harness, _) = inbox();
    let data = harness.ok(ONE, json!({"emailId": "Lunch?"})).await;
    assert_eq!(data["category"], "needs_reply");
    assert_eq!(data["suggestedAction"], "Draft a reply.");
    assert!(data["confidence"].as_u64().unwrap() >= 75);
    assert_eq!(data["reasons"][0], "it asks a question");
    let data = harness
        .ok(ONE, json!({"emailId": "Ten tables we liked"}))
        .await;
    assert_eq!(data["category"], "can_archive");
}

#[tokio::test]
async fn single_and_batch_agree_and_unknown_ids_fail_alone() {
    let (harness, _) = inbox();
    let ids = ["Lunch?", "m-9", "Ten tables we liked", "Lunch?"];
    let data = harness.ok(BATCH, json!({"emailIds": ids})).await;
    let rows = data["categorized"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "each once");
    for row in rows {
        let one = harness.ok(ONE, json!({"emailId": row["emailId"]})).await;
        assert_eq!(one["category"], row["category"]);
    }
    assert_eq!(rows[0]["urgencyScore"], 70);
    assert_eq!(data["failed"], json!(["m-9"]));
}

#[tokio::test]
async fn important_and_urgent_mail_is_never_to_be_archived() {
    let (harness, mail) = inbox();
    harness
        .register("U2", |user| user.email = "Ben@Kestrel.example".into())
        .await;
    let account = harness.context.account();
    for (id, from, subject) in [
        ("m-1", "noreply@bank.example", "URGENT: your invoice"),
        ("m-2", "ben@kestrel.example", "Notes"),
        ("m-3", "noreply@shop.example", "Our autumn colours"),
    ] {
        let mut automated = arriving(id, from, subject, "See inside.");
        automated.summary.automated = true;
        mail.arrive(&account, automated);
    }
    let data = harness
        .ok(BATCH, json!({"emailIds": ["m-1", "m-2", "m-3"]}))
        .await;
    let categories: Vec<_> = (0..3)
        .map(|at| &data["categorized"][at]["category"])
        .collect();
    assert_ne!(categories[0], "can_archive", "urgent");
    assert_ne!(categories[1], "can_archive", "a colleague's");
    assert_eq!(categories[2], "can_archive");
}

#[tokio::test]
async fn ids_are_bounded() {
    let (harness, _) = inbox();
    let many: Vec<String> = (0..501).map(|n| format!("m-{n}")).collect();
    for (ids, part) in [
        (json!([]), "\"0 ids\" is out of range: 1 to 500"),
        (json!(many), "\"501 ids\""),
        (json!([" "]), "is empty"),
    ] {
        for tool in [BATCH, "email_groupBySender"] {
            let error = harness.fails(tool, json!({"emailIds": ids})).await;
            assert!(
                error.starts_with("emailIds: ") && error.contains(part),
                "{error}"
            );
        }
    }
}
