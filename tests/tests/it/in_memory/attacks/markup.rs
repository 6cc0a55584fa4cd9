/// A mark opens before a word and closes after one.
pub fn marks_up(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let is = |at: Option<usize>, what: fn(&char) -> bool| {
        at.and_then(|at| chars.get(at)).is_some_and(what)
    };
    let word: fn(&char) -> bool = |c| c.is_alphanumeric();
    let there: fn(&char) -> bool = |c| !c.is_whitespace();
    let closes = |mark: char, from: usize| {
        let mut ends = (from + 2)..chars.len();
        ends.any(|at| chars[at] == mark && is(at.checked_sub(1), there) && !is(Some(at + 1), word))
    };
    let opens = |at: usize| !is(at.checked_sub(1), word) && is(Some(at + 1), there);
    let marked = |at: usize| {
        let mark = chars[at];
        "*_~`".contains(mark) && opens(at) && closes(mark, at)
    };
    (0..chars.len()).any(marked) || has_emoji(text)
}

fn has_emoji(text: &str) -> bool {
    let is_name = |name: &str| {
        let fits = |c: char| c.is_ascii_lowercase() || "_+-".contains(c);
        name.len() > 2 && name.chars().all(fits)
    };
    let mut between: Vec<&str> = text.split(':').skip(1).collect();
    between.pop();
    between.into_iter().any(is_name)
}

#[test]
fn markup_is_seen() {
    for text in ["Sync *With:* Ben", "~a~", ":white_check_mark: Done", "`x`"] {
        assert!(marks_up(text), "{text}");
    }
    let plain = r#"5 * 3|to: Ben, at: noon|snake_case_name|a*b*c|*|{"error":"x"}"#;
    for text in plain.split('|') {
        assert!(!marks_up(text), "{text}");
    }
}
