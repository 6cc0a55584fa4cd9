//! Mails as they are found in real mailboxes, and the files around them.

use crate::support;

use alfred_core::ports::{Mail, MailMessage, MailStatus, Mailbox, OutgoingMail};
use insta::assert_snapshot;
use std::fs;
use support::{Folder, ana, draft};

async fn one(bytes: &[u8]) -> MailMessage {
    let folder = Folder::new();
    folder.put("mail/inbox/one.eml", bytes);
    let mut mails = folder.mails().await;
    assert_eq!(mails.len(), 1, "{:?}", folder.page().await.unreadable);
    mails.remove(0)
}

fn with_body(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut mail = format!("From: a@b.example\nSubject: s\n{headers}\n\n").into_bytes();
    mail.extend_from_slice(body);
    mail
}

#[tokio::test]
async fn every_charset_and_encoding_reads() {
    let encoded = "Content-Transfer-Encoding";
    let quoted = format!("plain; charset=utf-8\n{encoded}: quoted-printable");
    let base64 = format!("plain; charset=utf-8\n{encoded}: base64");
    let cases: [(&str, &[u8], &str); 10] = [
        ("plain; charset=iso-8859-1", b"Gr\xFC\xDFe", "Grüße"),
        (
            "plain; charset=windows-1252",
            b"10 \x80 \x93so\x94",
            "10 € “so”",
        ),
        (
            "plain; charset=koi8-r",
            b"\xF0\xD2\xC9\xD7\xC5\xD4",
            "Привет",
        ),
        ("plain; charset=gb2312", b"\xC4\xE3\xBA\xC3", "你好"),
        ("plain; charset=iso-2022-jp", b"\x1B$B$3$s\x1B(B", "こん"),
        ("plain; charset=utf-16", b"\xFF\xFEH\0i\0", "Hi"),
        (&quoted, b"Gr=C3=BC=\n=C3=9Fe", "Grüße"),
        (&base64, b"R3LDvMOfZQ==", "Grüße"),
        ("html", b"<p>a &amp; b<script>x()</script>", "a & b"),
        ("plain; charset=nonsense", b"plain", "plain"),
    ];
    for (kind, body, expected) in cases {
        let mail = one(&with_body(&format!("Content-Type: text/{kind}"), body)).await;
        assert_eq!(mail.text.trim(), expected, "{kind}");
        assert_eq!(mail.summary.snippet, expected, "{kind}");
    }
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_than_it_shows_is_seen_behind_plain_words_too() {
    for (target, disguised) in [
        ("https://evil.example/x", true),
        ("https://www.bank.example/login", false),
    ] {
        let body = format!(
            "--b\n\nLook at your account.\n--b\nContent-Type: text/html\n\n\
             <a href=\"{target}\">https://bank.example/login</a>\n--b--\n"
        );
        let kind = "Content-Type: multipart/alternative; boundary=b";
        let mail = one(&with_body(kind, body.as_bytes())).await;
        assert_eq!(mail.text.trim(), "Look at your account.");
        assert_eq!(mail.disguised_link, disguised, "{target}");
    }
}

#[tokio::test]
async fn names_and_subjects_hide_nothing() {
    let mail = one(b"From: =?utf-8?B?4oCuZ25p?= <X@B.example>\nTo: g: a@b.example, \"B, C\" <c@d.example>;\nSubject: =?utf-8?Q?a=00b=0D=0ABcc:_x?=\n =?iso-8859-1?Q?_f=FCr?=\n\nx").await;
    assert_eq!(mail.summary.from, Mailbox::new("gni", "x@b.example"));
    assert_eq!(mail.summary.subject, "a b Bcc: x für");
    let to = mail.summary.to.iter();
    let to: Vec<_> = to.map(|to| to.address.as_str()).collect();
    assert_eq!(to, ["a@b.example", "c@d.example"]);
}

#[tokio::test]
async fn machines_and_lists_are_told_apart() {
    for (header, automated) in [
        ("List-Id: <l.example>", true),
        ("List-Unsubscribe: <https://l.example>", true),
        ("Precedence: Bulk", true),
        ("Precedence: first-class", false),
        ("Auto-Submitted: auto-replied", true),
        ("Auto-Submitted: no", false),
        ("X-Other: y", false),
    ] {
        let mail = one(&with_body(header, b"x")).await;
        assert_eq!(mail.summary.automated, automated, "{header}");
    }
}

#[tokio::test]
async fn what_is_no_mail_is_named_and_the_rest_goes_on() {
    let folder = Folder::new();
    let good = with_body("Date: Sat, 21 Nov 2026 09:00:00 +0000", b"x");
    folder.put("mail/inbox/good.eml", good);
    folder.put("mail/inbox/picture.eml", b"\x89PNG\r\n\x1A\n\0\0\0");
    folder.put("mail/inbox/empty.eml", b"");
    folder.put("mail/inbox/letter.eml", b"Dear all,\nthis is just text.\n");
    folder.put("mail/inbox/notes.txt", b"not looked at");
    folder.put("mail/All mail.mbox", b"From a Sat Nov 21 09:00:00 2026\n");
    fs::create_dir_all(folder.path("mail/inbox/folder.eml")).unwrap();
    let page = folder.page().await;
    assert_eq!(page.mails.len(), 1);
    let named = page.unreadable.iter();
    let named: Vec<_> = named.map(|u| format!("{}: {}", u.name, u.reason)).collect();
    assert_snapshot!(named.join("\n"), @"
All mail.mbox: I can't read mbox files. Please open it in a mail program such as Thunderbird, save its mails as .eml files in mail/inbox, and move this file elsewhere.
inbox/empty.eml: The file isn't a mail: it has no sender, recipient, subject or date.
inbox/letter.eml: The file isn't a mail: it has no sender, recipient, subject or date.
inbox/picture.eml: The file isn't a mail: it has no sender, recipient, subject or date.
");
}

#[cfg(unix)]
#[tokio::test]
async fn links_lead_nowhere() {
    let folder = Folder::new();
    folder.put("secret.txt", with_body("", b"secret"));
    folder.put("mail/inbox/a.eml", with_body("", b"x"));
    std::os::unix::fs::symlink(folder.path("secret.txt"), folder.path("mail/inbox/b.eml")).unwrap();
    assert_eq!(folder.page().await.mails.len(), 1);
}

#[tokio::test]
async fn a_mail_without_a_date_has_its_files() {
    let folder = Folder::new();
    folder.put("mail/inbox/a.eml", b"From: a@b.example\n\nx");
    let file = fs::metadata(folder.path("mail/inbox/a.eml")).unwrap();
    let at = file.modified().unwrap();
    let mail = &folder.page().await.mails[0];
    assert_eq!(mail.received_at, jiff::Timestamp::try_from(at).unwrap());
    let hop = one(b"Received: from x by y; Fri, 20 Nov 2026 10:00:00 +0100\nDate: Mon, 1 Jan 2035 00:00:00 +0000\nFrom: a@b.example\n\nx").await;
    assert_eq!(hop.summary.received_at.to_string(), "2026-11-20T09:00:00Z");
}

#[tokio::test]
async fn copies_are_one_mail_and_keep_their_id_where_they_go() {
    let mut folder = Folder::new();
    let bytes = with_body("Date: Sat, 21 Nov 2026 09:00:00 +0000", b"x");
    folder.put("mail/inbox/a.eml", &bytes);
    folder.put("mail/archive/a.eml", &bytes);
    let page = folder.page().await;
    assert_eq!(
        (page.total.number(), page.mails[0].status),
        (1, MailStatus::Unread)
    );
    let id = &page.mails[0].id;
    let mail = &folder.workspace;
    let before = mail.set_status(&ana(), id, MailStatus::Archived).await;
    assert_eq!(before.unwrap(), Some(MailStatus::Unread));
    assert!(!folder.path("mail/inbox/a.eml").exists());
    let second = fs::read(folder.path("mail/archive/a-2.eml"));
    assert_eq!(second.unwrap(), bytes);
    folder.reopen();
    let page = folder.page().await;
    assert_eq!((page.total.number(), &page.mails[0].id), (1, id));
    assert_eq!(page.mails[0].status, MailStatus::Archived);
    // Somebody moves it by hand.
    let by_hand = folder.path("mail/inbox/b.eml");
    fs::rename(folder.path("mail/archive/a.eml"), by_hand).unwrap();
    assert_eq!(folder.page().await.mails[0].status, MailStatus::Unread);
}

#[tokio::test]
async fn states_outlive_the_process() {
    let mut folder = Folder::new();
    folder.put("mail/inbox/a.eml", with_body("", b"x"));
    let (ana, id) = (ana(), &folder.page().await.mails[0].id);
    let set = folder.workspace.set_status(&ana, id, MailStatus::Backlog);
    set.await.unwrap();
    folder.reopen();
    assert_eq!(folder.page().await.mails[0].status, MailStatus::Backlog);
}

#[tokio::test]
async fn of_a_mail_of_60_megabytes_the_head_is_read() {
    let line = format!("{}\n", "QUJD".repeat(19));
    let lines = 60_000_000 / line.len();
    let body = format!(
        "--x\n\nSee the film.\n--x\nContent-Type: video/mp4; name=film.mp4\n\
         Content-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n{}--x--\n",
        line.repeat(lines)
    );
    let kind = "Content-Type: multipart/mixed; boundary=x";
    let large = one(&with_body(kind, body.as_bytes())).await;
    assert_eq!(large.text.trim(), "See the film.");
    assert!(large.truncated && large.summary.has_attachments);
    let film = &large.attachments[0];
    assert_eq!(film.name, "film.mp4");
    let off = film.bytes.abs_diff(lines as u64 * 57);
    assert!(off < film.bytes / 50, "{}", film.bytes);
}

#[tokio::test]
async fn a_long_body_is_cut() {
    let mail = one(&with_body("", "ü".repeat(300_000).as_bytes())).await;
    assert!(mail.truncated && mail.text.len() <= 200_000);
    // A file with a hole where nothing was written.
    one(&with_body(
        "",
        &[b"x".as_slice(), &[0; 3_000_000], b"end"].concat(),
    ))
    .await;
}

#[tokio::test]
async fn what_is_sent_is_a_file_that_others_can_read() {
    let mut folder = Folder::new();
    let mail = OutgoingMail {
        to: vec![Mailbox::new("Ben \"B\" Okafor", "ben@example.com")],
        subject: "Größe".into(),
        in_reply_to: Some("x y\r\nBcc: eve@evil.example".into()),
        references: vec!["<good@example.com>".into(), "bad >".into()],
        ..draft()
    };
    let sent = folder.workspace.send(&ana(), &mail, "../key").await;
    let sent = sent.unwrap();
    folder.reopen();
    let again = folder.workspace.send(&ana(), &mail, "../key").await;
    assert_eq!(again.unwrap(), sent);
    let files: Vec<_> = fs::read_dir(folder.path("mail/sent")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    let id = format!("Message-ID: <{}>", sent.message_id);
    for part in [
        id.as_str(),
        "References: <good@example.com>",
        "Date: Sat, 21 Nov 2026 09:00:00 +0000",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for part in ["eve@", "In-Reply-To"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
}
