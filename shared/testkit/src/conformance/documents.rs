//! What every side of `Documents` must do.

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Document, DocumentChange, DocumentSummary, Documents,
    Edit,
};
use std::sync::Arc;

use super::{not_connected, refused, unique};

/// Makes a test of each function of this suite; the argument makes a [`DocumentsUnderTest`].
#[macro_export]
macro_rules! documents_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            documents,
            $fixture,
            [
                the_last_changed_come_first_and_words_select,
                a_document_is_read_whole,
                an_unknown_document_is_nothing,
                what_is_created_is_found_and_read,
                creating_again_under_a_key_creates_nothing,
                a_change_is_read_and_another_revision,
                changing_again_under_a_key_changes_nothing,
                changing_at_once_under_a_key_changes_once,
                a_stale_revision_is_refused,
                a_passage_that_isnt_there_once_is_refused,
                whoever_has_connected_nothing_is_told_so,
            ]
        );
    };
}

/// Documents to put to the test, fresh for each.
pub trait DocumentsUnderTest: Send + Sync {
    /// The port.
    fn documents(&self) -> Arc<dyn Documents>;
    /// Whose documents are [`given`] and nothing else.
    fn account(&self) -> Account;
    /// Somebody who has connected nothing.
    fn stranger(&self) -> Account;
}

/// What there must be. The ids are the provider's to choose; titles tell them apart.
pub fn given() -> Vec<Document> {
    let document = |title: &str, modified: &str, text: &str| Document {
        summary: DocumentSummary {
            id: title.into(),
            title: title.into(),
            modified: modified.parse().unwrap(),
        },
        text: text.into(),
        truncated: false,
        revision: "1".into(),
        may_edit: true,
        link: None,
    };
    vec![
        document(
            "Table plans",
            "2026-11-20T08:00:00Z",
            "# Table plans\n\n- oak: five\n- ash: five\n\nGrüße aus Malmö",
        ),
        document("Größe der Tische", "2026-11-21T08:00:00Z", "90 cm\n"),
        document("Old notes", "2026-10-01T12:00:00Z", "Nothing new.\n"),
    ]
}

async fn titles(fixture: &impl DocumentsUnderTest, words: &[&str], limit: usize) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
    let found = fixture.documents();
    let found = found.find(&fixture.account(), &words, limit).await.unwrap();
    found.into_iter().map(|one| one.title).collect()
}

async fn named(fixture: &impl DocumentsUnderTest, title: &str) -> Document {
    let (port, account) = (fixture.documents(), fixture.account());
    let found = port.find(&account, &[title.into()], 10).await.unwrap();
    let id = &found.first().unwrap_or_else(|| panic!("no {title}")).id;
    port.read(&account, id).await.unwrap().unwrap()
}

async fn read(fixture: &impl DocumentsUnderTest, id: &DocumentId) -> Document {
    let read = fixture.documents().read(&fixture.account(), id).await;
    read.unwrap().unwrap()
}

fn change(document: &Document, edit: Edit) -> DocumentChange {
    DocumentChange {
        edit,
        revision: document.revision.clone(),
    }
}

fn replace(old: &str, new: &str) -> Edit {
    Edit::Replace {
        old: old.into(),
        new: new.into(),
    }
}

/// Whatever their case, and so many at most.
pub async fn the_last_changed_come_first_and_words_select(fixture: &impl DocumentsUnderTest) {
    let all = ["Größe der Tische", "Table plans", "Old notes"];
    let cases: [(&[&str], usize, &[&str]); 6] = [
        (&[], 100, &all),
        (&[], 2, &all[..2]),
        (&[], 0, &all[..1]),
        (&["PLANS", "table"], 100, &["Table plans"]),
        (&["größe"], 100, &["Größe der Tische"]),
        (&["table", "notes"], 100, &[]),
    ];
    for (words, limit, expected) in cases {
        assert_eq!(titles(fixture, words, limit).await, expected, "{words:?}");
    }
}

/// To the last letter.
pub async fn a_document_is_read_whole(fixture: &impl DocumentsUnderTest) {
    for given in given() {
        let read = named(fixture, &given.summary.title).await;
        assert_eq!(read.text, given.text);
        assert_eq!(read.summary.modified, given.summary.modified);
        assert!(read.may_edit && !read.truncated && !read.revision.is_empty());
    }
}

/// Whatever is asked of it, and however it is named.
pub async fn an_unknown_document_is_nothing(fixture: &impl DocumentsUnderTest) {
    let (port, account) = (fixture.documents(), fixture.account());
    let plans = named(fixture, "Table plans").await;
    for id in [
        "",
        ".",
        "..",
        "../secret.md",
        "/etc/passwd",
        "nowhere",
        "\0",
    ]
    .map(DocumentId::from)
    {
        assert_eq!(port.read(&account, &id).await.unwrap(), None, "{id}");
        let to = change(&plans, Edit::Append("x".into()));
        refused(port.change(&account, &id, &to, &unique()).await);
        assert_eq!(port.find_changed(&account, &id, "k").await.unwrap(), None);
    }
}

/// Under its title, by its key, and first.
pub async fn what_is_created_is_found_and_read(fixture: &impl DocumentsUnderTest) {
    let (port, account, key) = (fixture.documents(), fixture.account(), unique());
    assert_eq!(port.find_created(&account, &key).await.unwrap(), None);
    let text = "# Agenda\n\n1. fünf Tische\n";
    let made = port.create(&account, "Agenda", text, &key).await.unwrap();
    assert_eq!((&*made.summary.title, &*made.text), ("Agenda", text));
    assert!(made.may_edit);
    assert_eq!(read(fixture, &made.summary.id).await, made);
    let found = port.find_created(&account, &key).await.unwrap();
    assert_eq!(found.as_ref(), Some(&made));
    assert_eq!(titles(fixture, &["agenda"], 10).await, ["Agenda"]);
    for title in ["", " \n"] {
        let key = unique();
        refused(port.create(&account, title, "x", &key).await);
        assert_eq!(port.find_created(&account, &key).await.unwrap(), None);
    }
}

/// It gives what there is by now; under another key it makes another one of the same name.
pub async fn creating_again_under_a_key_creates_nothing(fixture: &impl DocumentsUnderTest) {
    let (port, account, key) = (fixture.documents(), fixture.account(), unique());
    let create = |text: &'static str| port.create(&account, "Agenda", text, &key);
    let (a, b) = tokio::join!(create("one"), create("one"));
    let made = a.unwrap();
    assert_eq!(b.unwrap().summary.id, made.summary.id);
    let more = change(&made, Edit::Append("two".into()));
    let id = &made.summary.id;
    port.change(&account, id, &more, &unique()).await.unwrap();
    let again = create("other").await.unwrap();
    assert_eq!((&again.summary.id, &*again.text), (id, "one\ntwo"));
    let other = port.create(&account, "Agenda", "three", &unique()).await;
    assert_ne!(other.unwrap().summary.id, made.summary.id);
}

/// What the port gives is what is there.
pub async fn a_change_is_read_and_another_revision(fixture: &impl DocumentsUnderTest) {
    let (port, account) = (fixture.documents(), fixture.account());
    let before = named(fixture, "Table plans").await;
    let id = &before.summary.id;
    let first = change(&before, replace("- ash: five\n", "- ash: six\n"));
    let first = port.change(&account, id, &first, &unique()).await.unwrap();
    assert_eq!(read(fixture, id).await, first);
    assert_ne!(first.revision, before.revision);
    let second = change(&first, Edit::Append("\n= Ana".into()));
    port.change(&account, id, &second, &unique()).await.unwrap();
    let expected = "# Table plans\n\n- oak: five\n- ash: six\n\nGrüße aus Malmö\n\n= Ana";
    assert_eq!(read(fixture, id).await.text, expected);
    assert_eq!(read(fixture, id).await.summary.id, *id);
}

/// Also when its revision is gone, or the text was changed since.
pub async fn changing_again_under_a_key_changes_nothing(fixture: &impl DocumentsUnderTest) {
    let (port, account, key) = (fixture.documents(), fixture.account(), unique());
    let before = named(fixture, "Old notes").await;
    let id = &before.summary.id;
    let more = change(&before, Edit::Append("More.\n".into()));
    assert_eq!(port.find_changed(&account, id, &key).await.unwrap(), None);
    let first = port.change(&account, id, &more, &key).await.unwrap();
    let again = port.change(&account, id, &more, &key).await.unwrap();
    assert_eq!(again, first);
    let other = change(&first, Edit::Append("Yet more.\n".into()));
    port.change(&account, id, &other, &unique()).await.unwrap();
    let now = port.change(&account, id, &more, &key).await.unwrap();
    assert_eq!(now.text, "Nothing new.\nMore.\nYet more.\n");
    let found = port.find_changed(&account, id, &key).await.unwrap();
    assert_eq!(found, Some(now));
}

/// All of them are told of it.
pub async fn changing_at_once_under_a_key_changes_once(fixture: &impl DocumentsUnderTest) {
    let (port, account, key) = (fixture.documents(), fixture.account(), unique());
    let before = named(fixture, "Old notes").await;
    let id = &before.summary.id;
    let more = change(&before, Edit::Append("More.\n".into()));
    let append = || port.change(&account, id, &more, &key);
    let (a, b, c, d) = tokio::join!(append(), append(), append(), append());
    for document in [a, b, c, d] {
        assert_eq!(document.unwrap().text, "Nothing new.\nMore.\n");
    }
}

/// And nothing is done.
pub async fn a_stale_revision_is_refused(fixture: &impl DocumentsUnderTest) {
    let (port, account, key) = (fixture.documents(), fixture.account(), unique());
    let before = named(fixture, "Old notes").await;
    let id = &before.summary.id;
    let more = change(&before, Edit::Append("More.\n".into()));
    let now = port.change(&account, id, &more, &unique()).await.unwrap();
    let stale = change(&before, replace("Nothing", "Something"));
    refused(port.change(&account, id, &stale, &key).await);
    assert_eq!(port.find_changed(&account, id, &key).await.unwrap(), None);
    assert_eq!(read(fixture, id).await, now);
}

/// Nor is one that is there twice replaced, or nothing added.
pub async fn a_passage_that_isnt_there_once_is_refused(fixture: &impl DocumentsUnderTest) {
    let (port, account) = (fixture.documents(), fixture.account());
    let before = named(fixture, "Table plans").await;
    let id = &before.summary.id;
    let none = [
        replace("five", "six"),
        replace("beech", "oak"),
        replace("", "x"),
        Edit::Append(" \n".into()),
    ];
    for edit in none {
        let key = unique();
        let change = change(&before, edit);
        refused(port.change(&account, id, &change, &key).await);
        assert_eq!(port.find_changed(&account, id, &key).await.unwrap(), None);
    }
    assert_eq!(read(fixture, id).await, before);
}

/// By every call; never with somebody else's documents.
pub async fn whoever_has_connected_nothing_is_told_so(fixture: &impl DocumentsUnderTest) {
    let (port, nobody) = (fixture.documents(), fixture.stranger());
    let plans = named(fixture, "Table plans").await;
    let (id, more) = (&plans.summary.id, change(&plans, Edit::Append("x".into())));
    let told: [Option<AccountError>; 6] = [
        port.find(&nobody, &[], 10).await.err(),
        port.read(&nobody, id).await.err(),
        port.create(&nobody, "No", "x", "k").await.err(),
        port.find_created(&nobody, "k").await.err(),
        port.change(&nobody, id, &more, "k").await.err(),
        port.find_changed(&nobody, id, "k").await.err(),
    ];
    for error in told {
        not_connected(error, AccountService::Documents);
    }
    assert_eq!(read(fixture, id).await, plans);
}
