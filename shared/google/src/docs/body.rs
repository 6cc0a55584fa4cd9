//! A document as lines of Markdown. Each glyph knows its index, so a text edit maps to exactly that place.
//! Suggestions of others aren't in the text, but indexes count them, as Docs batches do.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::blocks::{Block, Lists, is_fence};
use super::element::{cell_letters, letters, put};
use super::glyph::{Glyph, Style, settle};
use super::markdown::written;
use super::wire::{DocumentTab, Paragraph, Resource, Structural, Tab, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    /// A row of a table.
    Row,
    /// A tab's title, or the separator below a table's head.
    Fixed,
}

#[derive(Debug)]
pub(super) struct Line {
    pub kind: Kind,
    pub block: Block,
    pub glyphs: Vec<Glyph>,
    pub text: String,
    pub tab: Arc<str>,
    /// Start index of its paragraph.
    pub start: u32,
    /// Index of its newline.
    end: u32,
    /// Whether the next line is a paragraph that it can be merged with.
    joins: bool,
    /// Whether it is code, or ends a code block.
    pub fenced: bool,
}

#[derive(Debug, Default)]
pub(super) struct Body {
    pub lines: Vec<Line>,
    /// `None` if the account may not edit.
    pub revision: Option<String>,
    /// Names of its named ranges.
    pub names: BTreeSet<String>,
    /// Index of the first tab's last newline, which can't be deleted.
    pub last: u32,
    /// Number of indexes.
    pub length: u32,
}

impl Body {
    pub fn read(resource: Resource) -> Self {
        let mut body = Self {
            revision: resource.revision_id,
            ..Self::default()
        };
        let mut tabs = Vec::new();
        flatten(resource.tabs, &mut tabs);
        let several = tabs.len() > 1;
        for (number, tab) in tabs.into_iter().enumerate() {
            let mut reader = Reader::new(&mut body, &tab);
            if several {
                reader.fixed(format!("# {}", tab.tab_properties.title));
            }
            let content = &tab.document_tab.body.content;
            reader.content(content);
            let end = content.last().map_or(0, |last| last.end_index);
            body.length += end;
            if number == 0 {
                body.last = end.saturating_sub(1);
            }
            body.names.extend(tab.document_tab.named_ranges.into_keys());
        }
        body
    }

    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    }

    /// The glyph that separates a line from the next.
    pub fn newline(&self, at: usize) -> Glyph {
        let (line, next) = (&self.lines[at], self.lines.get(at + 1));
        if line.joins {
            let mut newline = Glyph::letter('\n', &Arc::default());
            newline.after = Some(line.end + 1);
            return newline;
        }
        let next = next.filter(|next| next.kind == Kind::Paragraph);
        Glyph::syntax('\n', next.map(|next| next.start))
    }

    pub fn lists_before(&self, at: usize) -> Lists {
        let before = self.lines[..at].iter().rev();
        let items = before.take_while(|line| line.block.is_item()).count();
        let mut lists = Lists::default();
        for line in &self.lines[at - items..at] {
            lists.prefix(line.block);
        }
        // A closing fence counts as inside the code block, an opening one doesn't.
        let line = self.lines.get(at);
        lists.fenced = line.is_some_and(|line| line.fenced);
        lists
    }
}

fn flatten(tabs: Vec<Tab>, into: &mut Vec<Tab>) {
    for mut tab in tabs {
        let children = std::mem::take(&mut tab.child_tabs);
        into.push(tab);
        flatten(children, into);
    }
}

struct Reader<'a> {
    body: &'a mut Body,
    tab: &'a DocumentTab,
    id: Arc<str>,
    lists: Lists,
    /// The current number of each list, by level.
    counts: HashMap<&'a str, Vec<u32>>,
    /// Whether the previous element is a directly adjacent paragraph.
    open: bool,
}

impl<'a> Reader<'a> {
    fn new(body: &'a mut Body, tab: &'a Tab) -> Self {
        Self {
            body,
            tab: &tab.document_tab,
            id: tab.tab_properties.tab_id.as_str().into(),
            lists: Lists::default(),
            counts: HashMap::new(),
            open: false,
        }
    }

    fn content(&mut self, content: &'a [Structural]) {
        // A paragraph with a merely suggested newline continues in the next one.
        let (mut glyphs, mut start) = (Vec::new(), None);
        for element in content {
            if let Some(paragraph) = &element.paragraph {
                if glyphs.is_empty() {
                    start = None;
                }
                let start_index = *start.get_or_insert(element.start_index);
                if let Some(end) = letters(paragraph, &mut glyphs) {
                    let glyphs = std::mem::take(&mut glyphs);
                    self.paragraph(paragraph, glyphs, start_index..end);
                    start = None;
                }
            } else {
                self.open = false;
                let table = element.table.as_ref();
                if let Some(table) = table.filter(|table| table.suggested_insertion_ids.is_empty())
                {
                    self.table(table);
                }
            }
        }
    }

    fn paragraph(
        &mut self,
        paragraph: &'a Paragraph,
        mut glyphs: Vec<Glyph>,
        at: std::ops::Range<u32>,
    ) {
        let fenced = self.lists.fenced;
        let block = if fenced {
            Block::Plain
        } else {
            self.block(paragraph)
        };
        let plain: String = glyphs.iter().map(|glyph| glyph.letter).collect();
        let is_fence = block == Block::Plain && is_fence(&plain);
        let text = if fenced && !is_fence {
            glyphs
                .iter_mut()
                .for_each(|glyph| glyph.style = Arc::new(Style::code()));
            plain
        } else {
            settle(&mut glyphs);
            let inside = written(&mut glyphs);
            self.lists.written(block, &inside)
        };
        self.lists.fenced ^= is_fence;
        if let (true, Some(before)) = (self.open, self.body.lines.last_mut()) {
            before.joins = true;
        }
        self.open = true;
        self.push(Kind::Paragraph, block, glyphs, text, at);
        if let Some(line) = self.body.lines.last_mut() {
            line.fenced = fenced;
        }
    }

    fn push(
        &mut self,
        kind: Kind,
        block: Block,
        glyphs: Vec<Glyph>,
        text: String,
        at: std::ops::Range<u32>,
    ) {
        self.body.lines.push(Line {
            kind,
            block,
            glyphs,
            text,
            tab: self.id.clone(),
            start: at.start,
            end: at.end,
            joins: false,
            fenced: false,
        });
    }

    fn fixed(&mut self, text: String) {
        let glyphs = text.chars().map(|c| Glyph::syntax(c, None)).collect();
        self.push(Kind::Fixed, Block::Plain, glyphs, text, 0..0);
    }

    fn block(&mut self, paragraph: &'a Paragraph) -> Block {
        if let Some(bullet) = &paragraph.bullet {
            let list = self.tab.lists.get(&bullet.list_id);
            let level = usize::from(bullet.nesting_level);
            let nesting = list.and_then(|list| list.list_properties.nesting_levels.get(level));
            let numbered = [
                "DECIMAL",
                "ZERO_DECIMAL",
                "ALPHA",
                "UPPER_ALPHA",
                "ROMAN",
                "UPPER_ROMAN",
            ];
            let first = nesting.filter(|one| numbered.contains(&one.glyph_type.as_str()));
            let level = bullet.nesting_level;
            let counts = self.counts.entry(bullet.list_id.as_str()).or_default();
            counts.truncate(usize::from(level) + 1);
            let Some(first) = first else {
                return Block::Bullet { level };
            };
            counts.resize(usize::from(level) + 1, 0);
            let number = match counts.last().copied().unwrap_or_default() {
                0 => first.start_number.unwrap_or(1).max(1),
                before => before + 1,
            };
            if let Some(count) = counts.last_mut() {
                *count = number;
            }
            return Block::Number { level, number };
        }
        match paragraph.paragraph_style.named_style_type.as_str() {
            "TITLE" => Block::Heading(1),
            named => {
                let level = named
                    .strip_prefix("HEADING_")
                    .and_then(|level| level.parse().ok());
                level.map_or(Block::Plain, Block::Heading)
            }
        }
    }

    /// One line for each row.
    fn table(&mut self, table: &Table) {
        let rows = table.table_rows.iter();
        let rows = rows.filter(|row| row.suggested_insertion_ids.is_empty());
        for (number, row) in rows.enumerate() {
            let (mut glyphs, mut text) = (Vec::new(), String::new());
            for (column, cell) in row.table_cells.iter().enumerate() {
                let first = cell.content.first().map(|first| first.start_index);
                let before = if column == 0 { "| " } else { " | " };
                put(&mut glyphs, before, first);
                text.push_str(before);
                let mut inside = cell_letters(&cell.content);
                settle(&mut inside);
                text.push_str(&written(&mut inside).replace('|', "\\|"));
                glyphs.append(&mut inside);
            }
            put(&mut glyphs, " |", None);
            text.push_str(" |");
            self.push(Kind::Row, Block::Plain, glyphs, text, 0..0);
            if number == 0 {
                self.fixed("|".to_owned() + &" --- |".repeat(row.table_cells.len()));
            }
        }
        self.lists.prefix(Block::Plain);
    }
}
