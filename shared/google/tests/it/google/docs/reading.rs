//! What is read of a document: looks, lists, tables, tabs, suggestions, and who may do what.

use alfred_core::ports::{DocumentChange, Documents};
use alfred_core::text;
use serde_json::{Value, json};

use super::{World, append, plan, reason, replace};
use crate::google::support::account;

const PASSAGE_NOT_PLAIN: &str = "That passage holds more than text, such as the lines of a table; please change it in the document itself.";

/// Words from here to there look so.
fn looks(start: usize, end: usize, style: &Value) -> Value {
    let fields: Vec<&str> = style
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    json!({"updateTextStyle": {
        "range": {"startIndex": start, "endIndex": end}, "textStyle": style, "fields": fields.join(","),
    }})
}

#[tokio::test]
async fn looks_become_markdown_and_what_only_looks_like_it_doesnt() {
    let world = World::of("👩‍👩‍👧 Grüße *an* alle").await;
    let changes = json!([
        // With the space behind it.
        looks(10, 16, &json!({"bold": true})),
        looks(
            21,
            25,
            &json!({"link": {"url": "https://x.example"}, "italic": true})
        ),
    ]);
    world.document("plan", |document| document.change(&changes).unwrap());
    let text = "👩‍👩‍👧 **Grüße** \\*an\\* [*alle*](https://x.example)";
    let read = world.read().await.text;
    assert!(
        read == text || read == "👩‍👩‍👧 **Grüße** \\*an\\* *[alle](https://x.example)*",
        "{read}"
    );
}

#[tokio::test]
async fn items_are_counted_as_google_counts_them() {
    let world = World::of("1. a\n1. b\nbreak\n1. c\n- d\n1. e").await;
    let read = world.read().await.text;
    assert_eq!(read, "1. a\n2. b\nbreak\n1. c\n- d\n1. e");
    let nested = json!([
        {"deleteParagraphBullets": {"range": {"startIndex": 3, "endIndex": 4}}},
        {"insertText": {"location": {"index": 3}, "text": "\t"}},
        {"createParagraphBullets": {
            "range": {"startIndex": 3, "endIndex": 4}, "bulletPreset": "BULLET_DISC_CIRCLE_SQUARE",
        }},
    ]);
    world.document("plan", |document| document.change(&nested).unwrap());
    let read = world.read().await.text;
    assert_eq!(read, "1. a\n   - b\nbreak\n1. c\n- d\n1. e");
}

#[tokio::test]
async fn tables_mentions_and_pictures_are_read_and_left_alone() {
    let world = World::of("See Ana.\nBelow").await;
    world.document("plan", |document| {
        document.add_table(&[&["Tree", "Tables"], &["oak|elm", "five"]]);
        document.add_object(5, Some("Ben Okafor"));
        document.add_object(1, None);
    });
    let text = "See Ben OkaforAna.\n| Tree | Tables |\n| --- | --- |\n| oak\\|elm | five |\nBelow";
    assert_eq!(world.read().await.text, text);
    // A cell is a passage like any other.
    let done = world
        .edit(replace("five", "six **now**"), "a")
        .await
        .unwrap();
    assert_eq!(done.text, text.replace("five", "six **now**"));
    let done = world.edit(replace("oak\\|elm", ""), "b").await.unwrap();
    assert_eq!(
        done.text,
        text.replace("five", "six **now**").replace("oak\\|elm", "")
    );
    let done = world.edit(replace("|  |", "| ash |"), "c").await.unwrap();
    let text = done.text;
    assert!(text.contains("| ash | six **now** |"), "{text}");
    let refused = [
        replace("| ash | six **now** |\n", ""),
        replace("| --- | --- |", "| --- |"),
        replace("ash | six", "ash"),
        replace("ash", "a | b"),
        replace("Ana.\n|", "Ana. |"),
        replace("| Tree", "new\n| Tree"),
    ];
    for (number, edit) in refused.into_iter().enumerate() {
        let case = format!("{edit:?}");
        let done = world.edit(edit, &format!("r{number}")).await;
        match done {
            // A line in front of a table is one behind the paragraph before it.
            Ok(done) => assert_eq!(
                (number, done.text),
                (5, text.replace("| Tree", "new\n| Tree")),
                "{case}"
            ),
            done => assert_eq!(reason(done), PASSAGE_NOT_PLAIN, "{case}"),
        }
    }
    let done = world.edit(replace("new\n", ""), "d").await.unwrap();
    assert_eq!(done.text, text);
    let done = world
        .edit(replace("Below", "Above\n\nBelow"), "e")
        .await
        .unwrap();
    assert_eq!(done.text, text.replace("Below", "Above\n\nBelow"));
    let done = world
        .edit(replace("Ben OkaforAna", "Ben OkaforEve"), "f")
        .await
        .unwrap();
    assert!(done.text.starts_with("See Ben OkaforEve."));
    let kept = world.document("plan", |document| document.shown().to_string());
    assert!(kept.contains("personProperties"));
    let done = world
        .edit(replace("See Ben OkaforEve.", ""), "g")
        .await
        .unwrap();
    assert!(done.text.starts_with("\n| Tree"), "{}", done.text);
}

#[tokio::test]
async fn all_tabs_are_read_and_written_where_they_are() {
    let world = World::of("one").await;
    world.document("plan", |document| {
        document.add_tab("t.second", "Second");
        let insert =
            json!([{"insertText": {"text": "two", "location": {"index": 1, "tabId": "t.second"}}}]);
        document.change(&insert).unwrap();
    });
    assert_eq!(world.read().await.text, "# Tab 1\none\n# Second\ntwo");
    let done = world.edit(replace("two", "zwei"), "a").await.unwrap();
    let done = world
        .edit(append("drei"), "b")
        .await
        .map(|more| (done.text, more.text))
        .unwrap();
    assert_eq!(done.0, "# Tab 1\none\n# Second\nzwei");
    assert_eq!(done.1, "# Tab 1\none\n# Second\nzwei\ndrei");
    let titles = world.edit(replace("# Second", "# Third"), "c").await;
    assert_eq!(reason(titles), PASSAGE_NOT_PLAIN);
    let found = world.google.find_changed(&account(), &plan(), "b").await;
    assert!(found.unwrap().is_some());
}

#[tokio::test]
async fn suggestions_of_others_arent_read_and_stay() {
    let world = World::of("oak: five\nash: five").await;
    let change = |edit, revision: &str| DocumentChange {
        edit,
        revision: revision.into(),
        as_suggestion: true,
    };
    let before = world.read().await;
    let first = change(
        replace("oak: five", "oak: *six*\nelm: new"),
        &before.revision,
    );
    let suggested = world.change(&first, "a").await.unwrap();
    assert_eq!(suggested.text, before.text);
    let again = world.change(&first, "a").await.unwrap();
    assert_eq!(again, suggested);
    // Around it the text is changed as if it weren't there.
    let done = world
        .edit(replace("oak: five\nash", "Oak: five\nAsh"), "b")
        .await
        .unwrap();
    assert_eq!(done.text, "Oak: five\nAsh: five");
    let done = world.edit(append("end"), "c").await.unwrap();
    assert_eq!(done.text, "Oak: five\nAsh: five\nend");
    world.document("plan", |document| document.settle(true));
    let text = world.read().await.text;
    assert!(
        text.contains("*six*") && text.contains("elm: new"),
        "{text}"
    );
    let found = world.google.find_changed(&account(), &plan(), "a").await;
    assert_eq!(found.unwrap().unwrap().text, text);
}

#[tokio::test]
async fn a_suggestion_is_the_change_once_it_is_accepted_and_nothing_if_not() {
    for accepted in [true, false] {
        let world = World::of("# Trees\n- oak\n- ash\nend").await;
        let before = world.read().await;
        let edit = replace("- oak\n- ash", "- oak\n  - young\n- **elm**\n\nplain");
        let change = DocumentChange {
            edit: edit.clone(),
            revision: before.revision.clone(),
            as_suggestion: true,
        };
        let suggested = world.change(&change, "a").await.unwrap();
        assert_eq!(suggested.text, before.text);
        world.document("plan", |document| document.settle(accepted));
        let expected = match accepted {
            true => edit.applied_to(&before.text).unwrap(),
            false => before.text,
        };
        assert_eq!(world.read().await.text, expected);
    }
}

#[tokio::test]
async fn who_may_only_read_is_told_so() {
    let world = World::of("one").await;
    let before = world.read().await;
    world.file("plan", |file| file.editable = false);
    let read = world.read().await;
    assert!(!read.may_edit && !read.may_suggest && !read.revision.is_empty());
    assert_eq!(read.text, "one");
    for (as_suggestion, words) in [
        (false, text::DOCUMENT_READ_ONLY.to_owned()),
        (true, text::NO_SUGGESTIONS.to_owned()),
    ] {
        let change = DocumentChange {
            edit: append("two"),
            revision: before.revision.clone(),
            as_suggestion,
        };
        assert_eq!(reason(world.change(&change, "a").await), words);
    }
    let gone: [fn(&World); 3] = [
        |world| world.file("plan", |file| file.trashed = true),
        |world| world.file("plan", |file| (file.trashed, file.open) = (false, false)),
        |world| {
            world
                .running
                .google
                .with_account(super::ANA, |account| account.drive.remove("plan"));
        },
    ];
    for gone in gone {
        gone(&world);
        assert_eq!(world.google.read(&account(), &plan()).await.unwrap(), None);
        let change = DocumentChange {
            edit: append("two"),
            revision: before.revision.clone(),
            as_suggestion: false,
        };
        assert_eq!(
            reason(world.change(&change, "a").await),
            text::DOCUMENT_GONE
        );
        let found = world.google.find(&account(), &[], 10).await.unwrap();
        assert_eq!(found, []);
    }
}

#[tokio::test]
async fn a_long_document_is_cut_and_still_changed_at_its_end() {
    let words = "Grüße aus dem Wald, und noch ein paar Worte mehr, damit es lang wird. ";
    let lines = format!("{}\n", words.repeat(10)).repeat(1_400);
    let world = World::of(&lines).await;
    let read = world.read().await;
    assert!(read.truncated && read.text.len() <= 1_000_000 && lines.starts_with(&read.text));
    let done = world.edit(append("The end."), "a").await.unwrap();
    assert_ne!(done.revision, read.revision);
    let full = world.edit(append(&"x".repeat(50_000)), "b").await;
    assert_eq!(
        reason(full),
        "The document is as long as it can be, so nothing was added."
    );
    let end = replace("The end.", "Ende");
    let done = world.edit(end, "c").await.unwrap();
    assert!(done.truncated);
}

#[tokio::test]
async fn calls_are_few() {
    let world = World::of("one").await;
    let calls = || world.running.google.call_counts().values().sum::<u64>();
    let revision = world.read().await.revision;
    let read = calls();
    let change = DocumentChange {
        edit: append("two"),
        revision,
        as_suggestion: false,
    };
    world.change(&change, "a").await.unwrap();
    let changed = calls();
    let made = world.google.create(&account(), "Agenda", "one", "b").await;
    made.unwrap();
    assert_eq!((read, changed - read, calls() - changed), (2, 5, 6));
}
