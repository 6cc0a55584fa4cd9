//! Finds web addresses as a reader sees them, despite entities, percent escapes, look-alikes and formatting marks.

use std::ops::Range;

/// URI schemes that need no slashes.
const PLAIN_SCHEMES: &str =
    "mailto tel sms slack callto facetime skype xmpp im data javascript vbscript file blob";
const WEB: [&str; 2] = ["https://", "http://"];
const LINK: (&str, &str) = ("<", ">");
const ENTITIES: [(&str, char); 3] = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>')];
/// Trailing punctuation that belongs to the sentence rather than to the address.
const TRAILING: &str = ".,)]!?;:'’”“…»";

/// Escapes what Slack interprets, and drops control characters, which take six characters in JSON.
pub fn escape(text: &str) -> String {
    let seen = text.chars();
    let seen = seen.filter(|c| matches!(c, '\n' | '\t') || !c.is_control());
    seen.fold(String::with_capacity(text.len()), |mut escaped, c| {
        match ENTITIES.iter().find(|(_, special)| *special == c) {
            Some((entity, _)) => escaped.push_str(entity),
            None => escaped.push(c),
        }
        escaped
    })
}

pub fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

/// Shortens each untrusted address to its host. Slack links (`<…>`) stay: the code that wrote them checked the address.
pub(super) fn cut(mrkdwn: &str, trusted: &dyn Fn(&str) -> bool) -> String {
    outside(mrkdwn, &[LINK], &|text| cut_in_text(text, trusted))
}

/// Like [`cut`] for plain text and Markdown, where `<…>` is no Slack link.
pub(super) fn cut_in_text(text: &str, trusted: &dyn Fn(&str) -> bool) -> String {
    replaced(text, &|address, host| {
        let untrusted = !trusted(&unescaped(address));
        untrusted.then(|| escape(host))
    })
}

/// Links the web addresses in mrkdwn. Code and links stay as they are.
pub fn linked(mrkdwn: &str) -> String {
    let link = |address: &str, _: &str| {
        let mut rests = WEB.iter().filter_map(|scheme| address.strip_prefix(scheme));
        let is_web = rests.any(|rest| !rest.is_empty());
        is_web.then(|| format!("<{address}>"))
    };
    let kept = [("```", "```"), ("`", "`"), LINK];
    outside(mrkdwn, &kept, &|text| replaced(text, &link))
}

/// Changes the text outside of the parts between these delimiters. An opening delimiter that isn't closed is text.
fn outside(text: &str, kept: &[(&str, &str)], change: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let opens = |c: char| kept.iter().any(|(open, _)| open.starts_with(c));
    let mut rest = text;
    while !rest.is_empty() {
        let (plain, behind) = rest.split_at(rest.find(opens).unwrap_or(rest.len()));
        out.push_str(&change(plain));
        let inside = kept.iter().find_map(|(open, close)| {
            let inner = behind.strip_prefix(open)?.find(close)?;
            Some(open.len() + inner + close.len())
        });
        let (part, behind) = behind.split_at(inside.unwrap_or(behind.len().min(1)));
        out.push_str(part);
        rest = behind;
    }
    out
}

/// The host that an address leads to, without path and query that could carry data.
pub(super) fn host(address: &str) -> String {
    match url::Url::parse(address) {
        Ok(url) => match (url.host_str(), url.scheme()) {
            (Some(host), _) => host.to_owned(),
            (None, "mailto") => url.path().to_owned(),
            (None, scheme) => format!("{scheme}:…"),
        },
        // Without a scheme it leads nowhere. A mail address is shown as it is.
        Err(_) if address.contains('@') && is_domain(address) => address.to_owned(),
        Err(_) => "…".into(),
    }
}

/// Replaces each web or mail address by `instead(raw, host)`; `None` keeps it. `raw` may contain `*` and `_` of Slack.
fn replaced(text: &str, instead: &dyn Fn(&str, &str) -> Option<String>) -> String {
    let (visible, places) = seen(text);
    let mut out = String::with_capacity(text.len());
    let (mut written, mut next) = (0, 0);
    for (at, _) in visible.char_indices() {
        let found = (at >= next).then(|| address(&visible, at)).flatten();
        let Some((length, host)) = found else {
            continue;
        };
        next = at + length;
        let whole = places[at].start..places[next - 1].end;
        if let Some(instead) = instead(&text[whole.clone()], &host) {
            out.push_str(&text[written..whole.start]);
            out.push_str(&instead);
            written = whole.end;
        }
    }
    out.push_str(&text[written..]);
    out
}

/// The visible characters of a text, without formatting marks, and for each byte of them its place in the text.
fn seen(text: &str) -> (String, Vec<Range<usize>>) {
    let (mut seen, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let entity = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (c, length) = match (entity, percent(rest)) {
            (Some((entity, c)), _) => (*c, entity.len()),
            (None, Some(c)) => (c, 3),
            (None, None) => (alike(first), first.len_utf8()),
        };
        if !matches!(first, '*' | '_' | '~' | '`') {
            seen.push(c);
            places.resize(seen.len(), at..at + length);
        }
        at += length;
    }
    (seen, places)
}

/// Decodes a percent-escaped colon, dot, slash or backslash.
fn percent(text: &str) -> Option<char> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let c = char::from(u8::from_str_radix(digits, 16).ok()?);
    matches!(c, ':' | '/' | '.' | '\\').then_some(c)
}

fn alike(c: char) -> char {
    match c {
        '\u{FF1A}' | '\u{FE55}' | '\u{FE13}' | '\u{2236}' | '\u{A789}' | '\u{2D0}' => ':',
        '\u{FF0F}' | '\u{2044}' | '\u{2215}' | '\u{29F8}' | '\\' => '/',
        '\u{FF0E}' | '\u{3002}' | '\u{FF61}' | '\u{2024}' => '.',
        // Full-width letters.
        '\u{FF21}'..='\u{FF5A}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        c => c,
    }
}

/// If an address starts at `at`: its length and its host.
fn address(text: &str, at: usize) -> Option<(usize, String)> {
    let (before, rest) = text.split_at(at);
    if before.ends_with(|c| is_part_of_word(c) || c == '@') || is_in_path(before) {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || "<>\"|".contains(c);
    let whole = trimmed(&rest[..rest.find(ends).unwrap_or(rest.len())]);
    let ends_name = |c: char| !is_part_of_word(c) && !"+-.@".contains(c);
    let (name, behind) = whole.split_at(whole.find(ends_name).unwrap_or(whole.len()));
    let name = name.to_lowercase();
    let host = if let Some(rest) = behind.strip_prefix(':').filter(|_| !name.is_empty()) {
        let path = rest.trim_start_matches('/');
        if rest.len() - path.len() > 1 {
            host(&format!("https://{path}"))
        } else if PLAIN_SCHEMES.split(' ').any(|one| one == name) && !rest.is_empty() {
            host(whole)
        } else if is_domain(&name) && rest.starts_with(|c: char| c.is_ascii_digit()) {
            name
        } else {
            return None;
        }
    } else if behind.starts_with(['/', '?', '#']) && behind.len() > 1 && is_domain(&name) {
        host(&format!("https://{name}"))
    } else {
        return None;
    };
    Some((whole.len(), host))
}

/// Whether the text ends in a slash of a path, and not in the `//` before a host.
fn is_in_path(before: &str) -> bool {
    let first = before.trim_end_matches('/');
    let slashes = before.len() - first.len();
    slashes > 0 && (slashes < 2 || first.ends_with(is_part_of_word))
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// An address without trailing punctuation. A parenthesis stays if one opens before it.
fn trimmed(address: &str) -> &str {
    let opens = address.contains('(');
    address.trim_end_matches(|c| TRAILING.contains(c) && !(opens && c == ')'))
}

/// Whether the text is a host name or IPv4 address, optionally with `user@` in front.
fn is_domain(text: &str) -> bool {
    let host = text.rsplit('@').next().unwrap_or(text);
    let labels: Vec<&str> = host.split('.').collect();
    let fit = labels.len() > 1 && !labels.contains(&"");
    let last = labels.last().copied().unwrap_or_default();
    let is_name = last.chars().count() > 1 && last.chars().all(char::is_alphabetic);
    let by_name = is_name || last.starts_with("xn--");
    let by_number = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    fit && (by_name || by_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases::check;

    #[test]
    fn an_address_is_cut_however_it_is_written() {
        let cases = include_str!("cut_cases.txt");
        check(cases, |text| cut(text, &|_| false));
    }

    #[test]
    fn an_address_of_the_owner_stays() {
        let ours = "https://ours.example/a?b=1&c=2 https://ours.example/a_b*c";
        let ours = |address: &str| ours.split(' ').any(|one| one == address);
        let text = "see https://ours.example/a?b=1&amp;c=2, https://ours.example/a_b*c.";
        assert_eq!(cut(text, &ours), text);
    }

    #[test]
    fn addresses_become_links_and_nothing_else_does() {
        let cases = include_str!("linked_cases.txt");
        check(cases, linked);
    }

    proptest::proptest! {
        #[test]
        fn nothing_acts_and_nothing_is_lost(text in "(https?://|[<>!@#|`&]|\\PC){0,40}") {
            let said = super::super::mrkdwn::from_markdown(&text);
            let out = linked(&said);
            proptest::prop_assert!(!out.contains("<!") && !out.contains("<@") && !out.contains("<#"));
            let plain = |text: &str| text.replace(['<', '>'], "");
            proptest::prop_assert_eq!(plain(&out), plain(&said));
            proptest::prop_assert_eq!(linked(&out), out);
        }

        #[test]
        fn done_twice_it_is_the_same(text in "(https?://|[a-z.:/@%*_<>&; -]|\\PC){0,40}") {
            let once = cut(&escape(&text), &|_| false);
            proptest::prop_assert_eq!(cut(&once, &|_| false), once);
        }
    }
}
