//! Doing what a batch asks for.

use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;

use super::Document;
use super::body::{Mark, Paragraph, Tab, Traits, Unit};
use super::request::{
    CreateNamedRange, CreateParagraphBullets, InsertText, Request, Span, TextStyle,
    UpdateParagraphStyle, UpdateTextStyle,
};
use super::rules::{check_deletion, continues, stripped};
use crate::error::ApiError;

/// Characters of a document (<https://support.google.com/drive/answer/37603>).
const MOST: usize = 1_020_000;

type Done = Result<Value, ApiError>;

pub(super) fn invalid<T>(message: &str) -> Result<T, ApiError> {
    Err(ApiError::invalid(message))
}

impl Document {
    /// Does one of a batch; `suggestion` is the one it becomes.
    pub(super) fn apply(&mut self, request: &Request, suggestion: Option<u64>) -> Done {
        match request {
            Request::InsertText(insert) => self.insert_text(insert, suggestion),
            Request::DeleteContentRange(delete) => {
                let (tab, range) = self.ranged(&delete.range)?;
                check_deletion(tab, &range)?;
                tab.delete(range, suggestion);
                Ok(json!({}))
            }
            Request::UpdateTextStyle(update) => self.style_text(update, suggestion),
            Request::UpdateParagraphStyle(update) => self.style_paragraphs(update, suggestion),
            Request::CreateParagraphBullets(create) => self.bullets(create, suggestion),
            Request::DeleteParagraphBullets(delete) => {
                let (tab, range) = self.ranged(&delete.range)?;
                each_paragraph(tab, &range, suggestion, |paragraph| {
                    paragraph.indented |= paragraph.bullet.take().is_some();
                });
                Ok(json!({}))
            }
            Request::CreateNamedRange(create) => self.name_range(create),
            Request::DeleteNamedRange(delete) => {
                for tab in &mut self.tabs {
                    tab.named.retain(|named| named.name != delete.name);
                }
                Ok(json!({}))
            }
        }
    }

    /// The tab of this id, or the first one.
    fn tab(&mut self, id: Option<&str>) -> Result<&mut Tab, ApiError> {
        let mut tabs = self.tabs.iter_mut();
        let found = tabs.find(|tab| id.is_none_or(|id| tab.id == id));
        found.ok_or_else(|| ApiError::invalid("There is no tab of this id."))
    }

    fn ranged(&mut self, span: &Span) -> Result<(&mut Tab, Range<usize>), ApiError> {
        let tab = self.tab(span.tab_id.as_deref())?;
        let range = span.start_index..span.end_index;
        if range.is_empty() {
            return invalid("The range should not be empty.");
        }
        if range.start < 1 || range.end > tab.units.len() {
            return invalid("The range is out of the segment's bounds.");
        }
        Ok((tab, range))
    }

    fn insert_text(&mut self, insert: &InsertText, suggestion: Option<u64>) -> Done {
        let (id, index) = match (&insert.location, &insert.end_of_segment_location) {
            (Some(at), None) => (&at.tab_id, Some(at.index)),
            (None, Some(end)) => (&end.tab_id, None),
            _ => return invalid("One location is needed."),
        };
        let held: usize = self.tabs.iter().map(|tab| tab.units.len()).sum();
        let tab = self.tab(id.as_deref())?;
        let mut at = index.unwrap_or(tab.units.len() - 1);
        let inside = |at: usize| tab.units.get(at).is_some_and(Unit::is_content);
        if !inside(at) {
            return invalid(
                "The insertion index must be inside the bounds of an existing paragraph.",
            );
        }
        while continues(&tab.units, at) {
            at += 1;
        }
        let text = stripped(&insert.text);
        if text.is_empty() {
            return invalid("There is no text to insert.");
        }
        if held + text.len() > MOST && held + text.encode_utf16().count() > MOST {
            return invalid("The document would be too large.");
        }
        let Some(end) = tab.newlines(&(at..at + 1)).first().copied() else {
            return invalid(
                "The insertion index must be inside the bounds of an existing paragraph.",
            );
        };
        let beside = if at > tab.paragraph_start(at) {
            at - 1
        } else {
            at
        };
        let traits = Arc::new(Traits {
            look: tab.units[beside].traits.look.clone(),
            paragraph: tab.units[end].traits.paragraph.clone(),
            inserted: suggestion,
            ..Traits::default()
        });
        let unit = |code| Unit {
            mark: Mark::Code(code),
            traits: traits.clone(),
        };
        tab.insert(at, text.encode_utf16().map(unit).collect());
        Ok(json!({}))
    }

    fn style_text(&mut self, update: &UpdateTextStyle, suggestion: Option<u64>) -> Done {
        let TextStyle {
            bold,
            italic,
            strikethrough,
            link,
            weighted_font_family,
        } = &update.text_style;
        let fields: Vec<&str> = update.fields.split(',').collect();
        let known = [
            "bold",
            "italic",
            "strikethrough",
            "link",
            "weightedFontFamily",
        ];
        if !fields.iter().all(|field| known.contains(field)) {
            return invalid("Invalid field mask.");
        }
        let has = |field| fields.contains(&field);
        let (tab, range) = self.ranged(&update.range)?;
        for unit in &mut tab.units[range] {
            // A style that is suggested for what is there isn't kept.
            if suggestion.is_some() && unit.traits.inserted.is_none() {
                continue;
            }
            let mut look = unit.traits.look.clone();
            look.bold = if has("bold") { *bold } else { look.bold };
            look.italic = if has("italic") { *italic } else { look.italic };
            look.strikethrough = if has("strikethrough") {
                *strikethrough
            } else {
                look.strikethrough
            };
            if has("link") {
                look.link = link.as_ref().map(|link| link.url.clone());
            }
            if has("weightedFontFamily") {
                look.font = weighted_font_family
                    .as_ref()
                    .map(|font| font.font_family.clone());
            }
            if look != unit.traits.look {
                unit.traits().look = look;
            }
        }
        Ok(json!({}))
    }

    fn style_paragraphs(&mut self, update: &UpdateParagraphStyle, suggestion: Option<u64>) -> Done {
        let fields: Vec<&str> = update.fields.split(',').collect();
        let known = ["namedStyleType", "indentStart", "indentFirstLine"];
        if !fields.iter().all(|field| known.contains(field)) {
            return invalid("Invalid field mask.");
        }
        let style = &update.paragraph_style;
        if style.indent_start.is_some() || style.indent_first_line.is_some() {
            return invalid("This stand-in only resets an indentation.");
        }
        let (tab, range) = self.ranged(&update.range)?;
        each_paragraph(tab, &range, suggestion, |paragraph| {
            if fields.contains(&"namedStyleType") {
                let named = style.named_style_type.clone();
                paragraph.named_style = named.unwrap_or_else(|| "NORMAL_TEXT".into());
            }
            paragraph.indented &= !fields.contains(&"indentStart");
        });
        Ok(json!({}))
    }

    fn bullets(&mut self, create: &CreateParagraphBullets, suggestion: Option<u64>) -> Done {
        let preset = &create.bullet_preset;
        if !preset.starts_with("BULLET_") && !preset.starts_with("NUMBERED_") {
            return invalid("Invalid bullet preset.");
        }
        self.sequence += 1;
        let new = self.sequence;
        let (tab, range) = self.ranged(&create.range)?;
        let newlines = tab.newlines(&range);
        let before = newlines
            .first()
            .map_or(0, |&first| tab.paragraph_start(first) - 1);
        let before = Some(&tab.units[before]).filter(|unit| unit.is_newline());
        let joined = before.and_then(|unit| unit.traits.paragraph.bullet);
        let joined = joined.filter(|(list, _)| tab.lists.get(list) == Some(preset));
        let list = joined.map_or(new, |(list, _)| list);
        tab.lists.insert(list, preset.clone());
        for &newline in newlines.iter().rev() {
            let start = tab.paragraph_start(newline);
            let inside = tab.units[start..newline].iter();
            let tabs = inside.take_while(|unit| unit.mark == Mark::Code(9)).count();
            let level = u8::try_from(tabs.min(8)).unwrap_or_default();
            each_paragraph(tab, &(newline..newline + 1), suggestion, |paragraph| {
                // How deep an item is that is one already stays.
                let level = paragraph.bullet.map_or(level, |(_, level)| level);
                paragraph.bullet = Some((list, level));
            });
            tab.delete(start..start + tabs, suggestion);
        }
        Ok(json!({}))
    }

    fn name_range(&mut self, create: &CreateNamedRange) -> Done {
        if !(1..=256).contains(&create.name.encode_utf16().count()) {
            return invalid("A name has 1 to 256 characters.");
        }
        self.sequence += 1;
        let id = format!("kix.range{}", self.sequence);
        let (tab, range) = self.ranged(&create.range)?;
        tab.named.push(super::body::Named {
            id: id.clone(),
            name: create.name.clone(),
            range,
        });
        Ok(json!({"createNamedRange": {"namedRangeId": id}}))
    }
}

/// Changes paragraphs; what is suggested for those that are there stands beside.
fn each_paragraph(
    tab: &mut Tab,
    range: &Range<usize>,
    suggestion: Option<u64>,
    change: impl Fn(&mut Paragraph),
) {
    for newline in tab.newlines(range) {
        let traits = tab.units[newline].traits();
        match suggestion {
            Some(_) if traits.inserted.is_none() => {
                change(
                    traits
                        .becomes
                        .get_or_insert_with(|| traits.paragraph.clone()),
                );
            }
            _ => change(&mut traits.paragraph),
        }
    }
}
