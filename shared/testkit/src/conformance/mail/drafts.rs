//! Drafts that wait for their owner.

use alfred_core::ports::{Discarded, DraftRef, MailQuery, OutgoingFile};

use super::super::{refused, unique};
use super::sending::draft;
use super::{MailUnderTest, all, everywhere, listed, mails};

/// Nobody gets it: it is neither among the mails that arrived nor among those that were sent.
pub async fn a_draft_is_kept_once_for_its_key_and_reaches_nobody(fixture: &impl MailUnderTest) {
    let (mail, account, key) = (fixture.mail(), fixture.account(), unique());
    let first = mail.save_draft(&account, &draft("First"), &key).await;
    let first = first.unwrap();
    let (one, two) = (draft("Other"), draft("First"));
    let (a, b) = tokio::join!(
        mail.save_draft(&account, &one, &key),
        mail.save_draft(&account, &two, &key),
    );
    assert_eq!([a.unwrap(), b.unwrap()], [first.clone(), first.clone()]);
    let second = mail.save_draft(&account, &draft("First"), &unique()).await;
    assert_ne!(second.unwrap().id, first.id);
    assert_eq!(mail.find_sent(&account, &key).await.unwrap(), None);
    assert_eq!(listed(fixture, &everywhere()).await.len(), mails().len());
    let sent = MailQuery {
        sent: true,
        ..all()
    };
    assert_eq!(listed(fixture, &sent).await, []);
    // The key of a draft is none of a mail that is sent.
    let sent = mail.send(&account, &draft("Sent"), &key).await.unwrap();
    assert_eq!(
        mail.find_sent(&account, &key).await.unwrap().as_ref(),
        Some(&sent)
    );
}

/// Once, with its files; one of another version is somebody's work, and what is no draft is gone.
pub async fn only_a_draft_as_it_was_kept_is_discarded(fixture: &impl MailUnderTest) {
    let (mail, account, key) = (fixture.mail(), fixture.account(), unique());
    let mut whole = draft("Kept");
    whole.files = vec![OutgoingFile {
        name: "größer.csv".into(),
        content_type: "text/csv".into(),
        content: b"Ana;3".to_vec(),
    }];
    let kept = mail.save_draft(&account, &whole, &key).await;
    let kept = kept.unwrap();
    let edited = DraftRef {
        version: format!("{}0", kept.version),
        ..kept.clone()
    };
    let discard = async |draft: &DraftRef| mail.discard_draft(&account, draft).await.unwrap();
    assert_eq!(discard(&edited).await, Discarded::Edited);
    assert_eq!(discard(&kept).await, Discarded::Deleted);
    assert_eq!(discard(&kept).await, Discarded::Gone);
    for id in ["", "nowhere", "../inbox/1"] {
        let none = DraftRef {
            id: id.into(),
            version: String::new(),
        };
        assert_eq!(discard(&none).await, Discarded::Gone, "{id}");
    }
}

/// As one that is sent.
pub async fn a_draft_to_nobody_is_refused(fixture: &impl MailUnderTest) {
    let mut nobody = draft("Nobody");
    nobody.to.clear();
    let mut none = draft("None");
    none.cc[0].address = "chiyo".into();
    for draft in [nobody, none] {
        let kept = fixture.mail();
        let kept = kept.save_draft(&fixture.account(), &draft, &unique()).await;
        refused(kept);
    }
}
