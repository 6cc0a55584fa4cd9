//! A change of a text, as cards show it and as its undo finds it.

use alfred_core::diff::{changed, equal_ends};

/// Most lines around a change for its undo.
const CONTEXT: usize = 3;
/// Characters of a long line shown around a change.
const AROUND: usize = 120;

/// The changed lines for a card. Shortens the common start and end of long lines, so that the change stays
/// visible.
pub fn shown(before: &str, after: &str) -> (String, String) {
    let (before, after) = changed(before, after, 0);
    let chars = |text: &str| -> Vec<char> { text.trim_end_matches('\n').chars().collect() };
    let (before, after) = (chars(before), chars(after));
    let (head, tail) = equal_ends(&before, &after);
    let cut = |many: usize| match many.saturating_sub(AROUND) {
        few if few < AROUND => 0,
        more => more,
    };
    let shortened = |text: &[char]| {
        let kept: String = text[cut(head)..text.len() - cut(tail)].iter().collect();
        let mark = |many: usize| if many > 0 { "…" } else { "" };
        format!("{}{kept}{}", mark(cut(head)), mark(cut(tail)))
    };
    (shortened(&before), shortened(&after))
}

/// The changed lines with enough context to be unique in `after`, for the undo. `None` if no context is enough.
pub fn anchored<'a>(before: &'a str, after: &'a str) -> Option<(&'a str, &'a str)> {
    let mut wider = (0..=CONTEXT).map(|lines| changed(before, after, lines));
    // Overlapping occurrences count too.
    wider.find(|(_, now)| !now.is_empty() && after.find(now) == after.rfind(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_anchored_change_can_be_put_back(before in "[ab]?(\n[ab]{0,2}){0,6}", after in "[ab]?(\n[ab]{0,2}){0,6}") {
            if let Some((old, new)) = anchored(&before, &after) {
                prop_assert_eq!(after.replacen(new, old, 1), before);
            }
        }
    }

    #[test]
    fn a_change_is_anchored_unless_nothing_is_unique() {
        assert_eq!(anchored("a\nb\nc\n", "a\nx\nc\n"), Some(("b\n", "x\n")));
        let whole = ("a\nb\nc\n", "a\nc\n");
        assert_eq!(anchored(whole.0, whole.1), Some(whole));
        assert_eq!(anchored("x\n", "x\nx\n"), Some(("x\n", "x\nx\n")));
        assert_eq!(anchored("b\n", ""), None);
    }
}
