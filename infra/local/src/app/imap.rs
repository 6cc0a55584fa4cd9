//! The mailbox of the person of `--user`, on a configured server.

use alfred_agent::Ports;
use alfred_core::config::{ALFRED_IMAP_URL, ALFRED_SMTP_URL};
use alfred_core::ports::{Account, AccountError, Mail, Opened, Opens, SomePeople};
use alfred_core::text;
use alfred_mail_servers::imap::{ImapMail, ImapServer, Person};
use alfred_workspace::Identity;
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

use super::servers::Servers;
use crate::exit::Usage;

pub fn server(url: &str, secret: Option<SecretString>, sends: bool) -> anyhow::Result<ImapServer> {
    let server = ImapServer::read(url, secret).map_err(Usage::error)?;
    if !sends {
        let missing = format!(
            "{ALFRED_IMAP_URL} needs {ALFRED_SMTP_URL}: mail is read by the one and sent by the other"
        );
        return Err(Usage::error(missing));
    }
    Ok(server)
}

impl Servers {
    /// This person's mail from their server; everybody else's as before.
    pub fn mail(&self, ports: &Ports, who: &Identity, otherwise: Arc<dyn Mail>) -> Arc<dyn Mail> {
        let (Some(imap), Some(smtp)) = (&self.imap, &self.smtp) else {
            return otherwise;
        };
        let person = Person {
            mailbox: who.mailbox.clone(),
            imap: imap.clone(),
            smtp: smtp.clone(),
        };
        let (store, clock) = (ports.store.clone(), ports.clock.clone());
        let imap = ImapMail::new([(who.account.clone(), person)], store, clock);
        let theirs = Opened(Arc::new(OfSettings(Arc::new(imap))));
        Arc::new(SomePeople {
            people: vec![who.account.clone()],
            theirs: Arc::new(theirs) as Arc<dyn Mail>,
            otherwise,
        })
    }
}

/// Changes a refused login into another error: the person can't reconnect a configured server.
struct OfSettings(Arc<dyn Mail>);

#[async_trait]
impl Opens<dyn Mail> for OfSettings {
    async fn open(&self, _: &Account) -> Result<(Arc<dyn Mail>, String), AccountError> {
        Ok((self.0.clone(), String::new()))
    }

    async fn failed(&self, _: &Account, _: &str, error: AccountError) -> AccountError {
        match error {
            AccountError::Expired(_) => AccountError::refused(text::MAIL_SERVER_LOGIN),
            other => other,
        }
    }
}
