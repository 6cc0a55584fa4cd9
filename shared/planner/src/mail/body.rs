//! The words of a mail that its sender wrote.

/// The text without quoted lines, forwarded originals and the signature.
pub fn own_words(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        let below = &lines[at + 1..];
        // "On … wrote:" is often wrapped onto a second line.
        let next = below.first().map_or("", |next| next.trim());
        let ends = trimmed == "--" || is_separator(trimmed) || is_attribution(trimmed, next);
        if ends || is_heading(&lines[at..]) || is_before_quote(trimmed, below) {
            break;
        }
        if !trimmed.starts_with('>') {
            kept.push(trimmed);
        }
    }
    kept.join("\n").trim().to_owned()
}

fn is_separator(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.starts_with("-----original message") || lower.starts_with("---------- forwarded message")
}

fn is_attribution(line: &str, next: &str) -> bool {
    let starts = line.starts_with("On ") || line.starts_with("Am ");
    let ends = |line: &str| line.ends_with("wrote:") || line.ends_with("schrieb:");
    starts && (ends(line) || ends(next))
}

/// The headers of the mail below, as Outlook writes them in every language: `From: Ann <ann@example.org>`, `Sent: …`,
/// `To: …`.
fn is_heading(lines: &[&str]) -> bool {
    let is_header = |line: &str| {
        let name = line.split_once(':').map_or("", |(name, _)| name.trim());
        let words = name.split(' ').count();
        (1..=20).contains(&name.chars().count())
            && words <= 2
            && name.starts_with(char::is_alphabetic)
    };
    let mut headers = lines.iter().map(|line| line.trim()).take(3);
    let first = headers.next().unwrap_or_default();
    let is_sender = is_header(first) && first.contains('@');
    is_sender && headers.len() == 2 && headers.all(is_header)
}

/// A line that introduces a quote in any language: it has an address or a time and ends in `:`.
fn is_before_quote(line: &str, below: &[&str]) -> bool {
    let mut below = below.iter().map(|line| line.trim());
    let quoted = below.find(|line| !line.is_empty());
    let names = line.contains('@') || line.contains(|c: char| c.is_ascii_digit());
    line.ends_with(':') && names && quoted.is_some_and(|line| line.starts_with('>'))
}
