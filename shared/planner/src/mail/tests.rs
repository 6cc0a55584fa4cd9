use super::deadline::deadline;
use super::phrases::List;
use super::*;
use crate::tests::{SATURDAY, check};
use crate::whole_words::contains_words;
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use std::collections::HashSet;

fn mail(subject: &str, text: &str) -> MailFacts {
    MailFacts {
        from_address: "ann@example.org".into(),
        sender: "Ann".into(),
        subject: subject.into(),
        text: text.into(),
        received: SATURDAY,
        today: SATURDAY,
        ..MailFacts::default()
    }
}

/// From 81 on, mail is urgent. Phishing is never urgent nor archived.
#[test]
fn mails_have_their_categories_and_urgency() {
    check("mails", |[facts, subject, text, later]| {
        let mut facts = facts.split(' ');
        let from = facts.next().unwrap().replace("person", "ann@example.org");
        let facts: Vec<&str> = facts.collect();
        let plain = mail(subject, &text.replace("\\n", "\n"));
        let later = later.parse::<i64>().unwrap().days();
        let mail = MailFacts {
            from_address: from,
            automated: facts.contains(&"list"),
            known_sender: facts.contains(&"known"),
            borrowed_name: facts.contains(&"borrowed-name"),
            disguised_link: facts.contains(&"disguised-link"),
            answers_elsewhere: facts.contains(&"answers-elsewhere"),
            today: plain.today + later,
            ..plain
        };
        let triage = categorize(&mail);
        let mut found = format!("{} {}", triage.category, triage.urgency_score);
        if !triage.phishing.is_empty() {
            found += ", phishing";
        }
        found
    });
}

#[test]
fn more_signs_are_surer_and_reasons_are_named() {
    check("more signs are surer and reasons are named", |[text]| {
        let found = categorize(&mail("x", text));
        let (sure, action) = (found.confidence, found.suggested_action);
        format!("{sure} {action} {}", found.reasons.join(", "))
    });
}

#[test]
fn no_words_hide_what_is_urgent() {
    let audit = "Please send the documents for the audit by Monday.";
    let urgent = categorize(&mail("Audit", audit));
    check("no words hide what is urgent", |[words]| {
        let body = categorize(&mail("Audit", &format!("{words}\n{audit}")));
        let subject = categorize(&mail(&format!("Audit: {words}"), audit));
        let least = body.urgency_score.min(subject.urgency_score);
        (least >= urgent.urgency_score && body.category == urgent.category).to_string()
    });
}

#[test]
fn a_task_is_read_out_of_a_mail() {
    check("a task is read out of a mail", |[facts, subject, text]| {
        let plain = mail(subject, &text.replace("\\n", "\n"));
        let automated = facts == "list";
        let task = extract_task(&MailFacts { automated, ..plain });
        let due = task.due.map(|due| format!(", due {due}"));
        let (title, minutes) = (task.title, task.estimated_minutes);
        format!("{title}, {minutes} min{}", due.unwrap_or_default())
    });
}

#[test]
fn quotes_and_signatures_are_not_the_senders_words() {
    check("own words of a mail", |[text]| {
        own_words(&text.replace("\\n", "\n")).replace('\n', "\\n")
    });
}

#[test]
fn dates_after_a_word_such_as_by_are_deadlines() {
    check("dates after a word such as by are deadlines", |[text]| {
        let found = deadline(text, SATURDAY).map(|date| date.to_string());
        found.unwrap_or_default()
    });
}

#[test]
fn the_largest_sender_comes_first_and_case_does_not_matter() {
    check("senders by count", |[least, mails]| {
        let mails = mails.split(", ").filter_map(|mail| mail.split_once(' '));
        let groups = group_by_sender(mails, least.parse().unwrap()).into_iter();
        let text = |g: SenderGroup| format!("{} {} {}", g.sender, g.count, g.email_ids.join(" "));
        groups.map(text).collect::<Vec<_>>().join("; ")
    });
}

#[test]
fn every_phrase_can_be_found() {
    for list in List::ALL {
        let mut seen = HashSet::new();
        for phrase in list.phrases() {
            assert!(contains_words(&format!("({phrase}) "), phrase), "{phrase}");
            let is_plain = phrase.to_lowercase() == *phrase && !phrase.contains("  ");
            assert!(is_plain && seen.insert(phrase), "{list}: {phrase}");
        }
        assert!(!seen.is_empty(), "{list}");
    }
    assert_eq!(List::Months.phrases().len(), 12);
    assert_eq!(List::Weekdays.position("sonntag"), Some(6));
}

proptest! {
    #[test]
    fn any_text_may_have_a_deadline(
        text in "(by|due|bis|\\PC{0,9}| |[0-9]{1,5}|[.-]){0,20}", days in -600_000_i32..2_000_000,
    ) {
        deadline(&text.to_lowercase(), date(2026, 1, 1).saturating_add(days.days()));
    }

    #[test]
    fn nothing_is_archived_without_a_sign_of_automation(
        subject in "\\PC{0,40}", text in "\\PC{0,200}", local in "[a-z]{1,8}", known in any::<bool>(),
    ) {
        let person = MailFacts {
            from_address: format!("person.{local}@example.org"),
            known_sender: known,
            ..mail(&subject, &text)
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
        let text = format!("{word} {text}");
        let (subject, text) = if in_subject { (&*text, "") } else { ("", &*text) };
        let mut mail = mail(subject, text);
        mail.from_address = "no-reply@example.org".into();
        mail.automated = list;
        prop_assert_ne!(categorize(&mail).category, MailCategory::CanArchive);
    }

    #[test]
    fn titles_are_short_and_never_empty(subject in "\\PC{0,300}", text in "\\PC{0,300}") {
        let task = extract_task(&mail(&subject, &text));
        prop_assert!(!task.title.trim().is_empty() && task.title.chars().count() <= 210);
        prop_assert!([15, 30, 45, 60].contains(&task.estimated_minutes));
    }
}
