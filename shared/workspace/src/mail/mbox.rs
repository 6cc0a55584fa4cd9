//! Parses an mbox, such as a Google Takeout export: each mail follows a line that begins with `From `.

use alfred_core::ports::MailStatus;
use mail_parser::MessageParser;
use std::io::{self, BufRead, Read};

/// Bytes of a line that are held at once.
const CHUNK: u64 = 64 * 1_024;

pub(super) struct Found {
    /// Start of the mail, after its `From ` line.
    pub offset: u64,
    pub len: u64,
    pub head: Vec<u8>,
    /// Whether `head` is the whole mail.
    pub whole: bool,
}

/// Finds the mails one by one, holding at most `head` bytes of each. False if it isn't an mbox.
pub(super) fn split(
    mut reader: impl BufRead,
    head: usize,
    mut each: impl FnMut(Found),
) -> io::Result<bool> {
    let (mut at, mut line) = (0_u64, Vec::new());
    let (mut line_begins, mut after_blank) = (true, true);
    let mut found: Option<Found> = None;
    loop {
        line.clear();
        let read = (&mut reader).take(CHUNK).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            break;
        }
        at += read;
        if line_begins && after_blank && separates(&line) {
            found.take().into_iter().for_each(&mut each);
            found = Some(Found {
                offset: at,
                len: 0,
                head: Vec::new(),
                whole: true,
            });
            // Skips an overlong `From ` line to its end.
            after_blank = false;
        } else {
            let Some(mail) = &mut found else {
                return Ok(false);
            };
            if mail.len + mail.offset + read == at {
                mail.len += read;
                let quoted = line_begins && is_quoted(&line);
                let fits = mail.head.len() + line.len() <= head;
                mail.whole &= fits;
                if mail.whole {
                    mail.head.extend_from_slice(&line[usize::from(quoted)..]);
                }
            }
            after_blank = line_begins && matches!(line.as_slice(), b"\n" | b"\r\n");
        }
        line_begins = line.ends_with(b"\n");
    }
    let any = found.is_some();
    found.into_iter().for_each(each);
    Ok(any)
}

/// Matches `From SENDER DATE` with a time of day, so an unquoted line of a letter isn't mistaken for a
/// separator.
fn separates(line: &[u8]) -> bool {
    let is_time = |four: &[u8]| {
        let digits = [four[0], four[1], four[3], four[4]];
        digits.iter().all(u8::is_ascii_digit) && four[2] == b':'
    };
    line.starts_with(b"From ") && line.windows(5).any(is_time)
}

/// `>From `, `>>From `, …: each had one `>` less originally.
fn is_quoted(line: &[u8]) -> bool {
    let unquoted = line.iter().position(|byte| *byte != b'>');
    unquoted.is_some_and(|at| at > 0 && line[at..].starts_with(b"From "))
}

/// Undoes the mbox quoting.
pub(super) fn unquoted(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut clean = Vec::with_capacity(bytes.len());
    for line in lines {
        clean.extend_from_slice(&line[usize::from(is_quoted(line))..]);
    }
    clean
}

/// The state from the labels of a Takeout export, or from `Status`.
pub(super) struct Labels {
    pub status: MailStatus,
    /// Whether it was received: not sent, a draft or deleted.
    pub arrived: bool,
    /// Whether its owner sent it and hasn't deleted it.
    pub sent: bool,
}

impl Labels {
    pub fn from_head(head: &[u8]) -> Self {
        let message = MessageParser::default().parse_headers(head);
        let value = |name: &'static str| {
            let value = message.as_ref()?.header(name)?;
            let texts = value.as_text_list();
            let texts = texts.map(|texts| texts.join(","));
            texts.or_else(|| value.as_text().map(str::to_owned))
        };
        let Some(labels) = value("X-Gmail-Labels") else {
            let read = value("Status").is_some_and(|status| status.contains('R'));
            let status = if read {
                MailStatus::Read
            } else {
                MailStatus::Unread
            };
            return Self {
                status,
                arrived: true,
                sent: false,
            };
        };
        let labels: Vec<_> = labels.split(',').map(|l| l.trim().to_lowercase()).collect();
        let has = |label: &str| labels.iter().any(|own| own == label);
        let elsewhere = ["sent", "draft", "drafts", "spam", "trash", "chat", "bin"];
        let status = match () {
            () if has("archived") || !has("inbox") => MailStatus::Archived,
            () if has("unread") => MailStatus::Unread,
            () => MailStatus::Read,
        };
        Self {
            status,
            sent: has("sent") && !["spam", "trash", "bin"].into_iter().any(has),
            arrived: has("inbox") || !elsewhere.into_iter().any(has),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(mbox: &str, head: usize) -> Option<Vec<(String, bool)>> {
        let mut heads = Vec::new();
        let is = split(mbox.as_bytes(), head, |found| {
            let from = found.offset as usize;
            let raw = &mbox.as_bytes()[from..from + found.len as usize];
            if found.whole {
                assert_eq!(unquoted(raw), found.head);
            }
            heads.push((String::from_utf8(found.head).unwrap(), found.whole));
        });
        is.unwrap().then_some(heads)
    }

    #[test]
    fn mails_begin_behind_blank_lines_only() {
        let mbox = "From a@b Sat Nov 21 09:00:00 2026\nSubject: a\n\nFrom here\n>From there\n>>From\n\nFrom b Sat Nov 21 09:00:00 2026\nSubject: b\n\n";
        let heads = heads(mbox, 1_000).unwrap();
        assert_eq!(heads.len(), 2);
        assert_eq!(
            heads[0].0,
            "Subject: a\n\nFrom here\nFrom there\n>>From\n\n"
        );
        assert_eq!(heads[1].0, "Subject: b\n\n");
    }

    #[test]
    fn a_long_mail_is_cut() {
        let mbox = format!(
            "From a Nov 21 09:00 2026\nSubject: a\n\n{}\n",
            "x".repeat(200_000)
        );
        let heads = heads(&mbox, 100).unwrap();
        assert_eq!(heads, [("Subject: a\n\n".to_owned(), false)]);
    }

    #[test]
    fn other_files_are_none() {
        assert!(heads("Subject: a\n\nFrom b 09:00\n", 10).is_none());
        assert!(heads("", 10).is_none());
    }

    #[test]
    fn labels_decide_where_a_mail_is() {
        let of = |labels: &str| {
            let labels = Labels::from_head(format!("X-Gmail-Labels: {labels}\n\n").as_bytes());
            (labels.status, labels.arrived)
        };
        assert_eq!(of("Inbox,Unread"), (MailStatus::Unread, true));
        assert_eq!(of("Inbox,Opened,Important"), (MailStatus::Read, true));
        assert_eq!(of("Archived,Opened"), (MailStatus::Archived, true));
        assert_eq!(of("Category Updates"), (MailStatus::Archived, true));
        assert!(!of("Sent").1 && !of("Spam,Unread").1 && of("Sent,Inbox").1);
        assert_eq!(
            Labels::from_head(b"Status: RO\n\n").status,
            MailStatus::Read
        );
        assert_eq!(
            Labels::from_head(b"Subject: a\n\n").status,
            MailStatus::Unread
        );
    }
}
