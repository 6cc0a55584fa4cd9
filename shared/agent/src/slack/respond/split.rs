//! Splits or shortens long text to what Slack accepts, at the best available boundary.

use serde_json::{Value, json};

const FENCE: &str = "```";
const CONTEXT_CHARS: usize = 300;

/// Splits mrkdwn into pieces of at most `limit` characters. Closes and reopens code fences at the cuts.
pub fn pieces(text: &str, limit: usize) -> Vec<String> {
    let room = limit.saturating_sub(2 * (FENCE.len() + 1)).max(1);
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    let mut in_code = false;
    while !rest.is_empty() {
        let (head, behind) = rest.split_at(cut_at(rest, room));
        let is_blank = |c: char| c == '\n' || (!in_code && c.is_whitespace());
        rest = behind.trim_start_matches(is_blank);
        let mut piece = String::from(if in_code { "```\n" } else { "" });
        piece.push_str(head.trim_end());
        in_code ^= head.matches(FENCE).count() % 2 == 1;
        if in_code && !rest.is_empty() {
            piece.push_str("\n```");
        }
        if !piece.trim().is_empty() {
            pieces.push(piece);
        }
    }
    pieces
}

/// Where to cut after at most `room` characters: after a paragraph, a line, a sentence or a word, else anywhere.
pub(in crate::slack) fn cut_at(text: &str, room: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(room) else {
        return text.len();
    };
    let after = |mark: &str| Some(text[..end].rfind(mark)? + mark.len());
    let late_enough = |at: &usize| *at > end / 3;
    let marks = ["\n\n", "\n", ". ", " "].into_iter();
    let good = marks.filter_map(after).find(late_enough);
    whole(text, good.unwrap_or(end))
}

/// The last position up to `end` outside of entities and links, or `end` if that is the start.
fn whole(text: &str, end: usize) -> usize {
    let head = &text[..end];
    let entity = head.rfind('&').filter(|at| {
        let is_cut = |entity: &&str| text[*at..].starts_with(*entity) && at + entity.len() > end;
        ["&amp;", "&lt;", "&gt;"].iter().any(is_cut)
    });
    let is_open = |at: &usize| !head[*at..].contains('>') && text[end..].contains('>');
    let link = head.rfind('<').filter(is_open);
    let first = [entity, link].into_iter().flatten().min();
    first.filter(|at| *at > 0).unwrap_or(end)
}

pub(crate) fn context(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": head(text, CONTEXT_CHARS)}]})
}

/// The first `chars` characters of mrkdwn, with an ellipsis if it is longer. Cuts no link or entity.
pub fn head(text: &str, chars: usize) -> String {
    if text.char_indices().nth(chars).is_none() {
        return text.to_owned();
    }
    let end = text.char_indices().nth(chars - 1).map_or(0, |(at, _)| at);
    format!("{}…", &text[..whole(text, end)])
}

#[cfg(test)]
mod tests {
    use super::{pieces, whole};

    #[test]
    fn code_is_closed_and_opened_again() {
        let text = format!("intro\n\n```\n{}```\nend", "line of code\n".repeat(40));
        let all = pieces(&text, 120);
        assert!(all.len() > 3);
        for piece in &all {
            assert_eq!(piece.matches("```").count() % 2, 0, "{piece}");
            assert!(piece.chars().count() <= 120, "{}", piece.chars().count());
        }
        assert_eq!(all.concat().matches("line of code").count(), 40);
        assert!(pieces("  \n ", 100).is_empty());
    }

    #[test]
    fn nothing_is_cut_within_an_escape_or_a_link() {
        // `¦` ends the longest whole part of what comes before `^`.
        for case in include_str!("whole_cases.txt").lines() {
            let at = case.replace('^', "").find('¦').unwrap();
            let end = case.replace('¦', "").find('^').unwrap();
            let text = case.replace(['^', '¦'], "");
            assert_eq!(whole(&text, end), at, "{case}");
        }
        let text = "<https://example.com/a|two words> ".repeat(40);
        for piece in pieces(&text, 100) {
            let count = |c| piece.matches(c).count();
            assert_eq!(count('<'), count('>'), "{piece}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost(words in "[a-zé漢]{1,8}( [a-zé漢]{1,8}){0,200}", limit in 60_usize..300) {
            let all = pieces(&words, limit);
            proptest::prop_assert!(all.iter().all(|piece| piece.chars().count() <= limit));
            proptest::prop_assert_eq!(all.join(" "), words);
        }
    }
}
