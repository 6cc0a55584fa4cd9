//! The words of a mail that its sender wrote now.

/// The text without quoted lines, forwarded originals and the signature, so
/// that nobody is asked to answer a question of their own.
#[must_use]
pub fn own_words(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        // "On … wrote:" is often wrapped onto a second line.
        let next = lines.peek().map_or("", |next| next.trim());
        if trimmed == "--" || is_separator(trimmed) || is_attribution(trimmed, next) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_signatures_are_not_the_senders_words() {
        for (text, own) in [
            ("Thanks!\n> Can you?\n>> why", "Thanks!"),
            ("Done.\n\nOn Mon, 3 Nov 2026, Ann wrote:\n> Is it?", "Done."),
            (
                "Done.\nOn Mon, 3 Nov 2026 at 10:00, Ann Long\n<ann@example.org> wrote:\nIs it?",
                "Done.",
            ),
            (
                "See below\n---------- Forwarded message ---------\nCan you?",
                "See below",
            ),
            ("Hi\n-- \nAnn\nQuestions? Call me", "Hi"),
            ("On Monday we met.\nAll good", "On Monday we met.\nAll good"),
            ("", ""),
        ] {
            assert_eq!(own_words(text), own);
        }
    }
}
