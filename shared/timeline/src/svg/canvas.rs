//! The two shapes that a picture is made of, written as SVG.

use crate::font::{self, FAMILY};

pub const INK: &str = "#1d1c1d";
/// Less important text; its contrast against white is 6:1.
pub const FAINT: &str = "#5c5b5e";
pub const LINE: &str = "#dcdce0";
/// Hours off work.
pub const AWAY: &str = "#f3f3f5";
/// The background is part of the picture, so it looks the same on light and dark pages.
pub const PAPER: &str = "#ffffff";
pub const NOW: &str = "#c4232e";

/// In pixels of the drawing.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Area {
    pub const fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    pub const fn right(self) -> f32 {
        self.x + self.width
    }

    pub const fn bottom(self) -> f32 {
        self.y + self.height
    }
}

/// The place of a line of text: a point of its baseline and the greatest width.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub anchor: &'static str,
}

impl Slot {
    /// Text that begins at `x`.
    pub const fn new(x: f32, y: f32, width: f32) -> Self {
        let anchor = "start";
        Self {
            x,
            y,
            width,
            anchor,
        }
    }

    /// The same slot for text with `x` in its middle (`middle`) or at its end (`end`).
    pub const fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Style {
    size: f32,
    colour: &'static str,
    strong: bool,
}

pub const fn plain(size: f32) -> Style {
    Style {
        size,
        colour: INK,
        strong: false,
    }
}

pub const fn strong(size: f32) -> Style {
    Style {
        strong: true,
        ..plain(size)
    }
}

pub const fn faint(size: f32) -> Style {
    Style {
        colour: FAINT,
        ..plain(size)
    }
}

/// The shapes drawn so far.
#[derive(Default)]
pub struct Canvas(String);

impl Canvas {
    pub fn rect(&mut self, area: Area, radius: f32, fill: &str) {
        let Area { x, y, .. } = area;
        let (width, height) = (area.width, area.height);
        self.0 += &format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{radius}" fill="{fill}"/>"#
        );
        self.0.push('\n');
    }

    /// Draws a line of text, cut to the width of its slot.
    pub fn text(&mut self, slot: Slot, style: Style, text: &str) {
        let text = escaped(&font::fitting(text, style.size, slot.width));
        if text.is_empty() {
            return;
        }
        let Slot { x, y, anchor, .. } = slot;
        let Style { size, colour, .. } = style;
        // The font has one weight only. An outline makes its letters bolder.
        let bold = if style.strong { size * 0.045 } else { 0.0 };
        self.0 += &format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" stroke="{colour}" stroke-width="{bold:.2}">{text}</text>"#
        );
        self.0.push('\n');
    }

    /// The SVG file, with a fine line around the picture.
    pub fn finish(self, width: f32, height: f32) -> String {
        let paper = format!(
            r#"<rect x="0.5" y="0.5" width="{}" height="{}" rx="10" fill="{PAPER}" stroke="{LINE}"/>"#,
            width - 1.0,
            height - 1.0
        );
        let size = format!(r#"width="{width}" height="{height}""#);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} font-family=\"{FAMILY}\">\n{paper}\n{}</svg>\n",
            self.0
        )
    }
}

/// Escapes text for XML. Characters that XML can't contain are removed.
fn escaped(text: &str) -> String {
    let forbidden =
        |letter: char| letter.is_control() || ('\u{FFFE}'..='\u{FFFF}').contains(&letter);
    text.replace(forbidden, "")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
