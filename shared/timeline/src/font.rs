//! The letters of the picture. They come with the program, so that it looks the
//! same everywhere: Latin, Greek and Cyrillic in Ubuntu, signs in Noto Emoji.
//! What neither has is drawn as a box; the words beside the picture have it right.

use epaint_default_fonts::{NOTO_EMOJI_REGULAR, UBUNTU_LIGHT};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// What the letters are asked for by.
pub const FAMILY: &str = "Ubuntu, Noto Emoji";
pub const FILES: [&[u8]; 2] = [UBUNTU_LIGHT, NOTO_EMOJI_REGULAR];
/// A letter that the first file doesn't have, in parts of its size.
const ELSEWHERE: f32 = 1.3;

/// The text, or as much of it as fits so many pixels, with an ellipsis.
pub fn fitting(text: &str, size: f32, room: f32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut used = 0.0;
    let mut kept = String::new();
    for letter in text.chars() {
        used += width(letter.encode_utf8(&mut [0; 4]), size);
        if used > room {
            break;
        }
        kept.push(letter);
    }
    match kept.trim_end() {
        "" => String::new(),
        kept => format!("{kept}…"),
    }
}

/// Pixels that a line takes at a size, without kerning.
pub fn width(text: &str, size: f32) -> f32 {
    let Ok(font) = FontRef::new(UBUNTU_LIGHT) else {
        return 0.0;
    };
    let letters = font.charmap();
    let metrics = font.glyph_metrics(Size::new(size), LocationRef::default());
    let advance = |letter| {
        let glyph = letters.map(letter)?;
        metrics.advance_width(glyph)
    };
    text.chars()
        .map(|letter| advance(letter).unwrap_or(size * ELSEWHERE))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis() {
        assert_eq!(fitting("Lunch", 14.0, 100.0), "Lunch");
        let cut = fitting(
            "A very long title of a block that nobody reads",
            14.0,
            100.0,
        );
        assert!(cut.ends_with('…') && cut.starts_with("A very"), "{cut}");
        assert!(width(&cut, 14.0) <= 100.0);
        assert_eq!(fitting("Long", 14.0, 3.0), "");
    }

    #[test]
    fn a_letter_has_a_width_and_a_wide_one_a_greater() {
        assert!(width("i", 14.0) > 1.0);
        assert!(width("W", 14.0) > width("i", 14.0));
        assert!(width("日", 14.0) > width("W", 14.0));
    }
}
