//! Text that others wrote, fit to be shown.

/// Characters that turn or hide what stands beside them.
fn steers(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    )
}

/// One line: no controls, nothing that turns the direction of what follows or hides.
pub(crate) fn line(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars().filter(|c| !steers(*c)) {
        if c.is_whitespace() || c.is_control() {
            gap = !clean.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            clean.push(' ');
        }
        clean.push(c);
    }
    clean
}

/// Lines: `\n` between them, no other controls but tabs.
pub(crate) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let fit = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text = text.chars().map(|c| if c == '\r' { '\n' } else { c });
    text.filter(fit).collect()
}

/// At most so many bytes of it, cut between characters.
pub(crate) fn cut(text: &mut String, bytes: usize) -> bool {
    if text.len() <= bytes {
        return false;
    }
    text.truncate(text.floor_char_boundary(bytes));
    true
}

/// The last part of what may be a path, of a length that file systems take.
pub(crate) fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut clean = line(last);
    cut(&mut clean, 200);
    match clean.as_str() {
        "" | "." | ".." => "attachment".into(),
        _ => clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_hides_and_turns_nothing() {
        assert_eq!(line("in\u{202E}fdp.exe"), "infdp.exe");
        assert_eq!(line(" a\r\n\tb\u{0} c\u{2028}d "), "a b c d");
        assert_eq!(line("\u{200B}"), "");
    }

    #[test]
    fn lines_keep_their_breaks() {
        assert_eq!(lines("a\r\nb\rc\u{7}\td"), "a\nb\nc\td");
    }

    #[test]
    fn a_cut_is_between_characters() {
        let mut text = "grüße".to_owned();
        assert!(cut(&mut text, 3));
        assert_eq!(text, "gr");
        assert!(!cut(&mut text, 2));
    }

    #[test]
    fn a_file_name_is_no_path() {
        assert_eq!(file_name("../../etc/passwd"), "passwd");
        assert_eq!(file_name("C:\\a\\b.txt"), "b.txt");
        assert_eq!(file_name("x/.."), "attachment");
        assert_eq!(file_name("a\u{0}b"), "a b");
    }
}
