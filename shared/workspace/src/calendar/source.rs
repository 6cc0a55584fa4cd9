//! An iCalendar file as lines and components (RFC 5545, 3.1 and 3.4). A broken component doesn't affect the
//! others, and a change keeps all other lines. A calendar library would rewrite them: it escapes the commas of
//! links and drops what it can't read.

use std::ops::Range;

use super::edit::Edit;

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
        let mut quoted = false;
        let colon = self.text.find(|c| {
            quoted ^= c == '"';
            c == ':' && !quoted
        });
        colon.map_or("", |at| self.text[at + 1..].trim())
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
    pub fn parse(text: String) -> Option<Self> {
        let lines = unfold(&text);
        let mut source = Self {
            text,
            lines,
            blocks: Vec::new(),
            end: None,
        };
        source.find_blocks();
        let begins =
            |line: &Line| line.name() == "BEGIN" && line.value().eq_ignore_ascii_case("VCALENDAR");
        source.lines.iter().any(begins).then_some(source)
    }

    fn find_blocks(&mut self) {
        // The current component, from its first line, and the nesting depth.
        let mut open: Option<(Block, usize)> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let begins = match line.name().as_str() {
                "BEGIN" => true,
                "END" => false,
                _ => continue,
            };
            let name = line.value().to_ascii_uppercase();
            // These are never nested, so the previous component lacks its end.
            let outer = matches!(
                name.as_str(),
                "VCALENDAR" | "VEVENT" | "VTIMEZONE" | "VTODO" | "VJOURNAL"
            );
            if let Some((mut block, _)) =
                open.take_if(|(block, _)| outer && (begins || name != block.name))
            {
                block.lines.end = at;
                self.blocks.push(block);
            }
            match open.take() {
                Some((block, depth)) if begins => open = Some((block, depth + 1)),
                Some((block, depth)) if depth > 0 => open = Some((block, depth - 1)),
                Some((mut block, _)) => {
                    block.lines.end = at + 1;
                    block.ended = true;
                    self.blocks.push(block);
                }
                None if begins && name != "VCALENDAR" => {
                    let (lines, ended) = (at..self.lines.len(), false);
                    open = Some((Block { name, lines, ended }, 0));
                }
                None if !begins && name == "VCALENDAR" => self.end = Some(at),
                None => {}
            }
        }
        self.blocks.extend(open.map(|(block, _)| block));
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

/// A component with replaced properties. Nested components stay unchanged.
pub(super) fn rewritten(source: &Source, block: &Block, edit: &Edit) -> String {
    let mut text = String::new();
    let (mut depth, mut added) = (0, false);
    for line in source.lines_of(block) {
        let name = line.name();
        let is_out = edit.out.contains(&name) || edit.out.contains(&line.text);
        if !added && depth == 1 && matches!(name.as_str(), "BEGIN" | "END") {
            let mut new = edit.new.iter();
            let taken = new.try_for_each(|entry| entry.write_to(&mut text));
            debug_assert!(taken.is_ok(), "writing to a String can't fail");
            added = true;
        }
        match name.as_str() {
            "BEGIN" => depth += 1,
            "END" => depth -= 1,
            _ if depth == 1 && is_out => continue,
            _ => {}
        }
        text.push_str(&source.text[line.at.clone()]);
    }
    text
}
