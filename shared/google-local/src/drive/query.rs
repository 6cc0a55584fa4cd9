//! The two searches of `files.list` that Alfred makes
//! (<https://developers.google.com/workspace/drive/api/guides/ref-search-terms>).

use super::File;
use crate::error::ApiError;

pub(super) struct Query<'a> {
    mime_type: &'a str,
    /// Key and value of an own property. Without one, files in the bin are left out.
    property: Option<(&'a str, &'a str)>,
}

impl<'a> Query<'a> {
    pub fn parse(text: &'a str) -> Result<Self, ApiError> {
        let invalid = || ApiError::new(400, "invalid", "Invalid Value");
        Self::read(text).ok_or_else(invalid)
    }

    fn read(text: &'a str) -> Option<Self> {
        let (mime_type, rest) = text.strip_prefix("mimeType = '")?.split_once("' and ")?;
        let property = if rest == "trashed = false" {
            None
        } else {
            let rest = rest.strip_prefix("appProperties has { key='")?;
            Some(rest.strip_suffix("' }")?.split_once("' and value='")?)
        };
        Some(Self {
            mime_type,
            property,
        })
    }

    pub fn fits(&self, file: &File) -> bool {
        let is_kind = file.content.mime_type() == self.mime_type;
        is_kind
            && match self.property {
                None => !file.trashed,
                Some((key, value)) => file.app_properties.get(key).is_some_and(|has| has == value),
            }
    }
}
