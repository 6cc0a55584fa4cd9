//! The picture as a PNG file.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Source;
use resvg::usvg::{Options, Tree};
use std::sync::{Arc, LazyLock};

use super::{font, svg};
use crate::{PictureError, Timeline};

/// Pixels of the file per pixel of the drawing, so that text is sharp on dense screens.
const SCALE: f32 = 2.0;

/// The fonts are parsed once per process, for the first picture.
pub static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
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

pub fn png(timeline: &Timeline) -> Result<Vec<u8>, PictureError> {
    let tree = Tree::from_str(&svg(timeline), &OPTIONS)
        .map_err(|error| PictureError(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let pixels = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut pixels = pixels.ok_or_else(|| PictureError("the drawing has no size".into()))?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    let file = pixels.encode_png();
    file.map_err(|error| PictureError(error.to_string()))
}
