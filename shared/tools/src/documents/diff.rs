//! Line differences between two texts.

/// Most context lines for an undo.
const CONTEXT: usize = 3;
/// Characters of a long line shown around a change.
const AROUND: usize = 120;

/// The changed lines, from the first to the last.
#[derive(Debug, PartialEq, Eq)]
pub struct Diff<'a> {
    pub before: &'a str,
    pub after: &'a str,
}

impl Diff<'_> {
    /// The texts for a card. Shortens the common start and end of long lines, so that the change stays visible.
    pub fn narrowed(&self) -> (String, String) {
        let lines =
            |text: &str| -> Vec<char> { text.strip_suffix('\n').unwrap_or(text).chars().collect() };
        let (before, after) = (lines(self.before), lines(self.after));
        let alike = |(a, b): &(&char, &char)| a == b;
        let head = before.iter().zip(&after).take_while(alike).count();
        let tails = before.iter().skip(head).rev();
        let tails = tails.zip(after.iter().skip(head).rev());
        let tail = tails.take_while(alike).count();
        let cut = |many: usize| match many.saturating_sub(AROUND) {
            few if few < AROUND => 0,
            more => more,
        };
        let shown = |text: &[char]| {
            let kept = text.iter().skip(cut(head));
            let kept: String = kept.take(text.len() - cut(head) - cut(tail)).collect();
            let mark = |many: usize| if many > 0 { "…" } else { "" };
            format!("{}{kept}{}", mark(cut(head)), mark(cut(tail)))
        };
        (shown(&before), shown(&after))
    }
}

pub fn of<'a>(before: &'a str, after: &'a str) -> Diff<'a> {
    with_context(before, after, 0)
}

/// The changed lines with enough context to be unique in `after`, for the undo. `None` if no context is enough.
pub fn anchored<'a>(before: &'a str, after: &'a str) -> Option<Diff<'a>> {
    let mut wider = (0..=CONTEXT).map(|lines| with_context(before, after, lines));
    wider.find(|diff| !diff.after.is_empty() && after.matches(diff.after).count() == 1)
}

fn with_context<'a>(before: &'a str, after: &'a str, context: usize) -> Diff<'a> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        before.split_inclusive('\n').collect(),
        after.split_inclusive('\n').collect(),
    );
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(alike).count();
    let (old_tail, new_tail) = (old.iter().skip(head).rev(), new.iter().skip(head).rev());
    let tail = old_tail.zip(new_tail).take_while(alike).count();
    let (head, tail) = (head.saturating_sub(context), tail.saturating_sub(context));
    Diff {
        before: between(before, &old, head, tail),
        after: between(after, &new, head, tail),
    }
}

/// The text without its first `head` and last `tail` lines.
fn between<'a>(text: &'a str, lines: &[&str], head: usize, tail: usize) -> &'a str {
    let start: usize = lines.iter().take(head).map(|line| line.len()).sum();
    let end: usize = lines.iter().rev().take(tail).map(|line| line.len()).sum();
    text.get(start..text.len() - end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_in_a_long_line_is_shown_with_what_stands_around_it() {
        let long = |end: &str| format!("{}{end}{}\n", "é".repeat(1_000), "z".repeat(500));
        let (before, after) = (long("thirty"), long("one"));
        let shown = of(&before, &after).narrowed();
        let around = |middle: &str| format!("…{}{middle}{}…", "é".repeat(120), "z".repeat(120));
        assert_eq!(shown, (around("thirty"), around("one")));
        for (before, after) in [
            ("a b\n", "a c\n"),
            ("", "x\ny\n"),
            ("aa\n", "a\n"),
            ("x", ""),
        ] {
            let bare = |text: &str| text.trim_end().to_owned();
            let diff = of(before, after);
            assert_eq!(diff.narrowed(), (bare(diff.before), bare(diff.after)));
        }
    }

    #[test]
    fn lines_that_differ_are_found_and_can_be_put_back() {
        let cases = [
            (
                "a\nb\nc\n",
                "a\nx\nc\n",
                ("b\n", "x\n"),
                Some(("b\n", "x\n")),
            ),
            ("a\n", "a\nb\n", ("", "b\n"), Some(("", "b\n"))),
            ("a", "a\nb", ("a", "a\nb"), Some(("a", "a\nb"))),
            (
                "a\nb\nc\n",
                "a\nc\n",
                ("b\n", ""),
                Some(("a\nb\nc\n", "a\nc\n")),
            ),
            ("b\n", "", ("b\n", ""), None),
            ("x\n", "x\nx\n", ("", "x\n"), Some(("x\n", "x\nx\n"))),
            ("a\n", "a\n", ("", ""), Some(("a\n", "a\n"))),
        ];
        for (before, after, differ, anchor) in cases {
            let diff = of(before, after);
            assert_eq!((diff.before, diff.after), differ, "{before:?} {after:?}");
            let back = anchored(before, after);
            let back = back.map(|diff| (diff.before, diff.after));
            assert_eq!(back, anchor, "{before:?} {after:?}");
            if let Some((old, new)) = back {
                assert_eq!(after.replacen(new, old, 1), before);
            }
        }
    }
}
