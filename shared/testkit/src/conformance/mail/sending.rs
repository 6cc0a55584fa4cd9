//! Mail that goes out.

use alfred_core::ports::{AccountError, MailQuery, Mailbox, OutgoingFile, OutgoingMail};

use super::super::{refused, unique};
use super::{MailUnderTest, all, everywhere, listed, mails, named, owner};

pub(super) fn draft(subject: &str) -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        cc: vec![Mailbox::new("", "chiyo@example.com")],
        subject: subject.into(),
        text: "Dear Ben,\n\nfünf Tische.\n.\nFrom here on: nothing.\n\nAna".into(),
        in_reply_to: Some("budget@example.com".into()),
        references: vec!["start@example.com".into(), "budget@example.com".into()],
        files: Vec::new(),
    }
}

/// Of a mail that arrived, and of one that is sent; files that are too large together are refused.
pub async fn what_is_in_a_file_is_given_and_sent_byte_by_byte(fixture: &impl MailUnderTest) {
    let (mail, account) = (fixture.mail(), fixture.account());
    let budget = named(fixture, "Budget for the spring").await.id;
    let given = mail.attachment(&account, &budget, 0).await.unwrap();
    assert_eq!(given, Some(vec![b'x'; 1_000]));
    let lunch = named(fixture, "Lunch?").await.id;
    for (id, at) in [(&budget, 1), (&lunch, 0), (&"nowhere".into(), 0)] {
        assert_eq!(mail.attachment(&account, id, at).await.unwrap(), None);
    }
    let file = |name: &str, content_type: &str, content: Vec<u8>| OutgoingFile {
        name: name.into(),
        content_type: content_type.into(),
        content,
    };
    let mut draft = draft("With files");
    draft.files = vec![
        file(
            "tables – größer.bin",
            "application/octet-stream",
            (0..=255).collect(),
        ),
        file(
            "lines.txt",
            "text/plain",
            b"one\r\n.\r\nFrom here\n\nend".to_vec(),
        ),
        file("latin.csv", "text/csv", b"caf\xE9;1\r\n".to_vec()),
    ];
    let sent = mail.send(&account, &draft, &unique()).await.unwrap();
    let read = mail.read(&account, &sent.id).await.unwrap().unwrap();
    assert!(read.summary.has_attachments);
    assert_eq!(read.text.trim_end(), draft.text);
    assert_eq!(read.attachments.len(), draft.files.len());
    for (at, file) in draft.files.iter().enumerate() {
        let attached = &read.attachments[at];
        assert_eq!(attached.name, file.name);
        assert_eq!(attached.content_type, file.content_type);
        let content = mail.attachment(&account, &sent.id, at).await.unwrap();
        assert_eq!(content.as_ref(), Some(&file.content), "{}", file.name);
    }
    draft.files[0].content = vec![0; OutgoingFile::MOST_BYTES];
    let key = unique();
    refused(mail.send(&account, &draft, &key).await);
    assert_eq!(mail.find_sent(&account, &key).await.unwrap(), None);
}

/// Every character of it.
pub async fn what_was_sent_is_found_read_and_not_in_the_inbox(fixture: &impl MailUnderTest) {
    let (mail, account, key) = (fixture.mail(), fixture.account(), unique());
    assert_eq!(mail.find_sent(&account, &key).await.unwrap(), None);
    let draft = draft("Re: Budget for the spring – größer");
    let sent = mail.send(&account, &draft, &key).await.unwrap();
    assert_eq!(
        mail.find_sent(&account, &key).await.unwrap().as_ref(),
        Some(&sent)
    );
    let read = mail.read(&account, &sent.id).await.unwrap().unwrap();
    assert_eq!(read.summary.subject, draft.subject);
    assert_eq!(read.summary.from.address, owner().address);
    assert_eq!(read.summary.to, draft.to);
    assert_eq!(read.cc, draft.cc);
    assert_eq!(read.text.trim_end(), draft.text);
    assert_eq!(read.message_id.as_ref(), Some(&sent.message_id));
    let thread = [draft.references, vec![sent.message_id]].concat();
    assert_eq!(read.references, thread);
    assert_eq!(listed(fixture, &everywhere()).await.len(), mails().len());
    let told = |from: &str, words: &[&str]| MailQuery {
        from: Some(from.into()).filter(|from: &String| !from.is_empty()),
        words: words.iter().map(|&word| word.into()).collect(),
        sent: true,
        ..all()
    };
    for (query, expected) in [
        (told("", &[]), 1),
        (told("Ben@example.com", &["größer"]), 1),
        (told("okafor", &[]), 1),
        (told("ana@example.com", &[]), 0),
        (told("", &["zebra"]), 0),
    ] {
        let found = listed(fixture, &query).await;
        assert_eq!(found.len(), expected, "{query:?}");
        assert!(found.iter().all(|mail| mail.id == sent.id));
    }
}

/// Not even when the words are others; another key is another mail.
pub async fn sending_again_under_a_key_sends_nothing(fixture: &impl MailUnderTest) {
    let (mail, account) = (fixture.mail(), fixture.account());
    let (one, other) = (unique(), unique());
    let first = mail.send(&account, &draft("First"), &one).await.unwrap();
    let again = mail.send(&account, &draft("Other"), &one).await.unwrap();
    assert_eq!(again, first);
    let second = mail.send(&account, &draft("First"), &other).await.unwrap();
    assert_ne!(second.id, first.id);
    assert_ne!(second.message_id, first.message_id);
    let read = mail.read(&account, &first.id).await.unwrap().unwrap();
    assert_eq!(read.summary.subject, "First");
}

/// All of them are told of the same mail.
pub async fn sending_at_once_under_a_key_sends_one(fixture: &impl MailUnderTest) {
    let (mail, account, key) = (fixture.mail(), fixture.account(), unique());
    let draft = draft("Once");
    let send = || mail.send(&account, &draft, &key);
    let (a, b, c, d) = tokio::join!(send(), send(), send(), send());
    let first = a.unwrap();
    for other in [b, c, d] {
        assert_eq!(other.unwrap(), first);
    }
}

/// Nor is a name.
pub async fn a_subject_is_never_a_header(fixture: &impl MailUnderTest) {
    let (mail, account) = (fixture.mail(), fixture.account());
    let mut draft = draft("Plans\r\nBcc: eve@evil.example\r\n\r\nAnother body");
    draft.to[0].name = "Ben\r\nCc: eve@evil.example".into();
    match mail.send(&account, &draft, &unique()).await {
        Err(AccountError::Refused { .. }) => {}
        Err(other) => panic!("{other}"),
        Ok(sent) => {
            let read = mail.read(&account, &sent.id).await.unwrap().unwrap();
            let to: Vec<_> = read.summary.to.iter().map(|to| &to.address).collect();
            assert_eq!(to, ["ben@example.com"]);
            assert_eq!(read.cc, draft.cc);
            assert!(!read.summary.subject.contains(['\r', '\n']));
            assert_eq!(read.text.trim_end(), draft.text);
        }
    }
}

/// And one to what is no address; nothing is kept of it.
pub async fn a_mail_to_nobody_is_refused(fixture: &impl MailUnderTest) {
    let (mail, account) = (fixture.mail(), fixture.account());
    let mut nobody = draft("Nobody");
    nobody.to.clear();
    let mut two = draft("Two");
    two.to[0].address = "ben@example.com, eve@evil.example".into();
    let mut none = draft("None");
    none.cc[0].address = "chiyo".into();
    let mut line = draft("Line");
    line.to[0].address = "ben@example.com\r\nBcc: eve@evil.example".into();
    for draft in [nobody, two, none, line] {
        let key = unique();
        refused(mail.send(&account, &draft, &key).await);
        assert_eq!(mail.find_sent(&account, &key).await.unwrap(), None);
    }
}
