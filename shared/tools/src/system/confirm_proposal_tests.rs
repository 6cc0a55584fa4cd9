use crate::testing::*;

const NOW: &str = "2026-11-21T12:00:00Z";
const TOOL: &str = "system_confirmProposal";

/// A harness for calls that the person makes.
fn by_hand(mut harness: ToolHarness) -> ToolHarness {
    harness.context.call.by_hand = true;
    harness
}

#[tokio::test]
async fn the_persons_own_yes_and_no_are_decisions_about_the_revision_they_saw() {
    let harness = by_hand(ToolHarness::at(NOW));
    harness
        .propose("apr_1", |approval| approval.revision = 3)
        .await;
    for (approved, verdict, said) in [
        (true, Verdict::Approve, "approved"),
        (false, Verdict::Reject, "cancelled"),
    ] {
        let args = json!({"proposalId": "apr_1", "approved": approved});
        let output = harness.output(TOOL, args).await;
        assert_eq!(output.data["decision"], said);
        assert_eq!(output.data["proposalId"], "apr_1");
        let [choice] = output.choices.as_slice() else {
            panic!("{output:?}")
        };
        assert_eq!(choice.approval.as_str(), "apr_1");
        assert_eq!(choice.revision, 3);
        assert_eq!(choice.verdict, verdict);
        assert!(choice.arguments.is_none() && output.writes.is_empty());
    }
}

#[tokio::test]
async fn a_model_says_neither_yes_nor_no_for_its_person() {
    let harness = ToolHarness::at(NOW);
    harness.propose("apr_1", |_| ()).await;
    let error = harness.fails(TOOL, json!({"approved": true})).await;
    assert_snapshot!(error, @"approved: only the person confirms a proposal, with the buttons of its card or by answering yes. Tell them that it waits for them.");
    // Naming every part is a plain yes.
    let all = json!({"approved": true, "approvedBlocks": ["09:00", "10:00"]});
    assert_snapshot!(harness.fails(TOOL, all).await, @"approved: only the person confirms a proposal, with the buttons of its card or by answering yes. Tell them that it waits for them.");
    let no = harness.output(TOOL, json!({"approved": false})).await;
    assert_eq!(no.choices[0].verdict, Verdict::CallOff, "nor a no");
}

#[tokio::test]
async fn after_others_words_a_part_is_asked_about_and_a_no_is_not() {
    let part = json!({"approved": true, "approvedBlocks": ["10:00"]});
    let no = json!({"approved": false, "approvedBlocks": ["10:00"]});
    let yes = json!({"approved": true});
    let clean = ToolHarness::at(NOW);
    let tainted = clean.tainted();
    let asked =
        |harness: &ToolHarness, args: &Value| harness.required_of(TOOL, args) != Requirement::Skip;
    assert!(asked(&tainted, &part) && asked(&tainted, &json!({"approved": "?"})));
    assert!(!asked(&tainted, &no) && !asked(&tainted, &yes) && !asked(&clean, &part));
}

#[tokio::test]
async fn a_part_is_asked_about_anew_even_by_hand() {
    for harness in [ToolHarness::at(NOW), by_hand(ToolHarness::at(NOW))] {
        harness.propose("apr_1", |_| ()).await;
        let args = json!({"approved": true, "approvedBlocks": ["10:00"]});
        let output = harness.output(TOOL, args).await;
        let choice = &output.choices[0];
        assert_eq!(choice.verdict, Verdict::Edit);
        let left = &choice.arguments.as_ref().unwrap()["confirmation"]["approvedBlocks"];
        assert_eq!(left.as_array().unwrap().len(), 1);
        assert_eq!(left[0]["title"], "Mail");
    }
}

#[tokio::test]
async fn nothing_is_decided_of_what_is_over() {
    let harness = by_hand(ToolHarness::at(NOW));
    let of = |id: &str| json!({"proposalId": id, "approved": true});
    for (id, status) in [
        ("apr_1", Status::Approved),
        ("apr_2", Status::Rejected),
        ("apr_3", Status::Edited),
        ("apr_4", Status::Error),
        ("apr_6", Status::CalledOff),
    ] {
        harness
            .propose(id, |approval| approval.status = status)
            .await;
        let error = harness.fails(TOOL, of(id)).await;
        assert!(error.contains("doesn't wait any more"), "{error}");
    }
    harness.propose("apr_5", |_| ()).await;
    let late = harness.later("2026-11-21T13:00:00Z");
    assert_snapshot!(late.fails(TOOL, of("apr_5")).await, @r#"proposalId: "apr_5" doesn't wait any more: it was decided, replaced or has expired."#);
    let error = late.fails(TOOL, json!({"approved": true})).await;
    assert_eq!(error, "proposalId: nothing waits.");
}

#[tokio::test]
async fn of_several_one_must_be_named() {
    let harness = by_hand(ToolHarness::at(NOW));
    harness.propose("apr_1", |_| ()).await;
    harness.propose("apr_2", |_| ()).await;
    let error = harness.fails(TOOL, json!({"approved": true})).await;
    assert_eq!(error, "proposalId: 2 wait (apr_1, apr_2). Say which one.");
    let args = json!({"proposalId": "apr_2", "approved": true});
    let output: Value = harness.ok(TOOL, args).await;
    assert_eq!(output["proposalId"], "apr_2");
}
