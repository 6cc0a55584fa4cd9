use super::*;
use crate::docs::blocks::Lists;
use alfred_google_local::docs::Document;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

fn body(document: &Document) -> Body {
    let resource = json!({"revisionId": "1", "tabs": document.shown()});
    Body::read(serde_json::from_value(resource).unwrap())
}

/// `None` if the edit is refused.
fn requests(document: &Document, edit: &Edit, suggested: bool) -> Option<Value> {
    let body = body(document);
    let requests = Change::new(&body, edit).unwrap().requests(suggested);
    requests.ok().map(Value::Array)
}

fn written(text: &str) -> Document {
    let mut document = Document::default();
    if !text.trim().is_empty() {
        let requests = requests(&document, &Edit::Append(text.into()), false).unwrap();
        document.change(&requests).unwrap();
    }
    document
}

type Look = (Block, Vec<(char, Style)>);

/// The styled content of a text, independent of its notation.
fn said(text: &str) -> Vec<Look> {
    let mut lists = Lists::default();
    let numbers =
        (0..4).flat_map(|level| (1..10).map(move |number| Block::Number { level, number }));
    let numbers: Vec<Block> = numbers.collect();
    let lines = text.split('\n').map(|line| {
        let fence = is_fence(line);
        if lists.fenced && !fence {
            let code = Style::code();
            return (
                Block::Plain,
                line.chars().map(|c| (c, code.clone())).collect(),
            );
        }
        let (block, inside) = lists.read(line, &numbers);
        lists.fenced ^= fence && block == Block::Plain;
        let glyphs = read(inside).into_iter();
        let glyphs = glyphs.map(|glyph| (glyph.letter, (*glyph.style).clone()));
        let block = match block {
            Block::Number { level, .. } => Block::Number { level, number: 0 },
            other => other,
        };
        (block, glyphs.collect())
    });
    lines.collect()
}

fn line() -> impl Strategy<Value = String> {
    let start = prop_oneof![
        4 => Just(""), 1 => Just("# "), 1 => Just("### "), 2 => Just("- "), 1 => Just("  - "), 1 => Just("1. "),
    ];
    let words = prop_oneof![
        Just("oak"),
        Just("**ash**"),
        Just("*elm tree*"),
        Just("`a * b`"),
        Just("[fir](https://x.example)"),
        Just("👩‍👩‍👧"),
        Just("Grüße"),
        Just("5 * 3"),
        Just("a_b"),
        Just("~~old~~"),
        Just("\\*"),
        Just("<b>"),
        Just("a|b"),
    ];
    let words = prop::collection::vec(words, 0..4);
    (start, words).prop_map(|(start, words)| format!("{start}{}", words.join(" ")))
}

fn text(lines: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(line(), lines).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read(text in text(0..8)) {
        prop_assume!(!text.trim().is_empty());
        prop_assert_eq!(said(&body(&written(&text)).text()), said(&text));
    }

    #[test]
    fn an_edit_of_the_text_is_one_of_the_document(
        before in text(1..8),
        new in text(0..4),
        ends in (0_usize..200, 0_usize..60),
        suggested: bool,
        table: bool,
        object in prop::option::of(any::<bool>()),
    ) {
        let mut document = written(&before);
        if table {
            document.add_table(&[&["a", "", "b c"], &["*x*", "|", "d"]]);
        }
        if let Some(mention) = object {
            document.add_object(1, mention.then_some("Ben"));
        }
        let before = body(&document).text();
        let cut = |at: usize| before.floor_char_boundary(at.min(before.len()));
        let (start, end) = (cut(ends.0 % (before.len() + 1)), cut(ends.0 % (before.len() + 1) + ends.1));
        let old = &before[start..end.max(start)];
        prop_assume!(before.matches(old).count() == 1 && !old.is_empty());
        // A joined letter isn't split.
        let joiner = '\u{200d}';
        let halves = [&before[..start], old, &before[start + old.len()..]];
        prop_assume!(!halves.iter().any(|half| half.starts_with(joiner) || half.ends_with(joiner)));
        let edit = Edit::Replace { old: old.into(), new };
        let Some(requests) = requests(&document, &edit, suggested) else {
            prop_assert!(table);
            return Ok(());
        };
        if suggested {
            document.suggest(&requests).unwrap();
            prop_assert_eq!(&body(&document).text(), &before);
            document.settle(true);
        } else {
            document.change(&requests).unwrap();
        }
        let after = edit.applied_to(&before).unwrap();
        prop_assert_eq!(said(&body(&document).text()), said(&after), "{:?} of {:?}", edit, before);
    }
}
