//! Converts HTML mails to text.

use html2text::render::RichAnnotation;

/// Bytes that are read of an HTML part. Newsletters are far smaller.
const MOST: usize = 1_000_000;
/// Deeper nesting isn't written by a person, and its layout is expensive.
const DEEPEST: usize = 200;
const WIDTH: usize = 120;

/// The text of HTML without styles. Reads only the first million bytes.
pub fn html_to_text(html: &str) -> String {
    let html = &html[..html.floor_char_boundary(MOST)];
    let layout = html2text::config::plain_no_decorate().raw_mode(true);
    let layout = layout.no_table_borders().allow_width_overflow();
    if nesting(html) <= DEEPEST
        && let Ok(text) = layout.string_from_read(html.as_bytes(), WIDTH)
    {
        return text;
    }
    mail_parser::decoders::html::html_to_text(html)
}

/// Whether a link's text shows another site than the one it leads to. Subdomains are ignored.
pub(crate) fn has_disguised_link(html: &str) -> bool {
    let html = &html[..html.floor_char_boundary(MOST)];
    if !html.contains("://") || nesting(html) > DEEPEST {
        return false;
    }
    let layout = html2text::config::rich().raw_mode(true);
    let layout = layout.no_table_borders().allow_width_overflow();
    let laid_out = layout.lines_from_read(html.as_bytes(), WIDTH);
    let mut links: Vec<(String, String)> = Vec::new();
    let lines = laid_out.iter().flatten();
    for piece in lines.flat_map(|line| line.tagged_strings()) {
        let target = piece.tag.iter().find_map(|tag| match tag {
            RichAnnotation::Link(target) => Some(target),
            _ => None,
        });
        let Some(target) = target else { continue };
        match links.last_mut() {
            Some((last, shown)) if last == target => shown.push_str(&piece.s),
            _ => links.push((target.clone(), piece.s.clone())),
        }
    }
    let differ = |(target, shown): &(String, String)| {
        let hosts = site(target).zip(shown_site(shown));
        hosts.is_some_and(|(target, shown)| target != shown)
    };
    links.iter().any(differ)
}

/// The last two labels of a URL's host.
fn site(address: &str) -> Option<String> {
    let (_, rest) = address.trim().split_once("://")?;
    let host = rest.split(['/', '?', '#', '\\']).next()?;
    let host = host.rsplit('@').next()?.split(':').next()?.to_lowercase();
    let labels: Vec<&str> = host.trim_end_matches('.').rsplit('.').take(2).collect();
    (labels.len() == 2).then(|| labels.join("."))
}

/// The site that a link's text shows, if it is a URL and not a sentence or file name.
fn shown_site(shown: &str) -> Option<String> {
    let shown = shown.trim().to_lowercase();
    let is_address = shown.starts_with("www.") || shown.contains("://") || shown.contains('/');
    if !is_address || shown.contains(char::is_whitespace) {
        return None;
    }
    if shown.contains("://") {
        return site(&shown);
    }
    site(&format!("https://{shown}"))
}

/// Upper bound of the element nesting, counted from the tags. It determines the cost of parsing and layout.
pub fn nesting(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let bytes = html.as_bytes();
    for (at, _) in html.match_indices('<') {
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(c) if c.is_ascii_alphabetic() && !is_void(&bytes[at + 1..]) => depth += 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Void elements, and those that the next sibling closes implicitly.
fn is_void(tag: &[u8]) -> bool {
    const VOID: [&[u8]; 18] = [
        b"br", b"img", b"hr", b"meta", b"link", b"input", b"col", b"p", b"li", b"td", b"th", b"tr",
        b"option", b"source", b"path", b"use", b"dd", b"dt",
    ];
    VOID.iter().any(|name| {
        let end = tag.get(name.len());
        tag.len() >= name.len()
            && tag[..name.len()].eq_ignore_ascii_case(name)
            && !end.is_some_and(u8::is_ascii_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newsletter_reads_as_lines() {
        let html = "<html><head><style>p{color:red}</style><title>t</title></head><body>\
            <table><tr><td><h1>Hello&nbsp;Ana</h1></td></tr><tr><td>One<br>Two &amp; three</td></tr></table>\
            <script>alert(1)</script><ul><li>first<li>second</ul></body></html>";
        let text = html_to_text(html);
        for words in ["Hello\u{a0}Ana", "One\nTwo & three", "first", "second"] {
            assert!(text.contains(words), "{text}");
        }
        for hidden in ["color", "alert", "<"] {
            assert!(!text.contains(hidden), "{text}");
        }
    }

    #[test]
    fn a_link_that_shows_another_host_than_it_leads_to() {
        for case in include_str!("link_cases.txt").lines() {
            let cells: Vec<&str> = case.split(" | ").collect();
            let (shown, target) = (cells[0], cells[1]);
            let html = format!(
                "<p>Hi <a href=\"https://a.example\">there</a>, <a href=\"{target}\">{shown}</a></p>"
            );
            let disguised = cells[2] == "disguised";
            assert_eq!(has_disguised_link(&html), disguised, "{case}");
        }
        let deep = format!("{}https://a.example", "<div>".repeat(100_000));
        assert!(!has_disguised_link(&deep));
    }

    #[test]
    fn deep_and_broken_html_is_only_words() {
        for tag in ["div", "table", "blockquote", "ul><li", "b", "font"] {
            let html = format!("{}words", format!("<{tag}>").repeat(20_000));
            assert!(html_to_text(&html).contains("words"), "{tag}");
        }
        let wide = "<table><tr><td colspan=4000000000 rowspan=9999999>words</table>";
        assert!(html_to_text(wide).contains("words"));
        assert!(html_to_text(&"<p>words".repeat(50_000)).contains("words"));
    }
}
