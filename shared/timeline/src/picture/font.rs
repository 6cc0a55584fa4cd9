//! The fonts of the picture. They are part of the program, so a picture looks the same everywhere: Ubuntu has Latin,
//! Greek and Cyrillic letters, Noto Emoji has symbols. Other letters are drawn as boxes; the alternative text has them.

use epaint_default_fonts::{NOTO_EMOJI_REGULAR, UBUNTU_LIGHT};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// For the `font-family` attribute of the SVG.
pub const FAMILY: &str = "Ubuntu, Noto Emoji";
pub const FILES: [&[u8]; 2] = [UBUNTU_LIGHT, NOTO_EMOJI_REGULAR];
/// The assumed width of a letter that Ubuntu doesn't have, as a multiple of the font size.
const FALLBACK_WIDTH: f32 = 1.3;

/// The text, cut to `room` pixels; a cut text ends in an ellipsis.
pub fn fitting(text: &str, size: f32, room: f32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut left = room - width("…", size);
    let fits = |letter: &char| {
        left -= width(letter.encode_utf8(&mut [0; 4]), size);
        left >= 0.0
    };
    let cut: String = text.chars().take_while(fits).collect();
    match cut.trim_end() {
        "" => String::new(),
        cut => format!("{cut}…"),
    }
}

/// The width of a line of text in pixels, without kerning.
pub fn width(text: &str, size: f32) -> f32 {
    let Ok(font) = FontRef::new(UBUNTU_LIGHT) else {
        return 0.0;
    };
    let glyphs = font.charmap();
    let metrics = font.glyph_metrics(Size::new(size), LocationRef::default());
    let advance = |letter| metrics.advance_width(glyphs.map(letter)?);
    text.chars()
        .map(|letter| advance(letter).unwrap_or(size * FALLBACK_WIDTH))
        .sum()
}
