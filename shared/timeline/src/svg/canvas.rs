//! The few shapes that a picture is made of.

use crate::font::{self, FAMILY};

pub const INK: &str = "#1d1c1d";
/// What matters less; still 6:1 against the paper.
pub const FAINT: &str = "#5c5b5e";
pub const LINE: &str = "#dcdce0";
pub const AWAY: &str = "#f3f3f5";
/// The paper. The picture brings its own, so it reads the same on a light page and a dark one.
pub const PAPER: &str = "#ffffff";
pub const NOW: &str = "#c4232e";

/// A box, in pixels of the drawing.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// How a line of text looks.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub size: f32,
    pub colour: &'static str,
    pub strong: bool,
}

pub const fn plain(size: f32) -> Style {
    Style {
        size,
        colour: INK,
        strong: false,
    }
}

/// A line that matters.
pub const fn strong(size: f32) -> Style {
    Style {
        strong: true,
        ..plain(size)
    }
}

/// A line that matters less.
pub const fn faint(size: f32) -> Style {
    Style {
        colour: FAINT,
        ..plain(size)
    }
}

/// A drawing of a size.
pub struct Canvas {
    width: f32,
    height: f32,
    body: String,
}

impl Canvas {
    pub fn new(width: f32, height: f32) -> Self {
        let mut canvas = Self {
            width,
            height,
            body: String::new(),
        };
        let all = Area {
            x: 0.5,
            y: 0.5,
            width: width - 1.0,
            height: height - 1.0,
        };
        canvas.framed(all, 10.0, PAPER);
        canvas
    }

    pub fn rect(&mut self, area: Area, round: f32, fill: &str) {
        self.shape(area, round, fill, "");
    }

    /// A filled box with a fine line around it.
    pub fn framed(&mut self, area: Area, round: f32, fill: &str) {
        self.shape(area, round, fill, &format!(r#" stroke="{LINE}""#));
    }

    fn shape(&mut self, area: Area, round: f32, fill: &str, outline: &str) {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        self.push(&format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{round}" fill="{fill}"{outline}/>"#
        ));
    }

    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), colour: &str, width: f32) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(&format!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// A line of text from `at` on, cut where it would be wider than `room`.
    pub fn text(&mut self, at: (f32, f32), room: f32, style: Style, text: &str) {
        self.write(at, "start", room, style, text);
    }

    /// The same around `at`.
    pub fn centred(&mut self, at: (f32, f32), room: f32, style: Style, text: &str) {
        self.write(at, "middle", room, style, text);
    }

    /// The same up to `at`.
    pub fn ending(&mut self, at: (f32, f32), room: f32, style: Style, text: &str) {
        self.write(at, "end", room, style, text);
    }

    fn write(&mut self, at: (f32, f32), anchor: &str, room: f32, style: Style, text: &str) {
        let fitted = font::fitting(text, style.size, room);
        if fitted.is_empty() {
            return;
        }
        let (x, y) = at;
        let Style {
            size,
            colour,
            strong,
        } = style;
        // There is one weight of the letters: a fine outline makes them heavier.
        let outline = match strong {
            true => format!(r#" stroke="{colour}" stroke-width="{:.2}""#, size * 0.045),
            false => String::new(),
        };
        self.push(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{outline}>{}</text>"#,
            escaped(&fitted)
        ));
    }

    fn push(&mut self, shape: &str) {
        self.body.push_str(shape);
        self.body.push('\n');
    }

    /// The drawing as SVG.
    pub fn finish(self) -> String {
        let Self {
            width,
            height,
            body,
        } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"{FAMILY}\">\n{body}</svg>\n"
        )
    }
}

/// As XML takes it: what it can't name is left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => {}
            letter if letter.is_control() => {}
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(
            escaped("a<b> & \"c\"\u{7}\u{FFFF}"),
            "a&lt;b&gt; &amp; &quot;c&quot;"
        );
    }
}
