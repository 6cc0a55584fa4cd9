//! Requests that set paragraph styles: headings and list items. None for styles that paragraphs inherit
//! anyway.

use serde_json::{Value, json};
use std::sync::Arc;

use super::blocks::Block;
use super::body::Line;
use super::edit::Change;
use super::requests::{insert, range};

impl Change<'_> {
    /// Sets the block type of paragraphs that don't inherit it.
    pub fn paragraphs(&self, index: u32, as_suggestion: bool, requests: &mut Vec<Value>) {
        let mut items = Vec::new();
        for place in self.places(index, as_suggestion) {
            let Place { start, was, is, .. } = place;
            let here = range(&place.tab, start, start + 1);
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

    /// Paragraphs with their start indexes and the block types that they inherit.
    fn places(&self, index: u32, as_suggestion: bool) -> Vec<Place> {
        let (old, new) = self.lines();
        let (first, last) = (&self.old[old.start], &self.old[old.end]);
        // The API doesn't define the style of a merged paragraph. A suggested merge keeps both styles.
        let inherited = as_suggestion || first.block.same(last.block);
        let inherited = inherited.then_some(first.block);
        let place = |line: usize, old: &'_ Line, start: u32, was| Place {
            line,
            tab: old.tab.clone(),
            start,
            was,
            is: self.blocks[line],
        };
        let before = self.old[..old.start].iter().enumerate();
        let mut places: Vec<Place> = before
            .map(|(line, old)| place(line, old, old.start, Some(old.block)))
            .collect();
        places.push(place(new.start, first, first.start, inherited));
        let mut at = index;
        for glyph in self.inserted() {
            at += glyph.units;
            if glyph.letter == '\n' {
                places.push(place(places.len(), first, at, inherited));
            }
        }
        if as_suggestion && !old.is_empty() {
            if !new.is_empty() {
                places.pop();
            }
            let start = last.start + (at - index);
            places.push(place(new.end, last, start, Some(last.block)));
        }
        places.retain(|place| place.start > 0);
        places
    }

    /// Adjacent items form one list. Google takes the nesting from leading tabs and removes them.
    fn bullets(&self, items: &[Place], requests: &mut Vec<Value>) {
        let together = |a: &Place, b: &Place| b.line == a.line + 1 && preset(a.is) == preset(b.is);
        let groups: Vec<&[Place]> = items.chunk_by(together).collect();
        for group in groups.into_iter().rev() {
            let mut tabs = 0;
            for item in group.iter().rev() {
                let level = match item.is {
                    Block::Bullet { level } | Block::Number { level, .. } => level,
                    Block::Plain | Block::Heading(_) => 0,
                };
                if level > 0 {
                    requests.push(insert(&item.tab, item.start, &"\t".repeat(level.into())));
                    tabs += u32::from(level);
                }
            }
            let (first, last) = (&group[0], &group[group.len() - 1]);
            requests.push(json!({"createParagraphBullets": {
                "range": range(&first.tab, first.start, last.start + tabs + 1),
                "bulletPreset": preset(first.is),
            }}));
        }
    }
}

/// A paragraph after the change.
struct Place {
    /// Index among the new lines.
    line: usize,
    tab: Arc<str>,
    start: u32,
    /// The inherited block type, if certain.
    was: Option<Block>,
    is: Block,
}

fn named_style(block: Block) -> String {
    match block {
        Block::Heading(level) => format!("HEADING_{level}"),
        Block::Plain | Block::Bullet { .. } | Block::Number { .. } => "NORMAL_TEXT".into(),
    }
}

fn preset(block: Block) -> &'static str {
    match block {
        Block::Number { .. } => "NUMBERED_DECIMAL_ALPHA_ROMAN",
        Block::Bullet { .. } | Block::Plain | Block::Heading(_) => "BULLET_DISC_CIRCLE_SQUARE",
    }
}
