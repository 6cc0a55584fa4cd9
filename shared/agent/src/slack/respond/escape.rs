/// Escapes the three characters that Slack interprets. Control characters are dropped: they are
/// invisible and take six characters in JSON.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' | '\t' => escaped.push(c),
            control if control.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}
