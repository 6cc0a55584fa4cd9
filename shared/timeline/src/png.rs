//! The picture as a file.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Source;
use resvg::usvg::{Options, Tree};
use std::sync::{Arc, LazyLock};
use thiserror::Error;

use crate::{Timeline, font, svg};

/// Pixels of the file for each of the drawing: sharp on dense screens.
const SCALE: f32 = 2.0;

/// Parsed once a process, at the first picture.
static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut options = Options {
        font_family: font::FAMILY.to_owned(),
        ..Options::default()
    };
    for file in font::FILES {
        let fonts = options.fontdb_mut();
        fonts.load_font_source(Source::Binary(Arc::new(file)));
    }
    options
});

/// A picture that couldn't be made. A defect: nothing a person writes leads there.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The drawing isn't one.
    #[error("the drawing can't be read: {0}")]
    Drawing(#[from] resvg::usvg::Error),
    /// It has no area.
    #[error("the drawing has no size")]
    Size,
    /// It can't be written.
    #[error("the picture can't be written: {0}")]
    File(String),
}

/// The timeline as a PNG, two pixels for each one of the drawing.
///
/// # Errors
/// `PictureError`, which is a defect.
pub fn png(timeline: &Timeline) -> Result<Vec<u8>, PictureError> {
    let tree = Tree::from_str(&svg(timeline), &OPTIONS)?;
    let size = tree.size().to_int_size();
    let scaled = size.scale_by(SCALE).ok_or(PictureError::Size)?;
    let mut pixels = Pixmap::new(scaled.width(), scaled.height()).ok_or(PictureError::Size)?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    let file = pixels.encode_png();
    file.map_err(|error| PictureError::File(error.to_string()))
}
