//! The little Markdown that changes need: marks at the start of a line, and escapes
//! (<https://spec.commonmark.org/0.31.2/>).

/// Splits a line into its indentation with the mark of a heading or list, and its text.
pub(super) fn split(line: &str) -> (&str, &str) {
    let rest = line.trim_start();
    let after_digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let after_hashes = rest.trim_start_matches('#');
    let text = if after_digits.len() < rest.len() {
        after_digits.strip_prefix(". ")
    } else if after_hashes.len() < rest.len() {
        after_hashes.strip_prefix(' ')
    } else {
        let after = rest.strip_prefix(['-', '*', '+']);
        after.and_then(|after| after.strip_prefix(' '))
    };
    let text = text.unwrap_or(line);
    line.split_at(line.len() - text.len())
}

/// Removes the backslashes of escaped characters.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\' && chars.peek().is_some_and(char::is_ascii_punctuation);
        plain.push(chars.next_if(|_| is_escape).unwrap_or(c));
    }
    plain
}

/// Removes the pictures that Google appends, each as one line of Base64.
pub(super) fn without_pictures(text: &str) -> String {
    let is_picture = |line: &&str| line.starts_with("[image") && line.contains("]: <data:");
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !is_picture(line)).collect()
}
