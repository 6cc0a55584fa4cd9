//! Files that blocks show: each must exist, be a picture, and be processed.

use serde_json::{Map, Value};

use super::{Surface, wrong};
use crate::png::Picture;
use crate::state::SlackLocal;

#[derive(Debug)]
pub(crate) enum Refused {
    /// What is wrong and where, one line each.
    Wrong(Vec<String>),
    Storage(rusqlite::Error),
}

impl From<Vec<String>> for Refused {
    fn from(wrong: Vec<String>) -> Self {
        Self::Wrong(wrong)
    }
}

impl SlackLocal {
    /// Checks blocks and the files they name; adds the ids and the sizes of pictures that Slack adds.
    pub(crate) fn check_blocks(
        &self,
        blocks: &[Value],
        surface: Surface,
    ) -> Result<Vec<Value>, Refused> {
        let mut checked = super::check(blocks, surface)?;
        let mut found = Vec::new();
        for (at, image) in images(&mut checked) {
            let Some(id) = file_id(image).map(str::to_owned) else {
                continue;
            };
            match self.picture(&id).map_err(Refused::Storage)? {
                Some((picture, bytes)) => measure(image, picture, bytes),
                None => found.push(wrong(&format!("{at}/slack_file"), "invalid slack file")),
            }
        }
        if found.is_empty() {
            Ok(checked)
        } else {
            Err(found.into())
        }
    }
}

fn measure(image: &mut Map<String, Value>, picture: Picture, bytes: u64) {
    image.insert("image_width".into(), picture.width.into());
    image.insert("image_height".into(), picture.height.into());
    image.insert("image_bytes".into(), bytes.into());
}

fn file_id(image: &Map<String, Value>) -> Option<&str> {
    image.get("slack_file")?["id"].as_str()
}

/// Every image, and where it is: a block, an accessory, or an element of a context.
fn images(blocks: &mut [Value]) -> Vec<(String, &mut Map<String, Value>)> {
    let mut out = Vec::new();
    for (index, block) in blocks.iter_mut().enumerate() {
        let at = format!("/blocks/{index}");
        let Some(object) = block.as_object_mut() else {
            continue;
        };
        if is_image(object) {
            out.push((at, object));
            continue;
        }
        for (name, part) in object.iter_mut() {
            let at = format!("{at}/{name}");
            match part {
                Value::Object(part) if name == "accessory" && is_image(part) => {
                    out.push((at, part));
                }
                Value::Array(parts) if name == "elements" => {
                    let parts = parts.iter_mut().enumerate();
                    out.extend(parts.filter_map(|(index, part)| {
                        let part = part.as_object_mut().filter(|part| is_image(part))?;
                        Some((format!("{at}/{index}"), part))
                    }));
                }
                _ => {}
            }
        }
    }
    out
}

fn is_image(part: &Map<String, Value>) -> bool {
    part.get("type").is_some_and(|kind| kind == "image")
}

/// The files that these blocks show.
pub(crate) fn named(blocks: &[Value]) -> Vec<&str> {
    let inner = |block| {
        let block: &Value = block;
        let elements = block["elements"].as_array().into_iter().flatten();
        elements.chain([&block["accessory"], block])
    };
    blocks
        .iter()
        .flat_map(inner)
        .filter_map(Value::as_object)
        .filter(|part| is_image(part))
        .filter_map(file_id)
        .collect()
}
