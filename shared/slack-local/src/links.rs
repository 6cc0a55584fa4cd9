//! Links of a message that lead out of Slack: those an app wrote, and bare addresses that Slack links
//! (docs.slack.dev/messaging/formatting-message-text).

use serde_json::Value;

/// The addresses behind everything clickable in a message. `unlinked` says that it was posted with `parse: none`.
pub fn unfurled(text: &str, blocks: &[Value], unlinked: bool) -> Vec<String> {
    let mut links = Vec::new();
    if blocks.is_empty() {
        in_mrkdwn(text, unlinked, &mut links);
    }
    for block in blocks {
        within(block, &mut links);
    }
    links
}

fn within(part: &Value, links: &mut Vec<String>) {
    match part {
        Value::Array(parts) => parts.iter().for_each(|part| within(part, links)),
        Value::Object(fields) => {
            let text = fields.get("text").and_then(Value::as_str);
            match (fields.get("type").and_then(Value::as_str), text) {
                (Some("mrkdwn"), Some(text)) => {
                    let verbatim = fields.get("verbatim") == Some(&Value::Bool(true));
                    in_mrkdwn(text, verbatim, links);
                }
                (Some("markdown"), Some(text)) => in_mrkdwn(text, false, links),
                _ => {}
            }
            links.extend(fields.get("url").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|part| within(part, links));
        }
        _ => {}
    }
}

fn in_mrkdwn(text: &str, unlinked: bool, links: &mut Vec<String>) {
    let mut rest = text;
    while !rest.is_empty() {
        let open = rest.find('<').unwrap_or(rest.len());
        let (plain, behind) = rest.split_at(open);
        if !unlinked {
            links.extend(plain.split(ends).filter_map(bare));
        }
        let Some(close) = behind.find('>') else {
            return;
        };
        let target = behind[1..close].split('|').next().unwrap_or_default();
        if target.contains(':') && !target.starts_with(['@', '#', '!']) {
            links.push(unescaped(target));
        }
        rest = &behind[close + 1..];
    }
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

fn ends(c: char) -> bool {
    c.is_whitespace() || "<>\"`|()[]*".contains(c)
}

/// What Slack links of a word: an address with a scheme, a host's name, an e-mail address.
fn bare(word: &str) -> Option<String> {
    let word = unescaped(word);
    let lower = word.to_lowercase();
    let schemes = [
        "https://", "http://", "ftp://", "mailto:", "tel:", "slack:", "sms:",
    ];
    if let Some(at) = schemes.iter().filter_map(|scheme| lower.find(scheme)).min() {
        return Some(word[word.len().min(at)..].to_owned());
    }
    let host = lower.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let host = host.trim_matches(|c: char| !c.is_alphanumeric());
    let host = host.rsplit('@').next().unwrap_or_default();
    let mut labels = host.rsplit('.');
    let last = labels.next().unwrap_or_default();
    let is_host = last.chars().count() > 1 && last.chars().all(char::is_alphabetic);
    (is_host && labels.next().is_some_and(|label| !label.is_empty())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bare_addresses_are_links_unless_the_app_forbids_it() {
        for (text, linked) in [
            ("see https://x.y/z.", "https://x.y/z."),
            ("HTTPS://x.y", "HTTPS://x.y"),
            ("evil.example and a@b.example", "evil.example a@b.example"),
            ("(www.x.org/a?b)", "www.x.org/a?b"),
            ("mailto:a@b.example", "mailto:a@b.example"),
            ("at 10:30, e.g. 3.5", ""),
        ] {
            let linked: Vec<&str> = linked.split_whitespace().collect();
            assert_eq!(unfurled(text, &[], false), linked, "{text}");
            assert!(unfurled(text, &[], true).is_empty(), "{text}");
            let section = |verbatim| json!({"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": verbatim}});
            assert_eq!(unfurled("", &[section(false)], false), linked);
            assert!(unfurled("", &[section(true)], false).is_empty());
        }
    }

    #[test]
    fn links_of_the_app_are_found_everywhere() {
        let text = "<https://x.y|here> <@U1> <!here> <#C1|general> <mailto:a@b.c>";
        assert_eq!(unfurled(text, &[], true), ["https://x.y", "mailto:a@b.c"]);
        let rich = json!({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
            {"type": "text", "text": "https://no.link"}, {"type": "link", "url": "https://x.y"}]}]});
        assert_eq!(unfurled("", &[rich], false), ["https://x.y"]);
        let plain =
            json!({"type": "header", "text": {"type": "plain_text", "text": "https://no.link"}});
        assert!(unfurled("", &[plain], false).is_empty());
    }
}
