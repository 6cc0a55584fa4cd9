//! The requests of a batch (<https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request>), as
//! far as Alfred sends them.

use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;

use super::document::{Document, Line, escaped};
use crate::error::ApiError;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Batch {
    pub requests: Vec<Request>,
    #[serde(default)]
    pub write_control: WriteControl,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WriteControl {
    pub required_revision_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Request {
    InsertText {
        text: String,
    },
    ReplaceAllText {
        contains_text: Passage,
        replace_text: String,
    },
    CreateNamedRange {
        name: String,
        range: Span,
    },
    DeleteNamedRange {
        name: String,
    },
    /// Without effect here.
    UpdateTextStyle {
        range: Span,
    },
    UpdateParagraphStyle {
        range: Span,
        paragraph_style: ParagraphStyle,
    },
    CreateParagraphBullets {
        range: Span,
        bullet_preset: String,
    },
    DeleteParagraphBullets {
        range: Span,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Passage {
    text: String,
    match_case: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ParagraphStyle {
    named_style_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    start_index: usize,
    end_index: usize,
}

impl Document {
    /// Does one of a batch. Returns its reply.
    pub(super) fn apply(&mut self, request: &Request) -> Result<Value, ApiError> {
        match request {
            Request::InsertText { text } => self.insert_at_end(text),
            Request::ReplaceAllText {
                contains_text,
                replace_text,
            } => return self.replace(contains_text, replace_text),
            Request::CreateNamedRange { name, range } => {
                if (range.start_index + 1, range.end_index) != (self.end(), self.end()) {
                    return invalid("This stand-in names the last newline alone.");
                }
                self.named.push(name.clone());
                return Ok(json!({"createNamedRange": {"namedRangeId": format!("kix.{name}")}}));
            }
            Request::DeleteNamedRange { name } => {
                if !self.named.contains(name) {
                    return invalid("There is no range of this name.");
                }
                self.named.retain(|named| named != name);
            }
            Request::UpdateTextStyle { range } => drop(self.touched(range)?),
            Request::UpdateParagraphStyle {
                range,
                paragraph_style,
            } => {
                let level = paragraph_style.named_style_type.strip_prefix("HEADING_");
                let level = level.and_then(|level| level.parse().ok()).unwrap_or(0);
                for line in self.touched(range)? {
                    if level > 0 {
                        line.mark = format!("{} ", "#".repeat(level));
                    } else if line.mark.starts_with('#') {
                        line.mark.clear();
                    }
                }
            }
            Request::CreateParagraphBullets {
                range,
                bullet_preset,
            } => {
                let is_numbered = bullet_preset.starts_with("NUMBERED_");
                for (number, line) in (1..).zip(self.touched(range)?) {
                    let words = line.text.trim_start_matches('\t');
                    let indent = "   ".repeat(line.text.len() - words.len());
                    let sign = if is_numbered {
                        format!("{number}.")
                    } else {
                        "-".into()
                    };
                    line.mark = format!("{indent}{sign} ");
                    line.text = words.to_owned();
                }
            }
            Request::DeleteParagraphBullets { range } => {
                let lines = self.touched(range)?.iter_mut();
                let items = lines.filter(|line| !line.mark.starts_with('#'));
                items.for_each(|line| line.mark.clear());
            }
        }
        Ok(json!({}))
    }

    /// New paragraphs are formatted as the one before.
    fn insert_at_end(&mut self, text: &str) {
        let mut parts = text.split('\n').map(escaped);
        let mut mark = String::new();
        if let (Some(last), Some(first)) = (self.lines.last_mut(), parts.next()) {
            last.text += &first;
            mark.clone_from(&last.mark);
        }
        self.lines.extend(parts.map(|text| Line {
            mark: mark.clone(),
            text,
        }));
    }

    fn replace(&mut self, passage: &Passage, new: &str) -> Result<Value, ApiError> {
        let (old, mut count) = (&passage.text, 0);
        if old.is_empty() || old.contains('\n') || !passage.match_case {
            return invalid("This stand-in replaces text within a paragraph, in its case.");
        }
        let mut lines = Vec::new();
        for line in self.lines.drain(..) {
            let times = line.plain().matches(old.as_str()).count();
            count += times;
            let text = match times {
                0 => line.text,
                _ => escaped(&line.plain().replace(old, new)),
            };
            lines.extend(text.split('\n').map(|text| Line {
                mark: line.mark.clone(),
                text: text.to_owned(),
            }));
        }
        self.lines = lines;
        Ok(json!({"replaceAllText": {"occurrencesChanged": count}}))
    }

    /// The paragraphs that overlap with a range.
    fn touched(&mut self, span: &Span) -> Result<&mut [Line], ApiError> {
        let range = span.start_index..span.end_index;
        if range.is_empty() || range.start < 1 || range.end > self.end() {
            return invalid("The range is out of the segment's bounds, or empty.");
        }
        let mut start = 1;
        let mut touched: Option<Range<usize>> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let end = start + line.units();
            if start < range.end && range.start < end {
                touched = Some(touched.map_or(at, |found| found.start)..at + 1);
            }
            start = end;
        }
        Ok(&mut self.lines[touched.unwrap_or_default()])
    }
}

fn invalid<T>(message: &str) -> Result<T, ApiError> {
    Err(ApiError::invalid(message))
}
