use super::*;

fn named(email: &str, imap: &str, smtp: &str, calendar: &str) -> Named {
    Named {
        email: email.into(),
        password: "hush".into(),
        user: String::new(),
        imap: imap.into(),
        smtp: smtp.into(),
        calendar: calendar.into(),
    }
}

fn read(named: &Named) -> Result<Addresses, Untaken> {
    named.addresses(&Allowed::new(None, vec!["127.0.0.1".into()]))
}

#[test]
fn servers_are_known_by_the_address_or_named() {
    for (named, imap, smtp) in [
        (
            named(" Ana@iCloud.com ", "", "", ""),
            "imaps://ana%40icloud.com@imap.mail.me.com:993",
            "smtp://ana%40icloud.com@smtp.mail.me.com:587",
        ),
        (
            named(
                "ana@corp.example",
                "IMAP.corp.example",
                "mail.corp.example:587",
                "",
            ),
            "imaps://ana%40corp.example@imap.corp.example:993",
            "smtp://ana%40corp.example@mail.corp.example:587",
        ),
        (
            Named {
                user: "CORP\\ana".into(),
                ..named("ana@corp.example", "127.0.0.1:1143", "127.0.0.1:465", "")
            },
            "imap://CORP%5Cana@127.0.0.1:1143",
            "smtps://CORP%5Cana@127.0.0.1:465",
        ),
    ] {
        let at = read(&named).unwrap();
        assert_eq!((at.imap.as_str(), at.smtp.as_str()), (imap, smtp));
    }
    for (domains, imap, smtp) in KNOWN {
        let named = named(&format!("ana@{}", domains[0]), "", "", "");
        let at = read(&named).unwrap();
        assert!(at.imap.ends_with(imap) && at.smtp.ends_with(smtp), "{at:?}");
    }
    let calendar = "https://cloud.corp.example/dav/ana/personal/";
    let named = named("ana@gmx.de", "", "", calendar);
    let calendar = read(&named).unwrap().calendar.unwrap();
    assert_eq!(
        calendar,
        "https://ana%40gmx.de@cloud.corp.example/dav/ana/personal/"
    );
}

#[test]
fn what_cant_be_used_names_its_field() {
    use Field::{Calendar, Email, Imap, Password, Smtp, User};
    let good = || {
        named(
            "ana@corp.example",
            "imap.corp.example",
            "smtp.corp.example",
            "",
        )
    };
    let with = |change: fn(&mut Named)| {
        let mut named = good();
        change(&mut named);
        read(&named).unwrap_err()
    };
    type Change = fn(&mut Named);
    let cases: [(Change, Field); 20] = [
        (|n| n.email = "ana".into(), Email),
        (|n| n.email = "a b@corp.example".into(), Email),
        (|n| n.email = "ana@corp.example\r\nx".into(), Email),
        (|n| n.password = "".into(), Password),
        (|n| n.password = "a\r\nA1 LOGOUT".into(), Password),
        (|n| n.user = "ana\n".repeat(2), User),
        (|n| n.user = "a".repeat(600), User),
        (|n| n.imap = "imap.corp.example:143".into(), Imap),
        (|n| n.imap = "imap.corp.example:22".into(), Imap),
        (|n| n.imap = "imap.corp.example/x".into(), Imap),
        (|n| n.imap = "ben@imap.corp.example".into(), Imap),
        (|n| n.imap = "<script>".into(), Imap),
        (|n| n.smtp = "smtp.corp.example:25".into(), Smtp),
        (|n| n.smtp = "smtp.corp.example:993".into(), Smtp),
        (
            |n| n.calendar = "http://cloud.corp.example/c/".into(),
            Calendar,
        ),
        (
            |n| n.calendar = "https://cloud.corp.example:8443/c/".into(),
            Calendar,
        ),
        (
            |n| n.calendar = "https://cloud.corp.example/".into(),
            Calendar,
        ),
        (
            |n| n.calendar = "https://ben:x@cloud.corp.example/c/".into(),
            Calendar,
        ),
        (|n| n.calendar = "file:///etc/passwd".into(), Calendar),
        (|n| n.calendar = "cloud".into(), Calendar),
    ];
    for (change, field) in cases {
        assert_eq!(with(change), Untaken(field, Wrong::Unusable));
    }
    assert_eq!(with(|n| n.imap = " ".into()), Untaken(Imap, Wrong::Unknown));
    assert_eq!(
        with(|n| n.smtp = String::new()),
        Untaken(Smtp, Wrong::Unknown)
    );
}
