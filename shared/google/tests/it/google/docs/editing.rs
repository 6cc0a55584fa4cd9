//! Whatever passage is replaced, the document reads as the text would, and what wasn't meant stays as it looked.

use alfred_core::ports::Documents;
use serde_json::json;

use super::{World, append, replace};
use crate::google::support::account;

const LINES: &str = "# Trees 👩‍👩‍👧\n\nOaks are old, ashes are tall.\n- first\n- second\n- third\n\n1. one\n1. two\nGrüße";

#[tokio::test]
async fn what_is_edited_reads_as_the_text_would() {
    let edits = [
        replace("old", "very old"),
        replace("Oaks are old", "**Oaks** are *old* and `grey`"),
        replace("ashes are tall.", ""),
        replace("Trees 👩‍👩‍👧", "Trees 👩‍👩‍👦"),
        replace("👩‍👩‍👧", "👨‍👩‍👧 x"),
        replace("Grüße", "Gru\u{308}\u{df}e"),
        replace("# Trees", "## Trees"),
        replace("# Trees", "Trees"),
        replace("- first", "first"),
        replace("- second\n", ""),
        replace("- second", "- second\n  - nested\n    - deeper\n- more"),
        replace(
            "- first\n- second\n- third",
            "1. first\n2. second\n3. third",
        ),
        replace("- first\n- second\n- third\n", ""),
        replace("- third\n\n1. one", "- third\n1. one"),
        replace("tall.\n- first", "tall. first"),
        replace("1. one\n", "1. one\n2. and a half\n").clone(),
        replace("\n\nOaks", "\nOaks"),
        replace("\n\nOaks", "\n\n\n\nOaks"),
        replace("Oaks are old, ashes", "# Oaks\n\nAshes"),
        replace(
            "Oaks are old",
            "[Oaks](https://x.example/a) are ~~young~~ old",
        ),
        replace("Oaks are old", "5 * 3, a_b_c, <b>, 2 < 3 & 4"),
        replace("Oaks", "```\nlet a = *b*;\n# no heading\n```\nOaks"),
        replace(
            "Oaks are old",
            "| a | b |\n| --- | --- |\n| c | d |\nOaks are old",
        ),
        replace("Grüße", "Grüße\n- end\n"),
        replace("\nGrüße", ""),
        replace(LINES, "everything"),
        replace("Grüße", "> quoted\n---\n5. fünf"),
        append("more"),
        append("\n# More\n\n1. a\n2. b\n   - c\n\n**bold** end\n"),
        append("3. three\n"),
    ];
    for edit in edits {
        let world = World::of(LINES).await;
        let before = world.read().await.text;
        assert_eq!(before, LINES.replace("1. two", "2. two"));
        let edit = match edit {
            alfred_core::ports::Edit::Replace { old, new } if old == LINES => {
                replace(&before, &new)
            }
            edit => edit,
        };
        let expected = edit.applied_to(&before).unwrap();
        // Google counts by itself.
        let expected = match edit == replace("1. one\n", "1. one\n2. and a half\n") {
            true => expected.replace("2. two", "3. two"),
            false => expected,
        };
        let done = world.edit(edit.clone(), "key").await;
        let done = done.unwrap_or_else(|error| panic!("{edit:?}: {error}"));
        assert_eq!(done.text, expected, "{edit:?}");
        assert_eq!(world.read().await, done, "{edit:?}");
    }
}

#[tokio::test]
async fn what_isnt_meant_keeps_its_looks() {
    let style = |start, end, style, fields| {
        json!({"updateTextStyle": {
            "range": {"startIndex": start, "endIndex": end}, "textStyle": style, "fields": fields,
        }})
    };
    // "red oak and green ash"
    let looks = json!([
        style(1, 8, json!({"bold": true}), "bold"),
        style(
            13,
            22,
            json!({"link": {"url": "https://x.example"}}),
            "link"
        ),
    ]);
    let cases = [
        (
            "red",
            "old",
            "**old oak** and [green ash](https://x.example)",
        ),
        (
            "**red oak** and",
            "**red** and",
            "**red** and [green ash](https://x.example)",
        ),
        (
            "and",
            "*or*",
            "**red oak** *or* [green ash](https://x.example)",
        ),
        (
            "green ash](https://x.example)",
            "blue ash](https://x.example)",
            "**red oak** and [blue ash](https://x.example)",
        ),
        (
            "https://x.example",
            "https://y.example",
            "**red oak** and [green ash](https://y.example)",
        ),
        (
            "oak** and",
            "oak** and plain",
            "**red oak** and plain [green ash](https://x.example)",
        ),
        (
            "**red oak**",
            "red oak",
            "red oak and [green ash](https://x.example)",
        ),
        (
            "**red oak** and [green ash](https://x.example)",
            "# new",
            "# new",
        ),
    ];
    for (old, new, expected) in cases {
        let world = World::of("red oak and green ash").await;
        world.document("plan", |document| document.change(&looks).unwrap());
        let done = world.edit(replace(old, new), "key").await.unwrap();
        assert_eq!(done.text, expected, "{old}");
    }
}

#[tokio::test]
async fn what_is_created_reads_as_it_was_written() {
    let texts = [
        "",
        "one",
        "\n\none\n",
        "# Agenda\n\n1. fünf *Tische*\n2. **Stühle**\n   - rot\n   - blau\n\n```rust\nlet x = 1;\n```\nEnde 👩‍👩‍👧\n",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
    ];
    for text in texts {
        let world = World::new().await;
        let made = world
            .google
            .create(&account(), "Agenda", text, "key")
            .await
            .unwrap();
        assert_eq!(made.text, text);
        let found = world.google.find_created(&account(), "key").await.unwrap();
        assert_eq!(found, Some(made));
        assert_eq!(world.files().len(), 1);
    }
}
