//! Splits long text into pieces that Slack accepts, at the best available boundary, and keeps code
//! fences balanced.

/// Splits into pieces of at most `limit` characters. Changes only white space at the cuts, and
/// fences closed and reopened there.
pub fn pieces(text: &str, limit: usize) -> Vec<String> {
    const FENCE: &str = "```";
    let room = limit.saturating_sub(2 * (FENCE.len() + 1)).max(1);
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    let mut in_code = false;
    while !rest.is_empty() {
        let head = if rest.chars().count() <= room {
            rest
        } else {
            &rest[..cut_at(rest, room)]
        };
        rest = &rest[head.len()..];
        rest = if in_code {
            rest.trim_start_matches('\n')
        } else {
            rest.trim_start()
        };
        let mut piece = String::with_capacity(head.len() + 8);
        if in_code {
            piece.push_str("```\n");
        }
        piece.push_str(head.trim_end());
        if head.matches(FENCE).count() % 2 == 1 {
            in_code = !in_code;
        }
        if in_code && !rest.is_empty() {
            piece.push_str("\n```");
        }
        if !piece.trim().is_empty() {
            pieces.push(piece);
        }
    }
    pieces
}

/// Where to cut: after a paragraph, a line, a sentence or a word, else anywhere.
fn cut_at(text: &str, room: usize) -> usize {
    let mut chars = text.char_indices();
    let end = chars.nth(room).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let late_enough = |at: usize| at > end / 3;
    for mark in ["\n\n", "\n", ". ", " "] {
        if let Some(at) = head.rfind(mark).filter(|at| late_enough(*at)) {
            return whole(text, at + mark.len());
        }
    }
    whole(text, end)
}

/// The last position up to `end` that isn't inside an entity (`&amp;`) or a link (`<url|label>`).
/// Returns `end` if that position is the start.
pub(super) fn whole(text: &str, end: usize) -> usize {
    let head = &text[..end];
    let entity = head.rfind('&').filter(|at| {
        ["&amp;", "&lt;", "&gt;"]
            .iter()
            .any(|entity| text[*at..].starts_with(entity) && at + entity.len() > end)
    });
    let link = head
        .rfind('<')
        .filter(|at| !head[*at..].contains('>') && text[end..].contains('>'));
    let first = [entity, link].into_iter().flatten().min();
    first.filter(|at| *at > 0).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::{pieces, whole};

    #[test]
    fn short_text_stays_whole() {
        assert_eq!(pieces("hello", 100), ["hello"]);
        assert!(pieces("  \n ", 100).is_empty());
    }

    #[test]
    fn code_is_closed_and_opened_again() {
        let text = format!("intro\n\n```\n{}```\nend", "line of code\n".repeat(40));
        let all = pieces(&text, 120);
        assert!(all.len() > 3);
        for piece in &all {
            assert_eq!(piece.matches("```").count() % 2, 0, "{piece}");
            assert!(piece.chars().count() <= 120, "{}", piece.chars().count());
        }
        let lines: usize = all.iter().map(|p| p.matches("line of code").count()).sum();
        assert_eq!(lines, 40);
    }

    #[test]
    fn nothing_is_cut_within_an_escape_or_a_link() {
        for (text, end, at) in [
            ("ab&amp;cd", 3, 2),
            ("ab&amp;cd", 6, 2),
            ("ab&amp;cd", 7, 7),
            ("ab&lt;", 5, 2),
            ("R&D dept", 4, 4),
            ("see <https://x.y|two words> now", 22, 4),
            ("see <https://x.y|x> now", 20, 20),
            ("&amp;", 3, 3),
        ] {
            assert_eq!(whole(text, end), at, "{text} at {end}");
        }
        let text = "<https://example.com/a|two words> ".repeat(40);
        for piece in pieces(&text, 100) {
            assert_eq!(
                piece.matches('<').count(),
                piece.matches('>').count(),
                "{piece}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost(words in proptest::collection::vec("[a-zé漢]{1,8}", 0..200), limit in 60_usize..300) {
            let text = words.join(" ");
            let all = pieces(&text, limit);
            for piece in &all {
                proptest::prop_assert!(piece.chars().count() <= limit);
            }
            proptest::prop_assert_eq!(all.join(" "), text);
        }
    }
}
