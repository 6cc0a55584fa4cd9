//! What every side of `Mail` must do.

use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountService, DraftRef, Mail, MailMessage, MailQuery, MailStatus, MailSummary, Total,
};
use std::sync::Arc;

use super::{not_connected, refused};

mod drafts;
mod given;
mod sending;

pub use drafts::{
    a_draft_is_kept_once_for_its_key_and_reaches_nobody, a_draft_to_nobody_is_refused,
    only_a_draft_as_it_was_kept_is_discarded,
};
pub use given::{LIST_UNSUBSCRIBE, mails, of_a_list, owner, rfc5322};
use sending::draft;
pub use sending::{
    a_mail_to_nobody_is_refused, a_subject_is_never_a_header,
    sending_again_under_a_key_sends_nothing, sending_at_once_under_a_key_sends_one,
    what_is_in_a_file_is_given_and_sent_byte_by_byte,
    what_was_sent_is_found_read_and_not_in_the_inbox,
};

/// Makes a test of each function of this suite; the argument makes a [`MailUnderTest`].
#[macro_export]
macro_rules! mail_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            mail,
            $fixture,
            [
                the_address_is_the_owners,
                the_newest_come_first_and_archived_ones_stay_away,
                pages_hold_each_mail_once,
                states_words_senders_and_times_select,
                a_cursor_of_no_list_is_refused,
                a_whole_mail_is_read_and_stays_as_it_is,
                envelopes_by_id_are_those_of_the_list,
                what_is_in_a_file_is_given_and_sent_byte_by_byte,
                an_unknown_mail_is_nothing,
                a_state_is_kept_and_the_one_before_is_told,
                many_states_are_set_at_once,
                what_was_sent_is_found_read_and_not_in_the_inbox,
                sending_again_under_a_key_sends_nothing,
                sending_at_once_under_a_key_sends_one,
                a_subject_is_never_a_header,
                a_mail_to_nobody_is_refused,
                a_draft_is_kept_once_for_its_key_and_reaches_nobody,
                only_a_draft_as_it_was_kept_is_discarded,
                a_draft_to_nobody_is_refused,
                whoever_has_connected_nothing_is_told_so,
            ]
        );
    };
}

/// A mailbox to put to the test, fresh for each.
pub trait MailUnderTest: Send + Sync {
    /// The port.
    fn mail(&self) -> Arc<dyn Mail>;
    /// Whose mailbox holds [`mails`] and nothing else.
    fn account(&self) -> Account;
    /// Somebody who has connected nothing.
    fn stranger(&self) -> Account;
}

fn all() -> MailQuery {
    MailQuery {
        limit: 100,
        ..MailQuery::default()
    }
}

fn everywhere() -> MailQuery {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    MailQuery {
        status: vec![Unread, Read, Archived, Backlog, Processed],
        ..all()
    }
}

async fn listed(fixture: &impl MailUnderTest, query: &MailQuery) -> Vec<MailSummary> {
    let page = fixture.mail().list(&fixture.account(), query).await;
    let page = page.unwrap();
    assert_eq!(page.unreadable, []);
    page.mails
}

async fn subjects(fixture: &impl MailUnderTest, query: &MailQuery) -> Vec<String> {
    let mails = listed(fixture, query).await.into_iter();
    mails.map(|mail| mail.subject).collect()
}

async fn named(fixture: &impl MailUnderTest, subject: &str) -> MailSummary {
    let mails = listed(fixture, &everywhere()).await;
    let found = mails.into_iter().find(|mail| mail.subject == subject);
    found.unwrap_or_else(|| panic!("no {subject}"))
}

/// Mail is sent from it.
pub async fn the_address_is_the_owners(fixture: &impl MailUnderTest) {
    let mailbox = fixture.mail().address(&fixture.account()).await.unwrap();
    assert_eq!(mailbox.address, owner().address);
}

/// Without a state asked for, everything but what was archived.
pub async fn the_newest_come_first_and_archived_ones_stay_away(fixture: &impl MailUnderTest) {
    let mails = listed(fixture, &all()).await;
    let mut expected: Vec<_> = mails_without_ids().into_iter().collect();
    expected.retain(|mail| mail.status != MailStatus::Archived);
    expected.sort_by_key(|mail| std::cmp::Reverse(mail.received_at));
    let mut ids: Vec<_> = mails.iter().map(|mail| mail.id.clone()).collect();
    let without: Vec<_> = mails.into_iter().map(without_id).collect();
    assert_eq!(without, expected);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), expected.len());
}

fn mails_without_ids() -> Vec<MailSummary> {
    let mails = mails().into_iter();
    mails.map(|mail| without_id(mail.summary)).collect()
}

fn without_id(mail: MailSummary) -> MailSummary {
    MailSummary {
        id: "".into(),
        ..mail
    }
}

/// Whatever their size; the total is that of all pages, and estimated only where there are several.
pub async fn pages_hold_each_mail_once(fixture: &impl MailUnderTest) {
    let whole = subjects(fixture, &everywhere()).await;
    assert_eq!(whole.len(), mails().len());
    for limit in 1..=whole.len() + 1 {
        let mut query = MailQuery {
            limit,
            ..everywhere()
        };
        let mut seen = Vec::new();
        loop {
            let page = fixture.mail().list(&fixture.account(), &query).await;
            let page = page.unwrap();
            match page.total {
                Total::Exact(total) => assert_eq!(total, whole.len()),
                Total::About(_) => assert!(query.cursor.is_some() || page.next.is_some()),
            }
            assert!(page.mails.len() <= limit);
            seen.extend(page.mails.into_iter().map(|mail| mail.subject));
            query.cursor = page.next;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, whole, "{limit} a page");
    }
}

/// Each of them, and together.
pub async fn states_words_senders_and_times_select(fixture: &impl MailUnderTest) {
    let cases: [(MailQuery, &[&str]); 9] = [
        (by_status(MailStatus::Archived), &["Old plans"]),
        (by_status(MailStatus::Read), &["Größe der Tische – Entwurf"]),
        (by_words(&["NUMBERS", "budget"]), &["Budget for the spring"]),
        (by_words(&["größe"]), &["Größe der Tische – Entwurf"]),
        (by_words(&["numbers", "tables"]), &[]),
        (by_sender("ben@example.com"), &["Budget for the spring"]),
        (
            by_sender("Example.com"),
            &["Lunch?", "Budget for the spring"],
        ),
        (by_sender("tanaka"), &["Lunch?"]),
        (
            MailQuery {
                since: Some("2026-11-20T09:30:00Z".parse().unwrap()),
                ..all()
            },
            &["Lunch?", "Budget for the spring"],
        ),
    ];
    for (query, expected) in cases {
        assert_eq!(subjects(fixture, &query).await, expected, "{query:?}");
    }
}

fn by_status(status: MailStatus) -> MailQuery {
    MailQuery {
        status: vec![status],
        ..all()
    }
}

fn by_words(words: &[&str]) -> MailQuery {
    MailQuery {
        words: words.iter().map(|&word| word.into()).collect(),
        ..all()
    }
}

fn by_sender(from: &str) -> MailQuery {
    MailQuery {
        from: Some(from.into()),
        ..all()
    }
}

/// It isn't taken for the first page.
pub async fn a_cursor_of_no_list_is_refused(fixture: &impl MailUnderTest) {
    let query = MailQuery {
        cursor: Some("not a cursor".into()),
        ..all()
    };
    let page = fixture.mail().list(&fixture.account(), &query).await;
    refused(page);
}

/// Text, copies, files, and what an answer needs.
pub async fn a_whole_mail_is_read_and_stays_as_it_is(fixture: &impl MailUnderTest) {
    for expected in mails() {
        let summary = named(fixture, &expected.summary.subject).await;
        let read = fixture.mail().read(&fixture.account(), &summary.id).await;
        let read = read.unwrap().unwrap();
        let expected = MailMessage {
            summary: summary.clone(),
            ..expected
        };
        assert_eq!(read.text.trim_end(), expected.text);
        assert_eq!(
            MailMessage {
                text: expected.text.clone(),
                ..read
            },
            expected
        );
        assert_eq!(named(fixture, &summary.subject).await, summary);
    }
}

/// In the order of the ids, whatever the state; nothing for an id that is nobody's.
pub async fn envelopes_by_id_are_those_of_the_list(fixture: &impl MailUnderTest) {
    let mut expected = Vec::new();
    for mail in listed(fixture, &everywhere()).await.into_iter().rev() {
        expected.extend([Some(mail), None]);
    }
    let id = |mail: &Option<MailSummary>| match mail {
        Some(mail) => mail.id.clone(),
        None => "nowhere".into(),
    };
    let ids: Vec<MailId> = expected.iter().map(id).collect();
    let found = fixture.mail().summaries(&fixture.account(), &ids).await;
    assert_eq!(found.unwrap(), expected);
}

/// Neither read nor changed.
pub async fn an_unknown_mail_is_nothing(fixture: &impl MailUnderTest) {
    let (mail, account) = (fixture.mail(), fixture.account());
    for id in ["nowhere", "../inbox", ""] {
        let id = MailId::from(id);
        assert_eq!(mail.read(&account, &id).await.unwrap(), None);
        let set = mail.set_status(&account, &id, MailStatus::Archived);
        assert_eq!(set.await.unwrap(), None);
    }
}

/// From each state into each other; the id stays.
pub async fn a_state_is_kept_and_the_one_before_is_told(fixture: &impl MailUnderTest) {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let (mail, account) = (fixture.mail(), fixture.account());
    let first = named(fixture, "Lunch?").await;
    let mut before = first.status;
    for next in [
        Archived, Archived, Backlog, Processed, Archived, Unread, Backlog, Read, Archived, Read,
        Processed, Unread, Unread,
    ] {
        let told = mail.set_status(&account, &first.id, next).await.unwrap();
        assert_eq!(told, Some(before), "on the way to {next:?}");
        let expected = MailSummary {
            status: next,
            ..first.clone()
        };
        assert_eq!(named(fixture, "Lunch?").await, expected);
        let read = mail.read(&account, &first.id).await.unwrap().unwrap();
        assert_eq!(read.summary, expected);
        let default = subjects(fixture, &all()).await;
        assert_eq!(default.contains(&"Lunch?".to_owned()), next != Archived);
        before = next;
    }
}

/// Each is told as what it was; one that is nobody's is nothing, and the others don't mind.
pub async fn many_states_are_set_at_once(fixture: &impl MailUnderTest) {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let (mail, account) = (fixture.mail(), fixture.account());
    // Named often enough, they are many to every provider.
    for (times, next) in [
        (1, Backlog),
        (3, Archived),
        (3, Processed),
        (3, Unread),
        (1, Read),
    ] {
        let before = listed(fixture, &everywhere()).await;
        let ids = before
            .iter()
            .flat_map(|mail| [mail.id.clone(), "no".into()]);
        let ids: Vec<MailId> = ids.collect();
        let ids = vec![ids; times].concat();
        let told = mail.set_statuses(&account, &ids, next).await.unwrap();
        assert_eq!(told.len(), ids.len());
        let told: Vec<_> = told.into_iter().map(Result::unwrap).collect();
        let expected = before.iter().flat_map(|mail| [Some(mail.status), None]);
        let first = &told[..2 * before.len()];
        assert_eq!(
            first,
            expected.collect::<Vec<_>>(),
            "on the way to {next:?}"
        );
        for mail in listed(fixture, &everywhere()).await {
            assert_eq!(mail.status, next, "{}", mail.subject);
        }
    }
    let none = mail.set_statuses(&account, &[], Read).await;
    assert!(none.unwrap().is_empty());
}

/// By every call; never with somebody else's mail.
pub async fn whoever_has_connected_nothing_is_told_so(fixture: &impl MailUnderTest) {
    let (mail, nobody) = (fixture.mail(), fixture.stranger());
    let id = named(fixture, "Lunch?").await.id;
    let none = DraftRef {
        id: "d".into(),
        version: "0".into(),
    };
    let told = [
        mail.address(&nobody).await.err(),
        mail.list(&nobody, &all()).await.err(),
        mail.read(&nobody, &id).await.err(),
        mail.attachment(&nobody, &id, 0).await.err(),
        mail.set_status(&nobody, &id, MailStatus::Archived)
            .await
            .err(),
        mail.send(&nobody, &draft("No"), "k").await.err(),
        mail.find_sent(&nobody, "k").await.err(),
        mail.save_draft(&nobody, &draft("No"), "k").await.err(),
        mail.discard_draft(&nobody, &none).await.err(),
    ];
    for error in told {
        not_connected(error, AccountService::Mail);
    }
    let many = vec![id; 12];
    match mail
        .set_statuses(&nobody, &many, MailStatus::Archived)
        .await
    {
        Ok(each) => {
            for set in each {
                not_connected(set.err(), AccountService::Mail);
            }
        }
        all => not_connected(all.err(), AccountService::Mail),
    }
    assert_eq!(named(fixture, "Lunch?").await.status, MailStatus::Unread);
}
