//! Files that blocks show: each must exist, be a picture, and be processed.

use serde_json::Value;

use super::{Surface, wrong};
use crate::state::SlackLocal;

impl SlackLocal {
    /// Checks blocks and the files they name; adds the ids and the sizes of pictures that Slack adds. The error has one
    /// line for each problem.
    pub(crate) fn check_blocks(
        &self,
        blocks: &[Value],
        surface: Surface,
    ) -> Result<Vec<Value>, Vec<String>> {
        let mut checked = super::check(blocks, surface)?;
        let mut found = Vec::new();
        for (index, block) in checked.iter_mut().enumerate() {
            for (at, id) in images(block) {
                let picture = self.picture(&id).map_err(|error| vec![error.to_string()])?;
                if let (Some((size, bytes)), Some(image)) = (picture, block.pointer_mut(&at)) {
                    image["image_width"] = size.width.into();
                    image["image_height"] = size.height.into();
                    image["image_bytes"] = bytes.into();
                } else {
                    let at = format!("/blocks/{index}{at}/slack_file");
                    found.push(wrong(&at, "invalid slack file"));
                }
            }
        }
        if found.is_empty() {
            Ok(checked)
        } else {
            Err(found)
        }
    }
}

/// The JSON pointer and the file of every image in a block.
fn images(block: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), block)];
    while let Some((at, part)) = open.pop() {
        let file = part["slack_file"]["id"].as_str();
        if let Some(file) = file.filter(|_| part["type"] == "image") {
            found.push((at, file.to_owned()));
        } else if let Value::Object(fields) = part {
            let parts = fields.iter();
            open.extend(parts.map(|(name, part)| (format!("{at}/{name}"), part)));
        } else if let Value::Array(parts) = part {
            let parts = parts.iter().enumerate();
            open.extend(parts.map(|(index, part)| (format!("{at}/{index}"), part)));
        }
    }
    found
}

pub(crate) fn named(blocks: &[Value]) -> Vec<String> {
    let images = blocks.iter().flat_map(images);
    images.map(|(_, file)| file).collect()
}
