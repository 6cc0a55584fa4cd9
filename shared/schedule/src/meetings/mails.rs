use alfred_agent::Ports;
use alfred_core::ports::{Account, AccountError, Attendee, MailQuery, MailStatus, MailSummary};
use std::time::Duration;
use tokio::time::timeout;

/// Each costs two reads.
const PEOPLE: usize = 3;
const MOST: usize = 3;
/// Per person and direction, since automated ones are left out.
const LOOKED_AT: usize = 2 * MOST;
const TIMEOUT: Duration = Duration::from_secs(4);

pub(super) struct Exchanged {
    pub mail: MailSummary,
    pub sent: bool,
}

/// Newest first. Empty if no mailbox is connected, `None` if reading failed.
pub(super) async fn with(
    ports: &Ports,
    account: &Account,
    people: &[Attendee],
) -> Option<Vec<Exchanged>> {
    match timeout(TIMEOUT, read(ports, account, people)).await {
        Ok(Ok(found)) => Some(found),
        Ok(Err(AccountError::NotConnected(_) | AccountError::NotGranted(_))) => Some(Vec::new()),
        away => {
            let away = away.map(|found| found.err());
            tracing::warn!(?away, "a meeting is told of without its mails");
            None
        }
    }
}

async fn read(
    ports: &Ports,
    account: &Account,
    people: &[Attendee],
) -> Result<Vec<Exchanged>, AccountError> {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let mut found: Vec<Exchanged> = Vec::new();
    for one in people.iter().take(PEOPLE) {
        for sent in [false, true] {
            let query = MailQuery {
                status: vec![Unread, Read, Archived, Backlog, Processed],
                from: Some(one.mailbox.address.clone()),
                sent,
                limit: LOOKED_AT,
                ..MailQuery::default()
            };
            for mail in ports.accounts.mail.list(account, &query).await?.mails {
                let is_known = found.iter().any(|known| known.mail.id == mail.id);
                if !mail.automated && !is_known {
                    found.push(Exchanged { mail, sent });
                }
            }
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.mail.received_at));
    found.truncate(MOST);
    Ok(found)
}
