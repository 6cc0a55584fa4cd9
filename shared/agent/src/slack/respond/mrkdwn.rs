//! Converts models' Markdown to Slack's mrkdwn. Slack commands (`<!channel>`, `<@U…>`) become plain text.

pub use crate::slack::respond::addresses::escape;

use alfred_core::invisible;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::slack::respond::addresses;

pub fn from_markdown(markdown: &str) -> String {
    written(markdown, &|_| true)
}

/// Like [`from_markdown`], but untrusted links become text with their real host: other people's text could send data
/// away with one click. Addresses are searched in the converted text, as it will be shown.
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
    table: Option<Vec<Vec<String>>>,
    in_code: bool,
    trusted: &'a dyn Fn(&str) -> bool,
}

struct Link {
    url: String,
    text: String,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => self.text("_"),
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => self.text("*"),
            Event::Start(Tag::Strikethrough) | Event::End(TagEnd::Strikethrough) => self.text("~"),
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text(&escape(&text));
            }
            Event::Code(code) => self.text(&format!("`{}`", escape(&code))),
            Event::SoftBreak | Event::HardBreak => self.newline(),
            Event::Rule => self.block("———"),
            Event::TaskListMarker(done) => self.text(if done { "☑ " } else { "☐ " }),
            // Footnotes and formulas aren't enabled.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph if self.lists.is_empty() => self.gap(),
            Tag::Heading { .. } => self.block("*"),
            Tag::BlockQuote(_) => {
                self.block("> ");
                self.quotes += 1;
            }
            // Slack has no language tags; the tag would appear as the first line of code.
            Tag::CodeBlock(_) => {
                self.block("```\n");
                self.in_code = true;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.gap()
                } else {
                    self.newline()
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let (url, text) = (dest_url.into_string(), String::new());
                self.link = Some(Link { url, text });
            }
            Tag::Table(_) => {
                self.gap();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                self.table.iter_mut().for_each(|rows| rows.push(Vec::new()));
            }
            Tag::TableCell => {
                let row = self.table.as_mut().and_then(|rows| rows.last_mut());
                row.into_iter().for_each(|row| row.push(String::new()));
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
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::Table => self.close_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let row = self.table.as_mut().and_then(|rows| rows.last_mut());
        if let Some(link) = &mut self.link {
            link.text.push_str(text);
        } else if let Some(cell) = row.and_then(|row| row.last_mut()) {
            cell.push_str(text);
        } else if self.quotes > 0 && !self.in_code {
            self.out.push_str(&text.replace('\n', "\n> "));
        } else {
            self.out.push_str(text);
        }
    }

    fn newline(&mut self) {
        self.out.push('\n');
        self.quote();
    }

    fn quote(&mut self) {
        self.out.push_str(if self.quotes > 0 { "> " } else { "" });
    }

    /// Starts a new block, after an empty line.
    fn gap(&mut self) {
        if self.out.is_empty() || self.out.ends_with("> ") {
            return;
        }
        while !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self.quote();
    }

    fn block(&mut self, start: &str) {
        self.gap();
        self.out.push_str(start);
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
        let mut schemes = ["http://", "https://", "mailto:"].into_iter();
        let web = schemes.any(|scheme| link.url.starts_with(scheme));
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
        let rows = self.table.take().unwrap_or_default();
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for (column, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
            widths[column] = widths[column].max(cell.chars().count());
        }
        let lines = rows.iter().map(|row| {
            let cells = row.iter().zip(&widths);
            let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        });
        let lines = lines.collect::<Vec<_>>().join("\n");
        self.out.push_str(&format!("```\n{lines}\n```"));
    }
}

#[cfg(test)]
mod tests {
    use super::{from_markdown, with_links};
    use alfred_testkit::cases::check;

    #[test]
    fn untrusted_links_show_their_real_host_and_carry_nothing() {
        let owner = |url: &str| url == "https://ours.example/a";
        let cases = include_str!("untrusted_link_cases.txt");
        check(cases, |markdown| with_links(markdown, &owner));
    }

    #[test]
    fn markdown_becomes_mrkdwn() {
        check(include_str!("mrkdwn_cases.txt"), from_markdown);
    }
}
