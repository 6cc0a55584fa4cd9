//! Words that mrkdwn shows as they are.

/// The three characters Slack gives a meaning; control characters, which no
/// reader sees and which JSON spells with six, are left out.
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
