//! Mails, and what is made of them.

use super::*;
use proptest::prelude::*;

pub(super) fn mail(from: &str, subject: &str, text: &str) -> MailFacts {
    MailFacts {
        from_address: from.into(),
        subject: subject.into(),
        text: text.into(),
        ..MailFacts::default()
    }
}

pub(super) fn listed(mut mail: MailFacts) -> MailFacts {
    mail.automated = true;
    mail
}

#[test]
fn categories_and_urgency_are_those_of_the_annex() {
    use MailCategory::{CanArchive, ImportantInfo, NeedsReply, PotentialTask};
    let person = "ann@example.org";
    for (from, subject, text, category, urgency) in [
        (person, "Lunch", "Shall we go at noon?", NeedsReply, 70),
        (person, "Offer", "Please let me know", NeedsReply, 70),
        (person, "URGENT: offer", "Can you call me", NeedsReply, 100),
        (person, "Slides", "The deadline is here", PotentialTask, 60),
        (person, "asap", "please prepare slides", PotentialTask, 90),
        (person, "FYI", "The door is fixed.", ImportantInfo, 40),
        (person, "Hello", "Nice weather.", ImportantInfo, 20),
        (person, "urgent", "Nice weather.", ImportantInfo, 50),
        ("no-reply@x.example", "Shoes", "Like them?", CanArchive, 0),
        ("newsletter@x.example", "Sale", "Buy now", CanArchive, 0),
    ] {
        let triage = categorize(&mail(from, subject, text));
        assert_eq!(triage.category, category, "{subject}");
        assert_eq!(triage.urgency_score, urgency, "{subject}");
    }
    let digest = categorize(&listed(mail(person, "Digest", "Ten posts")));
    assert_eq!((digest.category, digest.urgency_score), (CanArchive, 0));
}

#[test]
fn important_mail_of_machines_is_kept() {
    let machine = "no-reply@bank.example";
    for (subject, text) in [
        ("Security alert", "New sign-in from Mars"),
        ("Your invoice", "See attachment"),
        ("Urgent", "Sale"),
        ("Notice", "Act immediately"),
        ("Action required", "Renew your domain"),
        ("Mail", "Your password was changed"),
    ] {
        let triage = categorize(&mail(machine, subject, text));
        assert_ne!(triage.category, MailCategory::CanArchive, "{subject}");
        assert_ne!(triage.category, MailCategory::NeedsReply, "{subject}");
    }
    let known = MailFacts {
        known_sender: true,
        ..listed(mail("ann@example.org", "List", "Can you come?"))
    };
    assert_eq!(categorize(&known).category, MailCategory::NeedsReply);
}

#[test]
fn only_the_senders_own_words_count() {
    let quoting = "Done.\n\nOn Mon, Ann wrote:\n> Can you do it? It's urgent, deadline today";
    let triage = categorize(&mail("bob@example.org", "Re: it", quoting));
    assert_eq!(triage.category, MailCategory::ImportantInfo);
    assert_eq!(triage.urgency_score, 20);
    let link = "Look: https://example.org/?q=1 and www.example.org/a?";
    assert_eq!(
        categorize(&mail("bob@example.org", "Link", link)).reasons,
        [Reason::NothingFound]
    );
    let inside = "Procedures overdue is one word: redue, todos.";
    assert_ne!(
        categorize(&mail("bob@example.org", "x", inside)).category,
        MailCategory::PotentialTask
    );
}

#[test]
fn addresses_of_machines() {
    let archived =
        |address: &str| categorize(&mail(address, "x", "y")).category == MailCategory::CanArchive;
    for address in [
        "noreply@x.org",
        "No-Reply@x.org",
        "do-not-reply@x.org",
        "notifications@github.com",
        "bounces+123@x.org",
        "order-noreply@x.org",
        "team-newsletter@x.org",
        "mailer-daemon@x.org",
    ] {
        assert!(archived(address), "{address}");
    }
    for address in [
        "noreen@x.org",
        "news.desk.ann@x.org",
        "ann@noreply.org",
        "updater@x.org",
        "",
        "@",
    ] {
        assert!(!archived(address), "{address}");
    }
}

#[test]
fn more_signs_are_surer_and_reasons_are_named() {
    let sure = |text: &str| categorize(&mail("ann@example.org", "x", text));
    let (two, one) = (sure("Can you come?"), sure("Come?"));
    assert!(two.confidence > one.confidence);
    assert!(sure("Nothing.").confidence < one.confidence);
    assert!(sure("Can you come? FYI the deadline is now").confidence < two.confidence);
    let words: Vec<String> = two.reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        ["it asks a question", "it asks for an answer (\"can you\")"]
    );
    assert_eq!(two.suggested_action.to_string(), "Draft a reply.");
}

#[test]
fn a_task_out_of_a_mail() {
    for (subject, text, title, minutes) in [
        ("Re: Fwd: Budget 2027", "Numbers below.", "Budget 2027", 30),
        (
            "AW: Treffen",
            "Hi Bob,\nplease prepare the room plan. Thanks",
            "Prepare the room plan",
            30,
        ),
        (
            "Hi",
            "Hello Ann, could you please send me the contract?",
            "Send me the contract",
            30,
        ),
        ("Quick one", "Can you sign the form", "Sign the form", 15),
        ("Asap", "We need to fix the roof!", "Fix the roof", 60),
        (
            "Review",
            "Action item: review the draft",
            "Review the draft",
            45,
        ),
        (
            "Project sync",
            "The meeting is on Monday",
            "Project sync",
            45,
        ),
        ("Re[2]: RE: x: y", "", "x: y", 30),
        ("", "", "Answer an e-mail", 30),
        ("Hi", "Thanks\n> please send money", "Hi", 30),
        ("Hi", "Please", "Hi", 30),
    ] {
        let task = extract_task(&mail("ann@example.org", subject, text));
        assert_eq!(task.title.as_str(), title, "{subject}");
        assert_eq!(task.estimated_minutes, minutes, "{subject}");
    }
    let long = format!("please {}", "word ".repeat(30));
    let task = extract_task(&mail("ann@example.org", "Subject", &long));
    assert_eq!(task.title, "Subject");
}

proptest! {
    #[test]
    fn nothing_is_archived_without_a_sign_of_automation(
        subject in "\\PC{0,40}", text in "\\PC{0,200}", local in "[a-z]{1,8}", known in any::<bool>(),
    ) {
        let person = MailFacts {
            known_sender: known,
            ..mail(&format!("person.{local}@example.org"), &subject, &text)
        };
        let triage = categorize(&person);
        prop_assert_ne!(triage.category, MailCategory::CanArchive);
        prop_assert!(triage.confidence <= 100 && triage.urgency_score <= 100);
        prop_assert!(!triage.reasons.is_empty());
    }

    #[test]
    fn urgent_mail_is_never_archived(
        text in "[a-z ?!.]{0,60}", list in any::<bool>(),
        word in prop::sample::select(vec!["urgent", "ASAP", "Emergency", "time-sensitive"]),
        in_subject in any::<bool>(),
    ) {
        let (subject, text) = if in_subject { (word.to_owned(), text) } else { (String::new(), format!("{word} {text}")) };
        let mut mail = mail("no-reply@example.org", &subject, &text);
        mail.automated = list;
        prop_assert_ne!(categorize(&mail).category, MailCategory::CanArchive);
    }

    #[test]
    fn titles_are_short_and_never_empty(subject in "\\PC{0,300}", text in "\\PC{0,300}") {
        let task = extract_task(&mail("ann@example.org", &subject, &text));
        prop_assert!(!task.title.trim().is_empty() && task.title.chars().count() <= 210);
        prop_assert!([15, 30, 45, 60].contains(&task.estimated_minutes));
    }
}
