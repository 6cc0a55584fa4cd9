//! Mails too large to load: their files are found by reading along, a line at a time.

use alfred_core::ports::Attachment;
use mail_parser::{Message, MessageParser, MimeHeaders};
use std::io::{self, BufRead, Read};

use crate::clean;

/// The most of a line, and of a part's header, that is held at once.
const CHUNK: u64 = 64 * 1_024;
/// Parts in parts, and files, beyond which nobody looks.
const DEEPEST: usize = 20;
const MOST: usize = 1_000;

/// Where the reader is.
enum At {
    Header(Vec<u8>),
    Body(Part),
    /// What stands before, between and after parts.
    Between,
}

struct Part {
    file: Option<Attachment>,
    encoding: Encoding,
    /// Characters that count, by the encoding.
    counted: u64,
}

enum Encoding {
    Base64,
    QuotedPrintable,
    Plain,
}

/// The files of a mail, with their decoded sizes.
pub(super) fn attachments(mut reader: impl BufRead) -> io::Result<Vec<Attachment>> {
    let mut files = Vec::new();
    let (mut at, mut boundaries) = (At::Header(Vec::new()), Vec::new());
    let (mut line, mut line_begins) = (Vec::new(), true);
    while files.len() < MOST {
        line.clear();
        if (&mut reader).take(CHUNK).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let begins = std::mem::replace(&mut line_begins, line.ends_with(b"\n"));
        if begins && let Some(last) = ended(&line, &mut boundaries) {
            let next = if last {
                At::Between
            } else {
                At::Header(Vec::new())
            };
            files.extend(std::mem::replace(&mut at, next).file());
            continue;
        }
        at = at.with(&line, begins, &mut boundaries);
    }
    files.extend(at.file());
    Ok(files)
}

/// Whether the line ends a part: with the last one of its kind, or before another. What lies
/// within that part ends too.
fn ended(line: &[u8], boundaries: &mut Vec<String>) -> Option<bool> {
    let said = line.strip_prefix(b"--")?.trim_ascii_end();
    let within = |boundary: &String| {
        let rest = said.strip_prefix(boundary.as_bytes())?;
        match rest {
            b"" => Some(false),
            b"--" => Some(true),
            _ => None,
        }
    };
    let (index, last) = boundaries
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, boundary)| Some((index, within(boundary)?)))?;
    boundaries.truncate(if last { index } else { index + 1 });
    Some(last)
}

impl At {
    fn with(self, line: &[u8], begins: bool, boundaries: &mut Vec<String>) -> Self {
        match self {
            Self::Header(mut header) => {
                let blank = begins && line.trim_ascii().is_empty();
                if header.len() as u64 <= CHUNK {
                    header.extend_from_slice(line);
                }
                if blank {
                    Self::behind(&header, boundaries)
                } else {
                    Self::Header(header)
                }
            }
            Self::Body(mut part) => {
                part.count(line);
                Self::Body(part)
            }
            Self::Between => Self::Between,
        }
    }

    /// What a part's header says of its body.
    fn behind(header: &[u8], boundaries: &mut Vec<String>) -> Self {
        let Some(message) = MessageParser::default().parse_headers(header) else {
            return Self::Between;
        };
        let kind = message.content_type();
        let boundary = kind.and_then(|kind| kind.attribute("boundary"));
        if let Some(boundary) = boundary
            && boundaries.len() < DEEPEST
        {
            boundaries.push(boundary.trim_end().to_owned());
            return Self::Between;
        }
        let encoding = message.content_transfer_encoding().unwrap_or_default();
        let encoding = match encoding.to_ascii_lowercase().as_str() {
            "base64" => Encoding::Base64,
            "quoted-printable" => Encoding::QuotedPrintable,
            _ => Encoding::Plain,
        };
        Self::Body(Part {
            file: file(&message),
            encoding,
            counted: 0,
        })
    }

    fn file(self) -> Option<Attachment> {
        let Self::Body(part) = self else { return None };
        let bytes = match part.encoding {
            Encoding::Base64 => part.counted * 3 / 4,
            Encoding::QuotedPrintable | Encoding::Plain => part.counted,
        };
        part.file.map(|file| Attachment { bytes, ..file })
    }
}

/// Text without a name is the mail's own.
fn file(message: &Message<'_>) -> Option<Attachment> {
    let (main, sub) = match message.content_type() {
        Some(kind) => (kind.ctype(), kind.subtype().unwrap_or_default()),
        None => ("text", "plain"),
    };
    let hangs = message
        .content_disposition()
        .is_some_and(|d| d.is_attachment());
    let name = message.attachment_name();
    if !hangs && name.is_none() && main.eq_ignore_ascii_case("text") {
        return None;
    }
    Some(Attachment {
        name: clean::file_name(name.unwrap_or("attachment")),
        content_type: clean::line(&format!("{main}/{sub}")).to_lowercase(),
        bytes: 0,
    })
}

impl Part {
    fn count(&mut self, line: &[u8]) {
        let count = |is: fn(&u8) -> bool| line.iter().filter(|byte| is(byte)).count() as u64;
        self.counted += match self.encoding {
            Encoding::Base64 => count(|b| !b.is_ascii_whitespace() && *b != b'='),
            // `=41` is one byte, a `=` at the end of a line none, its line break neither.
            Encoding::QuotedPrintable => {
                let signs = count(|b| *b == b'=');
                let soft = line.trim_ascii_end().ends_with(b"=");
                let breaks = (line.len() - line.trim_ascii_end().len()) as u64;
                let soft_bytes = if soft { 1 + breaks } else { 0 };
                let escapes = 2 * (signs - u64::from(soft));
                (line.len() as u64).saturating_sub(escapes + soft_bytes)
            }
            Encoding::Plain => line.len() as u64,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mail_builder::MessageBuilder;

    #[test]
    fn files_are_found_without_loading_them() {
        let mail = MessageBuilder::new()
            .from("a@example.com")
            .subject("Files")
            .text_body("See the files")
            .html_body("<p>See the files")
            .attachment("application/pdf", "plan.pdf", vec![7_u8; 100_001])
            .attachment("text/csv", "größe.csv", "a,b\n".repeat(100))
            .write_to_vec()
            .unwrap();
        let files = attachments(mail.as_slice()).unwrap();
        let files: Vec<_> = files
            .iter()
            .map(|f| (f.name.as_str(), f.content_type.as_str(), f.bytes))
            .collect();
        assert_eq!(files[0], ("plan.pdf", "application/pdf", 100_001));
        assert_eq!(files[1].0, "größe.csv");
        assert!(files[1].2.abs_diff(400) < 4, "{files:?}");
        assert_eq!(files.len(), 2);
    }
}
