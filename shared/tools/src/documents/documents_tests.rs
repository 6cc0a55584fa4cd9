use crate::documents::desk::{desk, document};
use crate::testing::*;
use alfred_core::id::DocumentId;

const UPDATE: &str = "docs_updateDocument";
const APPEND: &str = "docs_appendToDocument";
const NOTES: &str = "# Offsite\n\n- house: open\n- train: open\n";

fn notes() -> (ToolHarness, Arc<alfred_testkit::MemoryDocuments>) {
    let mut old = document("d2", "Offsite 2025", "2025-11-01", "Past.\n");
    old.may_edit = false;
    let twin = document("d3", "Plan", "2026-11-18", "One.\n");
    let other = document("d4", "Plan", "2026-11-17", "Two.\n");
    let first = document("d1", "Offsite notes", "2026-11-19", NOTES);
    desk(vec![old, first, twin, other], Vec::new())
}

async fn text_of(harness: &ToolHarness, id: &str) -> String {
    let documents = &harness.context.accounts.documents;
    let read = documents.read(&harness.context.account(), &id.into()).await;
    read.unwrap().unwrap().text
}

#[tokio::test]
async fn documents_are_found_and_read_in_parts() {
    let (harness, _) = notes();
    let found = harness.ok("docs_findDocuments", json!({})).await;
    assert_eq!(
        each(&found["documents"], "documentId"),
        ["d1", "d3", "d4", "d2"]
    );
    let found = harness
        .ok("docs_findDocuments", json!({"words": "OFFSITE notes"}))
        .await;
    assert_snapshot!(found["documents"], @r#"[{"documentId":"d1","modified":"2026-11-19 09:00","title":"Offsite notes"}]"#);
    let read = harness
        .ok("docs_readDocument", json!({"documentId": "notes"}))
        .await;
    assert_eq!(
        (&read["text"], &read["mayEdit"]),
        (&json!(NOTES), &json!(true))
    );
    assert_eq!(read.get("next"), None);
    let long = document("long", "Long", "2026-11-19", &"é".repeat(12_001));
    let (harness, _) = desk(vec![long], Vec::new());
    let read = harness
        .ok("docs_readDocument", json!({"documentId": "long"}))
        .await;
    assert_eq!(read["next"], 12_000);
    let rest = json!({"documentId": "long", "from": 12_000});
    let read = harness.ok("docs_readDocument", rest).await;
    assert_eq!((&read["text"], read.get("next")), (&json!("é"), None));
}

#[tokio::test]
async fn a_new_document_is_the_persons_own_and_made_once() {
    let (harness, _) = notes();
    let args = json!({"title": "Agenda", "text": "- oak\n- ash"});
    assert_snapshot!(harness.card("docs_createDocument", args.clone()).await, @"
Create a document
Title: Agenda

- oak
- ash
");
    let first = harness.output("docs_createDocument", args.clone()).await;
    let receipt = first.receipt.unwrap();
    assert_eq!(receipt.what, "Created the document \"Agenda\"");
    assert_eq!(receipt.link.unwrap(), "https://docs.example/made-1");
    let again = harness.ok("docs_createDocument", args).await;
    assert_eq!(Value::Object(first.data), again);
    assert_eq!(text_of(&harness, "made-1").await, "- oak\n- ash\n");
}

#[tokio::test]
async fn a_new_document_that_leads_elsewhere_is_asked_about_where_others_may_have_wanted_it() {
    let (mut harness, _) = notes();
    let texts = [
        ("- oak\n- [ ] ash: 3 < 4", false),
        ("![](https://x.example/?d=1)", true),
        ("[a]\n\n[a]: x.example", true),
        ("[a](https&#58;&#47;&#47;x.example)", true),
        ("<img src=x.example>", true),
        ("see www.x.example", true),
    ];
    for tainted in [false, true] {
        harness.context.tainted = tainted;
        for (text, leads) in texts {
            let args = json!({"title": "Agenda", "text": text});
            let required = harness.required_of("docs_createDocument", &args);
            assert_eq!(required != Requirement::Skip, tainted && leads, "{text}");
        }
    }
}

#[tokio::test]
async fn a_change_shows_its_lines_is_done_once_and_goes_back() {
    let (harness, _) = notes();
    let args = json!({"documentId": "offsite notes", "oldText": "house: open", "newText": "house: Sintra\n- dinner: there"});
    assert_snapshot!(harness.card(UPDATE, args.clone()).await, @"
Change a document
Document: Offsite notes
Version: 2026-11-19 09:00:00
~ Lines: - house: open → - house: Sintra
- dinner: there
");
    assert_eq!(
        text_of(&harness, "d1").await,
        NOTES,
        "a preview changes nothing"
    );
    let none = harness.settle(UPDATE, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    let output = harness.output(UPDATE, args.clone()).await;
    let receipt = output.receipt.unwrap();
    assert_eq!(receipt.what, "Changed \"Offsite notes\"");
    assert_eq!(receipt.link.as_deref(), Some("https://docs.example/d1"));
    let changed = "# Offsite\n\n- house: Sintra\n- dinner: there\n- train: open\n";
    assert_eq!(text_of(&harness, "d1").await, changed);
    let Settled::Done(found) = harness.settle(UPDATE, args).await.unwrap() else {
        panic!("it was changed");
    };
    assert_eq!(found.receipt.unwrap().what, receipt.what);
    harness.undo(receipt.undo).await;
    assert_eq!(text_of(&harness, "d1").await, NOTES);
}

#[tokio::test]
async fn text_is_added_and_taken_out_again() {
    let (harness, _) = notes();
    let args = json!({"documentId": "d1", "text": "- dinner: open\n\n"});
    assert_snapshot!(harness.card(APPEND, args.clone()).await, @"
Add to a document
Document: Offsite notes
Version: 2026-11-19 09:00:00

- dinner: open
");
    let receipt = harness.output(APPEND, args).await.receipt.unwrap();
    assert_eq!(receipt.what, "Added to \"Offsite notes\"");
    let added = format!("{NOTES}- dinner: open\n");
    assert_eq!(text_of(&harness, "d1").await, added);
    harness.undo(receipt.undo).await;
    assert_eq!(text_of(&harness, "d1").await, NOTES);
}

#[tokio::test]
async fn a_document_that_changed_since_is_left_as_it_is() {
    let (harness, documents) = notes();
    let (account, id) = (harness.context.account(), DocumentId::from("d1"));
    let args = json!({"documentId": "d1", "oldText": "house: open", "newText": "house: Sintra"});
    let mut approved = harness.clone();
    let shown = harness.preview(UPDATE, args.clone()).await.unwrap();
    approved.context.call.shown = shown.digest().ok();
    let theirs = format!("{NOTES}- theirs\n");
    documents.rewrite(&account, &id, &theirs);
    let said = approved.fails(UPDATE, args.clone()).await;
    assert_eq!(
        said,
        "Not done: what was approved is no longer what would run now. It has to be asked anew."
    );
    assert_eq!(text_of(&harness, "d1").await, theirs);
    let undo = harness
        .output(UPDATE, args)
        .await
        .receipt
        .unwrap()
        .undo
        .remove(0);
    documents.rewrite(
        &account,
        &id,
        &format!("{}more\n", text_of(&harness, "d1").await),
    );
    let mut back = harness.clone();
    back.context.call.key.push_str(":undo");
    back.context.call.left = undo.left;
    let said = back.fails(UPDATE, undo.arguments).await;
    assert_eq!(said, "“Offsite notes” was changed since; I left it.");
}

#[tokio::test]
async fn a_suggestion_leaves_the_text_and_has_no_undo() {
    let mut first = document("d1", "Notes", "2026-11-19", NOTES);
    first.may_suggest = true;
    let (harness, documents) = desk(vec![first], Vec::new());
    let args = json!({"documentId": "d1", "oldText": "house: open", "newText": "house: Sintra", "asSuggestion": true});
    let card = harness.card(UPDATE, args.clone()).await;
    assert!(
        card.starts_with("Suggest a change of a document\n"),
        "{card}"
    );
    let receipt = harness.output(UPDATE, args).await.receipt.unwrap();
    assert_eq!(receipt.what, "Suggested a change of \"Notes\"");
    assert!(receipt.undo.is_empty());
    assert_eq!(text_of(&harness, "d1").await, NOTES);
    let account = harness.context.account();
    assert_eq!(documents.suggested(&account).len(), 1);
}

#[tokio::test]
async fn what_cant_be_done_is_said() {
    let (harness, _) = notes();
    let change =
        |id: &str, old: &str, new: &str| json!({"documentId": id, "oldText": old, "newText": new});
    let mut suggestion = change("d1", "house", "home");
    suggestion["asSuggestion"] = json!(true);
    let cases = [
        change("", "a", "b"),
        change("nowhere", "a", "b"),
        change("plan", "a", "b"),
        change("d2", "Past", "Gone"),
        change("d1", "open", "done"),
        change("d1", "beach", "hill"),
        change("d1", "", "x"),
        change("d1", "house", "house"),
        suggestion,
    ];
    assert_snapshot!(harness.refusals(UPDATE, cases).await, @r#"
documentId: "" is empty. Give the id, or words of the title. | It is empty. Give the id, or words of the title.
documentId: "nowhere" isn't there. Give the id, or words of the title. | “nowhere” isn't there.
documentId: "plan" is not clear, two match: one changed 2026-11-18 09:00 (d3), one changed 2026-11-17 09:00 (d4). Give the id. | “plan” could mean two things: one changed 2026-11-18 09:00, one changed 2026-11-17 09:00. Which one do you mean?
This document can only be read here.
That passage is in the document 2 times; a longer one is needed to tell them apart.
That passage isn't in the document.
oldText: "" is empty. Give the passage as it is. | It is empty. Give the passage as it is.
newText: "house" is what is there already. | “house” is what is there already.
Suggestions can't be made in this document.
"#);
    let cases = [
        json!({"documentId": "d1", "text": " "}),
        json!({"documentId": "d1", "text": "x".repeat(50_001)}),
        json!({"documentId": "d2", "text": "x"}),
    ];
    let said = harness
        .refusals(APPEND, cases)
        .await
        .replace(&"x".repeat(50_001), "xx");
    assert_snapshot!(said, @r#"
text: " " is empty. | It is empty.
text: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" has 50001 characters, at most 50000. | “xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…” has 50001 characters, at most 50000.
This document can only be read here.
"#);
    let cases = [json!({"title": " "}), json!({"title": "x".repeat(201)})];
    let said = harness.refusals("docs_createDocument", cases).await;
    assert_snapshot!(said.replace(&"x".repeat(201), "xx"), @r#"
title: " " is empty; a title is required. | It is empty; a title is required.
title: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" has 201 characters, at most 200. | “xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…” has 201 characters, at most 200.
"#);
    let cases = [json!({"documentId": "d1", "from": -1})];
    assert_snapshot!(harness.refusals("docs_readDocument", cases).await, @r#"from: "-1" is out of range: 0 to 10000000. | From: “-1” is out of range: 0 to 10000000."#);
    assert_eq!(text_of(&harness, "d1").await, NOTES);
}

#[tokio::test]
async fn whoever_has_connected_none_is_told_so() {
    let harness = ToolHarness::at("2026-11-20T08:00:00Z");
    for (tool, args) in [
        ("docs_findDocuments", json!({})),
        ("docs_createDocument", json!({"title": "x"})),
        (APPEND, json!({"documentId": "x", "text": "x"})),
    ] {
        let said = harness.fails(tool, args).await;
        assert_eq!(
            said,
            "That needs your documents, and you haven't connected them yet."
        );
    }
}
