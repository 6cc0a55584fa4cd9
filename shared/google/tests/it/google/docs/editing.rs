//! What a change does to the text of a document.

use super::{append, replace, with_plan};
use crate::google::support::{World, reason};

const LINES: &str = "# Trees\n\nOaks are old, \\*ashes\\* are tall.\n- first\n- second\n\n1. one\n2. two\n**fat** end\nGrüße 👩‍👩‍👧";
const PASSAGE_NOT_PLAIN: &str =
    "That passage isn't plain text within one paragraph; please change it in the document itself.";

#[tokio::test]
async fn a_replaced_passage_reads_as_the_text_would() {
    let edits = [
        ("old", "very old"),
        ("Oaks are old, \\*ashes\\*", "Oaks and \\*elms\\*"),
        ("# Trees", "# Old trees"),
        ("- first\n- second", "- first\n- second and third"),
        ("- first\n- second", "- uno\n- due"),
        ("second\n", "second\n- third\n"),
        ("1. one\n", "1. eins\n"),
        ("Grüße 👩‍👩‍👧", "Gru\u{308}\u{df}e 👩‍👩‍👦"),
        (" are tall", ""),
        ("first\n- second\n\n1. one", "first\n- second\n\n1. eins"),
    ];
    for (old, new) in edits {
        let world = with_plan(LINES).await;
        let edit = replace(old, new);
        let expected = edit.applied_to(LINES).unwrap();
        let done = world.edit(edit, "key").await;
        let done = done.unwrap_or_else(|error| panic!("{old}: {error}"));
        assert_eq!(done.text, expected, "{old}");
        assert_eq!(world.read_plan().await, done, "{old}");
    }
}

#[tokio::test]
async fn removed_lines_leave_empty_paragraphs() {
    let world = with_plan("one\ntwo\nthree\nfour").await;
    let done = world.edit(replace("two\nthree\n", ""), "key").await;
    assert_eq!(done.unwrap().text, "one\n\n\nfour");
}

#[tokio::test]
async fn a_passage_that_isnt_plainly_there_once_is_refused() {
    let refused = [
        ("# Trees", "## Trees"),
        ("- first", "1. first"),
        ("**fat** end", "end"),
        ("\n\n1. one", "\n1. one"),
        ("beech", "elm"),
    ];
    let world = with_plan(LINES).await;
    for (old, new) in refused {
        let done = world.edit(replace(old, new), "key").await;
        assert_eq!(reason(done), PASSAGE_NOT_PLAIN, "{old}");
    }
    let twice = reason(world.edit(replace("are", "were"), "key").await);
    assert!(twice.contains("2 times"), "{twice}");
    assert_eq!(world.read_plan().await.text, LINES);
    assert_eq!(world.find_changed("key").await.unwrap(), None);
}

#[tokio::test]
async fn appended_headings_and_lists_are_formatted() {
    let more = "\n# More 👩‍👩‍👧\n\n1. a\n2. b\n   - c\n- d\n\n## Less\nend \\*\n";
    for before in ["", "one", "one\n", "- one", "# one"] {
        let world = with_plan(before).await;
        let expected = append(more).applied_to(before).unwrap();
        let done = world.edit(append(more), "key").await.unwrap();
        assert_eq!(done.text, expected, "{before}");
        assert_eq!(world.read_plan().await, done, "{before}");
    }
}

#[tokio::test]
async fn what_is_created_reads_as_it_was_written() {
    let texts = [
        "",
        "one",
        "\n\none\n",
        "# Agenda\n\n1. fünf *Tische*\n   - rot\nEnde 👩‍👩‍👧\n",
    ];
    for text in texts {
        let world = World::new().await;
        let made = world.create_document(text).await.unwrap();
        assert_eq!(made.text, text);
        assert_eq!(world.created_document().await.unwrap(), Some(made));
        assert_eq!(world.files("Agenda").len(), 1);
    }
}
