//! The two shapes that a picture is made of, written as SVG.

use super::font::{self, FAMILY};

pub const INK: &str = "#1d1c1d";
/// Less important text; its contrast against white is 6:1.
pub const FAINT: &str = "#5c5b5e";
pub const LINE: &str = "#dcdce0";
pub const OFF_WORK: &str = "#f3f3f5";
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

    pub const fn bottom(self) -> f32 {
        self.y + self.height
    }
}

/// The look of a line of text, and its greatest width in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    size: f32,
    width: f32,
    colour: &'static str,
    /// The width of the outline. The font has one weight only, and an outline makes its letters bolder.
    outline: f32,
    /// The part of the line that is at its `x`: `start`, `middle` or `end`.
    anchor: &'static str,
}

impl Style {
    pub const fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }
}

pub const fn plain(size: f32, width: f32) -> Style {
    Style {
        size,
        width,
        colour: INK,
        outline: 0.0,
        anchor: "start",
    }
}

pub const fn strong(size: f32, width: f32) -> Style {
    Style {
        outline: size * 0.045,
        ..plain(size, width)
    }
}

pub const fn faint(size: f32, width: f32) -> Style {
    Style {
        colour: FAINT,
        ..plain(size, width)
    }
}

#[derive(Default)]
pub struct Canvas(String);

impl Canvas {
    pub fn rect(&mut self, area: Area, radius: f32, fill: &str) {
        let Area { x, y, .. } = area;
        let (width, height) = (area.width, area.height);
        self.0 += &format!(
            "<rect x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height:.1}' \
             rx='{radius}' fill='{fill}'/>\n"
        );
    }

    /// Draws a line of text on the baseline `y`, cut to the width of its style.
    pub fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        let Style { size, colour, .. } = style;
        let text = escaped(&font::fitting(text, size, style.width));
        if text.is_empty() {
            return;
        }
        let (anchor, outline) = (style.anchor, style.outline);
        self.0 += &format!(
            "<text x='{x:.1}' y='{y:.1}' font-size='{size}' text-anchor='{anchor}' \
             fill='{colour}' stroke='{colour}' stroke-width='{outline:.2}'>{text}</text>\n"
        );
    }

    /// The SVG file, with a fine line around the picture.
    pub fn finish(self, width: f32, height: f32) -> String {
        let (inner_width, inner_height) = (width - 1.0, height - 1.0);
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' \
             font-family='{FAMILY}'>\n\
             <rect x='0.5' y='0.5' width='{inner_width}' height='{inner_height}' rx='10' \
             fill='{PAPER}' stroke='{LINE}'/>\n{}</svg>\n",
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
