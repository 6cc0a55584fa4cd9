//! The three searches of `files.list` that Alfred makes
//! (<https://developers.google.com/workspace/drive/api/guides/ref-search-terms>).

use super::File;
use crate::error::ApiError;

pub(super) struct Query<'a> {
    mime_type: &'a str,
    /// Key and value of an own property. Without one, files in the bin are left out.
    property: Option<(&'a str, &'a str)>,
    /// Whole words of the name and the text.
    words: Vec<String>,
}

impl<'a> Query<'a> {
    pub fn parse(text: &'a str) -> Result<Self, ApiError> {
        let invalid = || ApiError::new(400, "invalid", "Invalid Value");
        Self::read(text).ok_or_else(invalid)
    }

    fn read(text: &'a str) -> Option<Self> {
        let (mime_type, rest) = text.strip_prefix("mimeType = '")?.split_once("' and ")?;
        let (mut property, mut words) = (None, Vec::new());
        if let Some(texts) = rest.strip_prefix("trashed = false") {
            for text in texts.split(" and ").skip(1) {
                let word = text
                    .strip_prefix("fullText contains '")?
                    .strip_suffix('\'')?;
                words.push(word.replace(r"\'", "'").replace(r"\\", r"\").to_lowercase());
            }
        } else {
            let rest = rest.strip_prefix("appProperties has { key='")?;
            property = Some(rest.strip_suffix("' }")?.split_once("' and value='")?);
        }
        Some(Self {
            mime_type,
            property,
            words,
        })
    }

    /// Drive refuses an order for a search by content.
    pub fn takes_order(&self, order: Option<&str>) -> bool {
        order.is_none() || self.words.is_empty() && order == Some("modifiedTime desc")
    }

    pub fn fits(&self, file: &File) -> bool {
        let is_kind = file.content.mime_type() == self.mime_type;
        let text = format!("{} {}", file.name, file.text()).to_lowercase();
        let texts = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.map(str::to_owned).collect()
        };
        let there = texts(&text);
        let has = |word: &String| texts(word).iter().all(|part| there.contains(part));
        is_kind
            && self.words.iter().all(has)
            && match self.property {
                None => !file.trashed,
                Some((key, value)) => file.app_properties.get(key).is_some_and(|has| has == value),
            }
    }
}
