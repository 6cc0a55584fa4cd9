//! What a batch is asked for
//! (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request>). Whether text that goes is
//! taken out or only marked, the indexes hold: whatever is before a place is done after it.

use serde_json::{Map, Value, json};

use alfred_core::ports::AccountError;

use super::blocks::Block;
use super::edit::Change;
use super::markdown::{Glyph, Style};

/// The font that stands for code.
const FONT: &str = "Roboto Mono";

fn range(tab: &str, start: u32, end: u32) -> Value {
    json!({"tabId": tab, "startIndex": start, "endIndex": end})
}

fn insert(tab: &str, index: u32, text: &str) -> Value {
    json!({"insertText": {"text": text, "location": {"tabId": tab, "index": index}}})
}

/// Keeps a name in the document, at the newline that nobody can delete.
pub(super) fn stamp(name: &str, last: u32) -> Value {
    let range = json!({"startIndex": last, "endIndex": last + 1});
    json!({"createNamedRange": {"name": name, "range": range}})
}

impl Change<'_> {
    /// # Errors
    /// As [`Change::index`].
    pub fn requests(&self) -> Result<Vec<Value>, AccountError> {
        let index = self.index()?;
        let (old, _) = self.lines();
        let tab = &*self.old[old.start].tab;
        let removed = self.removed_indexes().into_iter();
        let mut requests: Vec<Value> = removed
            .map(|gone| json!({"deleteContentRange": {"range": range(tab, gone.start, gone.end)}}))
            .collect();
        let text: String = self.inserted().iter().map(|glyph| glyph.letter).collect();
        if !text.is_empty() {
            requests.push(insert(tab, index, &text));
            self.looks(tab, index, &mut requests);
        }
        self.paragraphs(index, &mut requests);
        Ok(requests)
    }

    /// What goes in looks as its neighbours do unless it is told.
    fn looks(&self, tab: &str, index: u32, requests: &mut Vec<Value>) {
        let inserted = self.inserted();
        let near =
            self.head.saturating_sub(1)..self.before.len().min(self.before.len() - self.tail + 1);
        let near = self.before[near].iter().chain(inserted);
        let near: Vec<&Style> = near.map(|glyph| &*glyph.style).collect();
        let mut fields = vec!["bold", "italic", "strikethrough"];
        if near.iter().any(|style| style.link.is_some()) {
            fields.push("link");
        }
        if near.iter().any(|style| style.code) {
            fields.push("weightedFontFamily");
        }
        let update = |start: u32, end: u32, style: Value, fields: String| json!({"updateTextStyle": {"range": range(tab, start, end), "textStyle": style, "fields": fields}});
        let length = |glyphs: &[Glyph]| glyphs.iter().map(|glyph| glyph.units).sum::<u32>();
        requests.push(update(
            index,
            index + length(inserted),
            json!({}),
            fields.join(","),
        ));
        let mut start = index;
        for run in inserted.chunk_by(|a, b| a.style == b.style) {
            let end = start + length(run);
            let style = text_style(&run[0].style);
            if !style.is_empty() {
                let fields: Vec<&str> = style.keys().map(String::as_str).collect();
                let fields = fields.join(",");
                requests.push(update(start, end, Value::Object(style), fields));
            }
            start = end;
        }
    }

    /// Makes paragraphs what their lines are, where they don't become it by themselves.
    fn paragraphs(&self, index: u32, requests: &mut Vec<Value>) {
        let mut items = Vec::new();
        for place in self.places(index) {
            let Place {
                tab,
                start,
                was,
                is,
                ..
            } = place;
            let here = range(tab, start, start + 1);
            let listed = was.is_none_or(Block::is_item);
            let relisted = listed && !was.is_some_and(|was| was.same(is));
            if relisted {
                requests.push(json!({"deleteParagraphBullets": {"range": here}}));
            }
            if relisted || was.map(named_style) != Some(named_style(is)) {
                let fields = match relisted {
                    true => "namedStyleType,indentStart,indentFirstLine",
                    false => "namedStyleType",
                };
                requests.push(json!({"updateParagraphStyle": {
                    "range": here, "paragraphStyle": {"namedStyleType": named_style(is)}, "fields": fields,
                }}));
            }
            if is.is_item() && !was.is_some_and(|was| was.same(is)) {
                items.push(place);
            }
        }
        self.bullets(&items, requests);
    }

    /// Paragraphs with the indexes they begin at, and what they are without being told.
    fn places(&self, index: u32) -> Vec<Place<'_>> {
        let (old, new) = self.lines();
        let (first, last) = (self.old[old.start].block, self.old[old.end].block);
        // Of two that become one, nobody says whose style it has.
        let inherited = first.same(last).then_some(first);
        let inserted = self.inserted();
        let ends = inserted
            .iter()
            .enumerate()
            .filter(|(_, glyph)| glyph.letter == '\n');
        let ends: Vec<usize> = ends.map(|(at, _)| at + 1).collect();
        let place = |line: usize| match line.checked_sub(old.start + 1) {
            Some(number) => {
                let before = inserted[..ends[number]].iter();
                index + before.map(|glyph| glyph.units).sum::<u32>()
            }
            None => self.old[line].start,
        };
        let lines = (0..=new.end).filter(|&line| line > old.start || self.old[line].start > 0);
        let placed = lines.map(|line| Place {
            line,
            tab: &self.old[line.min(old.start)].tab,
            start: place(line),
            was: if line < old.start {
                Some(self.old[line].block)
            } else {
                inherited
            },
            is: self.blocks[line],
        });
        placed.collect()
    }

    /// Neighbours are one list. Leading tabs say how deep an item is, and are gone afterwards.
    fn bullets(&self, items: &[Place<'_>], requests: &mut Vec<Value>) {
        let together =
            |a: &Place<'_>, b: &Place<'_>| b.line == a.line + 1 && preset(a.is) == preset(b.is);
        let groups: Vec<&[Place<'_>]> = items.chunk_by(together).collect();
        for group in groups.into_iter().rev() {
            let mut tabs = 0;
            for item in group.iter().rev() {
                let level = match item.is {
                    Block::Bullet { level } | Block::Number { level, .. } => level,
                    Block::Plain | Block::Heading(_) => 0,
                };
                if level > 0 {
                    requests.push(insert(item.tab, item.start, &"\t".repeat(level.into())));
                    tabs += u32::from(level);
                }
            }
            let (first, last) = (&group[0], &group[group.len() - 1]);
            requests.push(json!({"createParagraphBullets": {
                "range": range(first.tab, first.start, last.start + tabs + 1),
                "bulletPreset": preset(first.is),
            }}));
        }
    }
}

/// A paragraph as it will be.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Of the new ones.
    line: usize,
    tab: &'a str,
    start: u32,
    /// What it is without being told, where that is certain.
    was: Option<Block>,
    is: Block,
}

fn named_style(block: Block) -> &'static str {
    match block {
        Block::Heading(1) => "HEADING_1",
        Block::Heading(2) => "HEADING_2",
        Block::Heading(3) => "HEADING_3",
        Block::Heading(4) => "HEADING_4",
        Block::Heading(5) => "HEADING_5",
        Block::Heading(_) => "HEADING_6",
        Block::Plain | Block::Bullet { .. } | Block::Number { .. } => "NORMAL_TEXT",
    }
}

fn preset(block: Block) -> &'static str {
    match block {
        Block::Number { .. } => "NUMBERED_DECIMAL_ALPHA_ROMAN",
        Block::Bullet { .. } | Block::Plain | Block::Heading(_) => "BULLET_DISC_CIRCLE_SQUARE",
    }
}

fn text_style(style: &Style) -> Map<String, Value> {
    let Style {
        bold,
        italic,
        struck,
        code,
        link,
    } = style;
    let all = [
        ("bold", bold.then(|| json!(true))),
        ("italic", italic.then(|| json!(true))),
        ("strikethrough", struck.then(|| json!(true))),
        (
            "weightedFontFamily",
            code.then(|| json!({"fontFamily": FONT})),
        ),
        ("link", link.as_ref().map(|url| json!({"url": url}))),
    ];
    let set = all
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    set.collect()
}
