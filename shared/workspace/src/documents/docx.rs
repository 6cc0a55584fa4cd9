//! Converts a `.docx` (ECMA-376, WordprocessingML) to Markdown: headings, lists, tables and text. Tracked
//! deletions, notes and pictures are left out.

use alfred_core::ports::AccountError;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use super::archive::{self, damaged};

pub(super) fn text(bytes: &[u8]) -> Result<String, AccountError> {
    let mut archive = archive::open(bytes)?;
    let body = archive::part(&mut archive, "word/document.xml")?.ok_or_else(damaged)?;
    let mut writer = Writer::default();
    let mut reader = Reader::from_str(&body);
    loop {
        match reader.read_event().map_err(|_| damaged())? {
            Event::Start(tag) => writer.open(&tag),
            Event::Empty(tag) => {
                writer.open(&tag);
                writer.close(tag.name().as_ref());
            }
            Event::End(tag) => writer.close(tag.name().as_ref()),
            Event::Text(text) if writer.takes() => writer.line.push_str(&text),
            Event::CData(text) if writer.takes() => writer.line.push_str(&text),
            Event::GeneralRef(named) if writer.takes() => {
                let letter = named.resolve_char_ref().map_err(|_| damaged())?;
                writer.line.extend(letter);
                if letter.is_none() {
                    let known = resolve_predefined_entity(&named).unwrap_or_default();
                    writer.line.push_str(known);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(writer.text.trim_end().to_owned() + "\n")
}

#[derive(Default)]
struct Writer {
    text: String,
    line: String,
    /// Prefix of the paragraph: `# `, `- `.
    lead: String,
    /// Inside the text of a run.
    in_text: bool,
    /// Depth inside fallback forms of other content.
    fallbacks: usize,
    tables: usize,
    cells: Vec<String>,
}

impl Writer {
    fn takes(&self) -> bool {
        self.in_text && self.fallbacks == 0
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "mc:Fallback" => self.fallbacks += 1,
            "w:t" => self.in_text = true,
            "w:tab" if self.fallbacks == 0 => self.line.push('\t'),
            "w:br" | "w:cr" if self.fallbacks == 0 => self.line.push('\n'),
            "w:p" => self.lead.clear(),
            "w:pStyle" => self.lead = heading(tag),
            "w:numPr" if self.lead.is_empty() => self.lead = "- ".into(),
            "w:tbl" => self.tables += 1,
            "w:tr" if self.tables == 1 => self.cells.clear(),
            _ => {}
        }
    }

    fn close(&mut self, tag: &str) {
        match tag {
            "mc:Fallback" => self.fallbacks = self.fallbacks.saturating_sub(1),
            "w:t" => self.in_text = false,
            "w:p" if self.tables == 0 => self.paragraph(),
            "w:p" => self.line.push(' '),
            "w:tc" if self.tables == 1 => {
                let cell = std::mem::take(&mut self.line);
                let words: Vec<&str> = cell.split_whitespace().collect();
                self.cells.push(words.join(" ").replace('|', "\\|"));
            }
            "w:tr" if self.tables == 1 => {
                let row = format!("| {} |\n", self.cells.join(" | "));
                self.text.push_str(&row);
            }
            "w:tbl" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.text.push('\n');
                }
            }
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        self.text.push_str(&self.lead);
        self.text.push_str(line);
        self.text
            .push_str(if self.lead == "- " { "\n" } else { "\n\n" });
    }
}

/// `## ` for the style `Heading2`. Empty for others.
fn heading(style: &BytesStart<'_>) -> String {
    let Ok(Some(value)) = style.try_get_attribute("w:val") else {
        return String::new();
    };
    let value: &str = &value.value;
    let level = match value {
        "Title" => Some(1),
        other => other
            .strip_prefix("Heading")
            .and_then(|level| level.parse().ok()),
    };
    let level: Option<usize> = level.filter(|level| (1..=6).contains(level));
    level.map_or_else(String::new, |level| format!("{} ", "#".repeat(level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::archive::tests::packed;

    #[test]
    fn headings_lists_and_tables_are_markdown() {
        let p = |inner: &str| format!("<w:p>{inner}</w:p>");
        let t = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
        let style = |name: &str| format!("<w:pPr><w:pStyle w:val=\"{name}\"/></w:pPr>");
        let list = "<w:pPr><w:numPr><w:ilvl w:val=\"0\"/></w:numPr></w:pPr>";
        let cell = |text: &str| format!("<w:tc>{}</w:tc>", p(&t(text)));
        let body = [
            p(&(style("Heading2") + &t("Plan"))),
            p(&(t("Oak &amp; ash, ")
                + "<w:del><w:delText>old</w:delText></w:del>"
                + &t("gr&#246;&#xDF;er"))),
            p(&(list.to_owned() + &t("five"))),
            p(&(list.to_owned() + &t("six"))),
            p(""),
            format!("<w:tbl><w:tr>{}{}</w:tr></w:tbl>", cell("a|b"), cell("c")),
            p(&(t("one") + "<w:r><w:tab/><w:br/></w:r>" + &t("two"))),
            format!(
                "<mc:AlternateContent><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
                p(&t("again"))
            ),
        ];
        let body = format!(
            "<w:document><w:body>{}</w:body></w:document>",
            body.concat()
        );
        let read = text(&packed(&[("word/document.xml", &body)])).unwrap();
        assert_eq!(
            read,
            "## Plan\n\nOak & ash, größer\n\n- five\n- six\n| a\\|b | c |\n\none\t\ntwo\n"
        );
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let other = packed(&[("other.xml", "x")]);
        let torn = packed(&[("word/document.xml", "<w:p><w:t>a</w:p>")]);
        for bytes in [b"".as_slice(), b"PK\x03\x04", &other, &torn] {
            assert!(matches!(text(bytes), Err(AccountError::Refused { .. })));
        }
    }
}
