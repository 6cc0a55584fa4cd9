//! An iCalendar file as lines and components (RFC 5545, 3.1 and 3.4). A broken component doesn't affect the
//! others, and a change keeps all other bytes.

use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Byte range in the text, with line breaks.
    pub at: Range<usize>,
    pub text: String,
}

impl Line {
    /// The property's name in upper case.
    pub fn name(&self) -> String {
        let end = self.text.find([':', ';']).unwrap_or(self.text.len());
        // Skips characters that names can't contain, as the parser does.
        let name = self.text[..end].chars();
        let name = name.filter(|c| c.is_ascii_alphanumeric() || *c == '-');
        name.collect::<String>().to_ascii_uppercase()
    }

    /// The text after the first unquoted colon.
    pub fn value(&self) -> &str {
        self.behind_name().get(1..).unwrap_or_default().trim()
    }

    /// The rest of the line from the first unquoted colon. Before it are the name and parameters.
    pub fn behind_name(&self) -> &str {
        let mut quoted = false;
        let colon = self.text.find(|c| {
            quoted ^= c == '"';
            c == ':' && !quoted
        });
        colon.map_or("", |at| &self.text[at..])
    }
}

/// A top-level component of a calendar.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// `VEVENT`, `VTIMEZONE`, …
    pub name: String,
    /// Including `BEGIN` and `END`.
    pub lines: Range<usize>,
    /// Whether its `END` exists.
    pub ended: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Source {
    pub text: String,
    pub lines: Vec<Line>,
    pub blocks: Vec<Block>,
    /// Line of the last `END:VCALENDAR`.
    end: Option<usize>,
}

impl Source {
    /// `None` if it isn't a calendar.
    pub fn parse(text: String) -> Option<Self> {
        let lines = unfold(&text);
        let mut source = Self {
            text,
            lines,
            blocks: Vec::new(),
            end: None,
        };
        source.find_blocks();
        let begins = |line: &Line| is(line, "BEGIN", "VCALENDAR");
        source.lines.iter().any(begins).then_some(source)
    }

    fn find_blocks(&mut self) {
        // The current component: its first line, name, and nesting depth.
        let mut open: Option<(usize, String, usize)> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let (begins, ends) = match line.name().as_str() {
                "BEGIN" => (true, false),
                "END" => (false, true),
                _ => continue,
            };
            let name = line.value().to_ascii_uppercase();
            // These are never nested, so the previous component lacks its end.
            let outer = matches!(
                name.as_str(),
                "VCALENDAR" | "VEVENT" | "VTIMEZONE" | "VTODO" | "VJOURNAL"
            );
            match &mut open {
                Some((from, block, _)) if outer && (begins || name != *block) => {
                    let (name, lines) = (block.clone(), *from..at);
                    let ended = false;
                    self.blocks.push(Block { name, lines, ended });
                    open = None;
                }
                Some((_, _, depth)) if begins => *depth += 1,
                Some((from, block, depth)) if ends && *depth == 0 => {
                    let (name, lines) = (block.clone(), *from..at + 1);
                    let ended = true;
                    self.blocks.push(Block { name, lines, ended });
                    open = None;
                    continue;
                }
                Some((_, _, depth)) => *depth -= 1,
                None => {}
            }
            if open.is_none() && begins && name != "VCALENDAR" {
                open = Some((at, name, 0));
            } else if ends && name == "VCALENDAR" {
                self.end = Some(at);
            }
        }
        if let Some((from, name, _)) = open {
            let (lines, ended) = (from..self.lines.len(), false);
            self.blocks.push(Block { name, lines, ended });
        }
    }

    pub fn lines_of(&self, block: &Block) -> &[Line] {
        &self.lines[block.lines.clone()]
    }

    pub fn text_of(&self, block: &Block) -> &str {
        &self.text[self.range_of(block)]
    }

    fn range_of(&self, block: &Block) -> Range<usize> {
        let lines = self.lines_of(block);
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) => first.at.start..last.at.end,
            _ => 0..0,
        }
    }

    /// A property of the calendar itself.
    pub fn property(&self, name: &str) -> Option<&str> {
        let lines = self.lines.iter().enumerate();
        let mut own = lines.filter(|(at, _)| !self.blocks.iter().any(|b| b.lines.contains(at)));
        own.find(|(_, line)| line.name() == name)
            .map(|(_, line)| line.value())
    }

    /// The text with this component replaced.
    pub fn replaced(&self, block: &Block, new: &str) -> String {
        let mut text = self.text.clone();
        text.replace_range(self.range_of(block), new);
        text
    }

    /// The text with these components appended. `None` if the calendar has no end.
    pub fn appended(&self, new: &str) -> Option<String> {
        let at = self.lines[self.end?].at.start;
        let mut text = self.text.clone();
        text.insert_str(at, new);
        Some(text)
    }
}

fn is(line: &Line, name: &str, value: &str) -> bool {
    line.name() == name && line.value().eq_ignore_ascii_case(value)
}

fn unfold(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let range = at..at + raw.len();
        at = range.end;
        let content = raw.trim_end_matches(['\n', '\r']);
        match (content.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(more), Some(line)) => {
                line.text.push_str(more);
                line.at.end = range.end;
            }
            _ => lines.push(Line {
                at: range,
                text: content.trim_start_matches('\u{FEFF}').to_owned(),
            }),
        }
    }
    lines
}

/// Removes and adds properties of a component. Nested components stay unchanged.
pub(super) fn rewritten(source: &Source, block: &Block, out: &[&str], new: &[String]) -> String {
    let mut text = String::new();
    let (mut depth, mut added) = (0, false);
    for line in source.lines_of(block) {
        let name = line.name();
        let raw = &source.text[line.at.clone()];
        let inner = name == "BEGIN" && depth == 1;
        if !added && (inner || (name == "END" && depth == 1)) {
            new.iter().for_each(|line| fold(&mut text, line));
            added = true;
        }
        match name.as_str() {
            "BEGIN" => depth += 1,
            "END" => depth -= 1,
            _ if depth == 1 && out.contains(&name.as_str()) => continue,
            _ => {}
        }
        text.push_str(raw);
    }
    text
}

/// Adds a content line, folded at 75 bytes.
pub(super) fn fold(text: &mut String, line: &str) {
    let mut left = line;
    let mut room = 75;
    while left.len() > room {
        let (now, later) = left.split_at(left.floor_char_boundary(room));
        text.push_str(now);
        text.push_str("\r\n ");
        left = later;
        room = 74;
    }
    text.push_str(left);
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "BEGIN:VCALENDAR\r\nX-WR-TIMEZONE:Europe/Lisbon\r\nBEGIN:VEVENT\r\nSUMMARY:A\r\n \r\n b\r\nBEGIN:VALARM\r\nDTSTART:x\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART;X=\"a:b\":c\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    #[test]
    fn a_change_leaves_all_else_as_it_is() {
        let source = Source::parse(TWO.into()).unwrap();
        assert_eq!(source.blocks.len(), 2);
        assert_eq!(source.property("X-WR-TIMEZONE"), Some("Europe/Lisbon"));
        assert_eq!(source.lines_of(&source.blocks[0])[1].text, "SUMMARY:Ab");
        assert_eq!(source.lines_of(&source.blocks[1])[1].value(), "c");
        let new = ["DTSTART:new".to_owned()];
        let first = rewritten(&source, &source.blocks[0], &["DTSTART"], &new);
        assert_eq!(
            source.replaced(&source.blocks[0], &first),
            TWO.replacen("BEGIN:VALARM", "DTSTART:new\r\nBEGIN:VALARM", 1)
        );
        let second = rewritten(&source, &source.blocks[1], &["DTSTART"], &new);
        assert_eq!(second, "BEGIN:VEVENT\r\nDTSTART:new\r\nEND:VEVENT\r\n");
    }

    #[test]
    fn an_event_without_an_end_takes_no_other_with_it() {
        let text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nBEGIN:VEVENT\nEND:VCALENDAR\n";
        let source = Source::parse(text.into()).unwrap();
        let ended: Vec<_> = source.blocks.iter().map(|b| b.ended).collect();
        assert_eq!(ended, [false, true, false]);
        assert!(
            source
                .appended("X")
                .unwrap()
                .ends_with("X\nEND:VCALENDAR\n")
                || source.appended("X").unwrap().contains("XEND:VCALENDAR")
        );
        assert!(Source::parse("no calendar".into()).is_none());
    }

    #[test]
    fn long_lines_are_folded_between_characters() {
        let mut text = String::new();
        fold(&mut text, &format!("SUMMARY:{}", "ü".repeat(100)));
        assert!(text.split("\r\n").all(|line| line.len() <= 75));
        let source = Source::parse(format!("BEGIN:VCALENDAR\r\n{text}END:VCALENDAR\r\n")).unwrap();
        assert_eq!(source.lines[1].value(), "ü".repeat(100));
    }
}
