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
    alfred_testkit::cases::check(include_str!("server_cases.txt"), |typed| {
        let [email, user, imap, smtp] = typed.split('|').collect::<Vec<_>>()[..] else {
            panic!("{typed}")
        };
        let mut named = named(email, imap, smtp, "");
        named.user = user.to_owned();
        let at = read(&named).unwrap();
        format!("{} {}", at.imap, at.smtp)
    });
    for line in KNOWN.lines() {
        let cells: Vec<&str> = line.split([' ', ',']).collect();
        let at = read(&named(&format!("ana@{}", cells[0]), "", "", "")).unwrap();
        let [imap, smtp] = [cells.len() - 2, cells.len() - 1].map(|at| cells[at]);
        assert!(at.imap.ends_with(imap) && at.smtp.ends_with(smtp), "{at:?}");
    }
    let calendar = "https://cloud.corp.example/dav/ana/personal/";
    let named = named("ana@gmx.de", "", "", calendar);
    let calendar = read(&named).unwrap().calendar.unwrap();
    let expected = "https://ana%40gmx.de@cloud.corp.example/dav/ana/personal/";
    assert_eq!(calendar, expected);
}

/// The cases are lines of a field and its value; `\n` is a line break.
#[test]
fn what_cant_be_used_names_its_field() {
    let with = |field: &str, value: &str| {
        let (imap, smtp) = ("imap.corp.example", "smtp.corp.example");
        let mut named = named("ana@corp.example", imap, smtp, "");
        let value = value.replace("\\n", "\r\n");
        match field {
            "email" => named.email = value,
            "password" => named.password = value.into(),
            "user" => named.user = value,
            "imap" => named.imap = value,
            "smtp" => named.smtp = value,
            _ => named.calendar = value,
        }
        let Untaken(found, wrong) = read(&named).unwrap_err();
        assert_eq!(format!("{found:?}").to_lowercase(), field);
        wrong
    };
    for case in include_str!("unusable_cases.txt").lines() {
        let (field, value) = case.split_once(' ').unwrap_or((case, ""));
        assert_eq!(with(field, value), Wrong::Unusable, "{case}");
    }
    assert_eq!(with("user", &"a".repeat(600)), Wrong::Unusable);
    assert_eq!(with("imap", " "), Wrong::Unknown);
    assert_eq!(with("smtp", ""), Wrong::Unknown);
}
