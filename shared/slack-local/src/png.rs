//! The head of a PNG: whether it is one, and how large its picture is.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Picture {
    pub width: u32,
    pub height: u32,
}

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The picture's size; `None` for what isn't a PNG.
pub(crate) fn picture(bytes: &[u8]) -> Option<Picture> {
    let head = bytes.strip_prefix(SIGNATURE)?;
    let (length, rest) = number(head)?;
    let rest = rest.strip_prefix(b"IHDR").filter(|_| length == 13)?;
    let (width, rest) = number(rest)?;
    let (height, _) = number(rest)?;
    (width > 0 && height > 0).then_some(Picture { width, height })
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*number), rest))
}
