use super::*;

fn mail() -> Indexed {
    Indexed {
        from: normal("Ben Okafor ben@example.com"),
        to: normal("Ana ana@example.com"),
        subject: normal("Budget für den Frühling"),
        all: normal("Ben Okafor ben@example.com Ana Budget für den Frühling numbers by Monday"),
        message_id: Some("budget@example.com".into()),
        has_attachment: true,
    }
}

fn fits(q: &str) -> bool {
    let now = "2026-11-21T09:00:00Z".parse().unwrap();
    let term = Term::read(q, now).unwrap();
    term.fits(&Candidate {
        index: &mail(),
        // 20 November 2026, 09:30.
        at_ms: 1_795_167_000_500,
        has_label: &|label| ["INBOX", "UNREAD", "alfred-backlog"].contains(&label),
    })
}

#[test]
fn words_and_operators_select() {
    for (q, expected) in [
        ("", true),
        ("NUMBERS budget", true),
        ("number", false),
        ("\"by monday\"", true),
        ("\"monday by\"", false),
        ("-tables", true),
        ("-numbers", false),
        ("tables OR numbers", true),
        ("tables OR numbers lunch", false),
        ("{tables numbers}", true),
        ("(tables lunch) OR (numbers budget)", true),
        ("-(numbers tables)", true),
        ("from:example.com", true),
        ("from:\"ben okafor\"", true),
        ("from:exam", false),
        ("to:ana@example.com subject:FRÜHLING", true),
        ("subject:numbers", false),
        ("in:inbox is:unread", true),
        ("is:read", false),
        ("in:sent", false),
        ("in:anywhere", true),
        ("label:Alfred/Backlog", true),
        ("label:nothing", false),
        ("has:attachment", true),
        ("rfc822msgid:<budget@example.com>", true),
        ("rfc822msgid:other@example.com", false),
        ("after:1795166999", true),
        ("after:1795167000", false),
        ("before:1795167000", false),
        ("before:1795167001", true),
        ("after:2026/11/20 before:2026/11/21", true),
        ("newer_than:1d", true),
        ("older_than:1d", false),
        ("older_than:1m", false),
    ] {
        assert_eq!(fits(q), expected, "{q}");
    }
}

#[test]
fn what_it_cannot_read_is_refused() {
    for q in [
        "cc:ana",
        "is:important",
        "\"open",
        "(a",
        "a)",
        "after:soon",
        "from:",
        "-OR",
        "newer_than:3w",
    ] {
        assert!(Term::read(q, Timestamp::UNIX_EPOCH).is_err(), "{q}");
    }
}
