//! Block types: heading, list item, or plain. One line of Markdown is one paragraph, even an empty one, so
//! that text survives a round trip.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Block {
    #[default]
    Plain,
    /// Level, 1 to 6.
    Heading(u8),
    Bullet {
        /// 0 to 8.
        level: u8,
    },
    Number {
        /// 0 to 8.
        level: u8,
        /// The number shown before the item.
        number: u32,
    },
}

impl Block {
    pub fn is_item(self) -> bool {
        matches!(self, Self::Bullet { .. } | Self::Number { .. })
    }

    /// Whether both are the same block in a document, which computes item numbers itself.
    pub fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number { level, .. }, Self::Number { level: other, .. }) => level == other,
            (one, other) => one == other,
        }
    }
}

/// The open lists that the next line may continue.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    open: Vec<Open>,
    pub fenced: bool,
}

#[derive(Clone, Debug)]
struct Open {
    indent: usize,
    /// Width of the marker including its space.
    width: usize,
    number: Option<u32>,
}

impl Lists {
    /// The Markdown prefix of such a paragraph; updates the open lists.
    pub fn prefix(&mut self, block: Block) -> String {
        let (level, mark, number) = match block {
            Block::Bullet { level } => (level, "- ".to_owned(), None),
            Block::Number { level, number } => (level, format!("{number}. "), Some(number)),
            Block::Heading(level) => {
                self.open.clear();
                return "#".repeat(usize::from(level)) + " ";
            }
            Block::Plain => {
                self.open.clear();
                return String::new();
            }
        };
        let level = usize::from(level);
        self.open.truncate(level);
        while self.open.len() < level {
            self.push(2, None);
        }
        let indent = self.push(mark.len(), number);
        " ".repeat(indent) + &mark
    }

    fn push(&mut self, width: usize, number: Option<u32>) -> usize {
        let indent = self.open.last().map_or(0, |last| last.indent + last.width);
        self.open.push(Open {
            indent,
            width,
            number,
        });
        indent
    }

    /// The block of a line and the text after its marker. A number starts an item only if it continues the
    /// list or is in `known`: Google computes numbers, so others stay text.
    pub fn read<'a>(&mut self, line: &'a str, known: &[Block]) -> (Block, &'a str) {
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        if let (1..=6, Some(rest)) = (hashes, line[hashes..].strip_prefix(' ')) {
            let block = Block::Heading(u8::try_from(hashes).unwrap_or(6));
            self.prefix(block);
            return (block, rest);
        }
        let found = self.item(line, known);
        let (block, rest) = found.unwrap_or((Block::Plain, line));
        if let Block::Bullet { .. } = block {
            // A nested bullet list ends the numbering around it.
            self.open.iter_mut().for_each(|open| open.number = None);
        }
        self.prefix(block);
        (block, rest)
    }

    fn item<'a>(&self, line: &'a str, known: &[Block]) -> Option<(Block, &'a str)> {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        let inside = self
            .open
            .iter()
            .take_while(|open| indent >= open.indent + 2);
        let depth = inside.count();
        if depth == 0 && indent > 3 {
            return None;
        }
        let level = u8::try_from(depth.min(8)).ok()?;
        let bullet = ["- ", "* ", "+ "]
            .iter()
            .find_map(|mark| rest.strip_prefix(mark));
        if let Some(rest) = bullet {
            return Some((Block::Bullet { level }, unindented(rest)));
        }
        let (number, rest) = rest.split_once(". ")?;
        let number = Some(number).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let number: u32 = number?.parse().ok()?;
        let before = self.open.get(depth).and_then(|open| open.number);
        let next = before.map_or(1, |before| before + 1);
        let stands = known.contains(&Block::Number { level, number });
        let number = match number {
            number if stands || number == next => number,
            1 => next,
            _ => return None,
        };
        Some((Block::Number { level, number }, unindented(rest)))
    }

    /// A paragraph as a line of Markdown.
    pub fn written(&mut self, block: Block, inside: &str) -> String {
        let taken = self.clone().read(inside, &[]).0;
        let text = self.prefix(block) + inside;
        // Escapes text that would be read as a marker.
        let mark = match (block, taken) {
            (Block::Plain, Block::Number { .. }) => text.find('.'),
            (Block::Plain, Block::Bullet { .. } | Block::Heading(_)) => text.find(|c| c != ' '),
            _ => None,
        };
        match mark.map(|mark| text.split_at(mark)) {
            Some((before, after)) => format!("{before}\\{after}"),
            None => text,
        }
    }
}

/// Removes leading tabs, which would nest the item deeper.
fn unindented(item: &str) -> &str {
    item.trim_start_matches('\t')
}

/// Whether the line begins or ends a code block.
pub(super) fn is_fence(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("```");
    rest.is_some_and(|rest| !rest.contains('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_and_written_alike() {
        let bullet = |level| Block::Bullet { level };
        let number = |level, number| Block::Number { level, number };
        let lines = [
            ("# One", Block::Heading(1), "One"),
            ("###### Six", Block::Heading(6), "Six"),
            ("####### Seven", Block::Plain, "####### Seven"),
            ("- a", bullet(0), "a"),
            ("  - b", bullet(1), "b"),
            ("    - c", bullet(2), "c"),
            ("- d", bullet(0), "d"),
            ("", Block::Plain, ""),
            ("1. a", number(0, 1), "a"),
            ("   1. b", number(1, 1), "b"),
            ("2. c", number(0, 2), "c"),
            ("4. no", Block::Plain, "4. no"),
            ("1. a", number(0, 1), "a"),
            ("   - b", bullet(1), "b"),
            ("2. as it is", Block::Plain, "2. as it is"),
            ("1.5 m", Block::Plain, "1.5 m"),
            ("     - code", Block::Plain, "     - code"),
        ];
        let (mut reading, mut writing) = (Lists::default(), Lists::default());
        for (line, block, inside) in lines {
            assert_eq!(reading.read(line, &[]), (block, inside), "{line}");
            let again = writing.written(block, inside);
            assert_eq!(again.replace("2\\. as", "2. as"), line);
        }
        let escaped = [
            ("- a", "\\- a"),
            ("# a", "\\# a"),
            ("1. a", "1\\. a"),
            ("2. a", "2. a"),
        ];
        for (text, line) in escaped {
            assert_eq!(Lists::default().written(Block::Plain, text), line);
        }
        let known = [number(0, 7)];
        assert_eq!(Lists::default().read("7. a", &known).0, known[0]);
        assert!(is_fence("```rust") && !is_fence("```a```") && !is_fence("a"));
    }
}
