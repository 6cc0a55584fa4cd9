//! Cleans foreign text for display.

use alfred_core::invisible::removed;

/// One line without control, bidirectional and invisible characters.
pub fn line(text: &str) -> String {
    let clean = removed(&text.replace(char::is_control, " "));
    let words: Vec<&str> = clean.split_whitespace().collect();
    words.join(" ")
}

/// Lines separated by `\n`, without other controls except tabs, and without invisible characters.
pub fn lines(text: &str) -> String {
    // Mails use CRLF. After this replacement most texts have nothing to remove.
    removed(&text.replace("\r\n", "\n"))
}

/// Cuts to at most so many bytes, between characters. Returns whether it cut.
pub fn cut(text: &mut String, bytes: usize) -> bool {
    if text.len() <= bytes {
        return false;
    }
    text.truncate(text.floor_char_boundary(bytes));
    true
}

/// The last path component, shortened for file systems.
pub fn file_name(name: &str) -> String {
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
        assert_eq!(line(" a\r\n\tb\u{0}  c\u{2028}d "), "a b c d");
        let joined = "می\u{200C}خواهم 👩\u{200D}💻";
        assert_eq!(line(joined), joined);
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
