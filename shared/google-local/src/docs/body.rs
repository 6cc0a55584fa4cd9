//! A tab's body: each index that Google counts is a unit here, so indexes are places in a list
//! (<https://developers.google.com/workspace/docs/api/concepts/structure>).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

const NEWLINE: u16 = 10;

/// What stands at an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mark {
    /// The first of every body.
    Section,
    /// A code unit of UTF-16.
    Code(u16),
    /// A picture, or somebody who is mentioned.
    Object,
    TableStart,
    RowStart,
    CellStart,
    TableEnd,
}

/// How letters look, as far as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    pub bold: bool,
    pub italic: bool,
    pub strikethrough: bool,
    pub link: Option<String>,
    pub font: Option<String>,
}

/// A paragraph's style; it stands at its newline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Paragraph {
    /// `NORMAL_TEXT`, `HEADING_1`, …
    pub named_style: String,
    /// List and nesting level.
    pub bullet: Option<(u64, u8)>,
    pub indented: bool,
}

impl Default for Paragraph {
    fn default() -> Self {
        Self {
            named_style: "NORMAL_TEXT".into(),
            bullet: None,
            indented: false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Traits {
    pub look: Look,
    /// Of a newline.
    pub paragraph: Paragraph,
    /// What is suggested for it.
    pub becomes: Option<Paragraph>,
    /// Who is mentioned.
    pub person: Option<String>,
    /// The suggestion that inserts it.
    pub inserted: Option<u64>,
    /// The suggestion that deletes it.
    pub deleted: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub mark: Mark,
    pub traits: Arc<Traits>,
}

impl Unit {
    pub fn plain(mark: Mark) -> Self {
        Self {
            mark,
            traits: Arc::default(),
        }
    }

    pub fn is_newline(&self) -> bool {
        self.mark == Mark::Code(NEWLINE)
    }

    /// Whether it stands in a paragraph.
    pub fn is_content(&self) -> bool {
        matches!(self.mark, Mark::Code(_) | Mark::Object)
    }

    pub fn traits(&mut self) -> &mut Traits {
        Arc::make_mut(&mut self.traits)
    }
}

/// A named range; what is written before it moves it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Named {
    pub id: String,
    pub name: String,
    pub range: Range<usize>,
}

/// A tab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tab {
    pub id: String,
    pub title: String,
    #[serde(with = "runs")]
    pub units: Vec<Unit>,
    /// The presets of its lists.
    pub lists: BTreeMap<u64, String>,
    pub named: Vec<Named>,
}

impl Tab {
    /// One with an empty paragraph.
    pub fn new(id: &str, title: &str) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            units: vec![Unit::plain(Mark::Section), Unit::plain(Mark::Code(NEWLINE))],
            lists: BTreeMap::new(),
            named: Vec::new(),
        }
    }

    /// Where the paragraph begins in which this index is.
    pub fn paragraph_start(&self, at: usize) -> usize {
        let before = self.units[..at].iter();
        let inside = before
            .rev()
            .take_while(|unit| unit.is_content() && !unit.is_newline());
        at - inside.count()
    }

    /// The newlines of all paragraphs that overlap a range.
    pub fn newlines(&self, range: &Range<usize>) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), range.start);
        while at < range.end || found.is_empty() {
            let Some(next) = self.units[at..].iter().position(Unit::is_newline) else {
                break;
            };
            found.push(at + next);
            at += next + 1;
        }
        found
    }

    pub fn insert(&mut self, at: usize, units: Vec<Unit>) {
        for named in &mut self.named {
            let Range { start, end } = &mut named.range;
            *start += if at <= *start { units.len() } else { 0 };
            *end += if at < *end { units.len() } else { 0 };
        }
        self.units.splice(at..at, units);
    }

    /// Takes a range out, or marks it; what the same kind of change only suggested goes for good.
    pub fn delete(&mut self, range: Range<usize>, suggestion: Option<u64>) {
        if let Some(id) = suggestion {
            for at in range.rev() {
                match self.units[at].traits.inserted {
                    Some(_) => self.remove(at..at + 1),
                    None => self.units[at].traits().deleted = Some(id),
                }
            }
        } else {
            self.remove(range);
        }
    }

    fn remove(&mut self, range: Range<usize>) {
        let moved = |at: usize| match at {
            at if at <= range.start => at,
            at if at < range.end => range.start,
            at => at - range.len(),
        };
        for named in &mut self.named {
            named.range = moved(named.range.start)..moved(named.range.end);
        }
        self.named.retain(|named| !named.range.is_empty());
        self.units.drain(range);
    }

    /// All suggestions are taken, or none of them.
    pub fn settle(&mut self, accepted: bool) {
        for at in (0..self.units.len()).rev() {
            let traits = &self.units[at].traits;
            let (inserted, deleted) = (traits.inserted.is_some(), traits.deleted.is_some());
            if (deleted && accepted) || (inserted && !accepted) {
                self.remove(at..at + 1);
            } else if inserted || deleted || traits.becomes.is_some() {
                let traits = self.units[at].traits();
                (traits.inserted, traits.deleted) = (None, None);
                let becomes = traits.becomes.take().filter(|_| accepted);
                traits.paragraph = becomes.unwrap_or_else(|| traits.paragraph.clone());
            }
        }
    }
}

/// Units of the same traits are kept as a text.
mod runs {
    use super::{Arc, Deserialize, Mark, Serialize, Traits, Unit};
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Run {
        marks: Vec<Mark>,
        text: String,
        traits: Arc<Traits>,
    }

    pub fn serialize<S: Serializer>(units: &[Unit], serializer: S) -> Result<S::Ok, S::Error> {
        let mut runs = Vec::new();
        for same in units.chunk_by(|a, b| a.traits == b.traits && is_code(a) == is_code(b)) {
            let codes = same.iter().filter_map(|unit| match unit.mark {
                Mark::Code(code) => Some(code),
                _ => None,
            });
            let codes: Vec<u16> = codes.collect();
            let others = same.iter().filter(|unit| !is_code(unit));
            runs.push(Run {
                marks: others.map(|unit| unit.mark).collect(),
                text: String::from_utf16_lossy(&codes),
                traits: same[0].traits.clone(),
            });
        }
        runs.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Unit>, D::Error> {
        let mut units = Vec::new();
        for Run {
            marks,
            text,
            traits,
        } in Vec::<Run>::deserialize(deserializer)?
        {
            let codes = text.encode_utf16().map(Mark::Code);
            let traits = &traits;
            units.extend(marks.into_iter().chain(codes).map(|mark| Unit {
                mark,
                traits: traits.clone(),
            }));
        }
        Ok(units)
    }

    fn is_code(unit: &Unit) -> bool {
        matches!(unit.mark, Mark::Code(_))
    }
}
