//! Turns web addresses in mrkdwn into links. Slack makes none in verbatim text.

/// What ends an address.
const ENDS: [&str; 8] = [" ", "\n", "\t", "<", "|", "`", "&lt;", "&gt;"];
/// Punctuation after an address that isn't part of it.
const TRAILING: [char; 13] = [
    '.', ',', ';', ':', '!', '?', '\'', '"', ']', '}', '*', '_', '~',
];

/// Writes `https://…` as `<https://…>`. Code and existing links stay unchanged.
pub fn linked(mrkdwn: &str) -> String {
    let mut out = String::with_capacity(mrkdwn.len() + 16);
    let mut rest = mrkdwn;
    while let Some(first) = rest.chars().next() {
        let kept = kept(rest).unwrap_or(0);
        let address = match out.chars().next_back() {
            Some(before) if before.is_alphanumeric() => None,
            _ => address(rest),
        };
        let taken = match address {
            Some(address) if kept == 0 => {
                out.push_str(&format!("<{address}>"));
                address.len()
            }
            _ => {
                let taken = kept.max(first.len_utf8());
                out.push_str(&rest[..taken]);
                taken
            }
        };
        rest = &rest[taken..];
    }
    out
}

/// The length of the code or link at the start of the text.
fn kept(text: &str) -> Option<usize> {
    let (open, close) = [("```", "```"), ("`", "`"), ("<", ">")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))?;
    let end = text[open.len()..].find(close)?;
    Some(open.len() + end + close.len())
}

fn address(text: &str) -> Option<&str> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.starts_with(scheme))?;
    let end = ENDS.iter().filter_map(|end| text.find(end)).min();
    let mut address = &text[..end.unwrap_or(text.len())];
    loop {
        let shorter = address.trim_end_matches(TRAILING);
        let shorter = match shorter.contains('(') {
            true => shorter,
            false => shorter.trim_end_matches(')'),
        };
        if shorter.len() == address.len() {
            break;
        }
        address = shorter;
    }
    (address.len() > scheme.len()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::linked;
    use alfred_agent::slack::respond::mrkdwn::from_markdown;
    use proptest::prelude::*;

    #[test]
    fn addresses_become_links_and_nothing_else_does() {
        for (text, expected) in [
            (
                "see https://x.y/a_b?q=1&amp;r=2.",
                "see <https://x.y/a_b?q=1&amp;r=2>.",
            ),
            ("(https://x.y), *http://z*", "(<https://x.y>), *<http://z>*"),
            ("https://x.y/a_(b)", "<https://x.y/a_(b)>"),
            (
                "<https://x.y|here> <https://z>",
                "<https://x.y|here> <https://z>",
            ),
            (
                "`https://x.y` ```\nhttps://x.y\n```",
                "`https://x.y` ```\nhttps://x.y\n```",
            ),
            ("&lt;https://x.y&gt;", "&lt;<https://x.y>&gt;"),
            ("xhttps://x.y https:// a`b", "xhttps://x.y https:// a`b"),
            ("http://ü.de\nhttps://x", "<http://ü.de>\n<https://x>"),
        ] {
            assert_eq!(linked(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_acts_and_nothing_is_lost(text in "(https?://|[<>!@#|`&]|\\PC){0,40}") {
            let said = from_markdown(&text);
            let out = linked(&said);
            prop_assert!(!out.contains("<!") && !out.contains("<@") && !out.contains("<#"));
            let plain = |text: &str| text.replace(['<', '>'], "");
            prop_assert_eq!(plain(&out), plain(&said));
            prop_assert_eq!(linked(&out), out);
        }
    }
}
