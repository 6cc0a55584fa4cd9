//! The configured servers of a person's mail and calendar.

use alfred_agent::Ports;
use alfred_core::config::{
    ALFRED_CALDAV_PASSWORD, ALFRED_CALDAV_URL, ALFRED_IMAP_PASSWORD, ALFRED_IMAP_URL,
    ALFRED_SMTP_PASSWORD, ALFRED_SMTP_URL,
};
use alfred_core::ports::{Account, AccountError, Mail, Opened, Opens, Secrets, SomePeople};
use alfred_core::text;
use alfred_mail_servers::imap::{ImapMail, ImapServer, Person};
use alfred_workspace::{CalDavServer, Identity, Smtp};
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

use crate::exit::Usage;

#[derive(Default)]
pub struct Servers {
    /// The mailbox of the person of `--user`.
    pub imap: Option<ImapServer>,
    pub caldav: Option<CalDavServer>,
    /// Sends their mail, and that of everybody with a folder.
    pub smtp: Option<Smtp>,
}

impl Servers {
    /// A password is in the environment, otherwise among the data folder's secrets.
    pub async fn read(
        variable: impl Fn(&str) -> Option<String>,
        secrets: &dyn Secrets,
    ) -> anyhow::Result<Self> {
        let password = async |name: &str| -> anyhow::Result<Option<SecretString>> {
            match variable(name) {
                Some(password) => Ok(Some(password.into())),
                None => Ok(secrets.get(&format!("alfred/{name}")).await?),
            }
        };
        let mut servers = Self::default();
        if let Some(url) = variable(ALFRED_SMTP_URL) {
            let smtp = Smtp::read(&url, password(ALFRED_SMTP_PASSWORD).await?);
            servers.smtp = Some(smtp.map_err(Usage::error)?);
        }
        if let Some(url) = variable(ALFRED_IMAP_URL) {
            let imap = ImapServer::read(&url, password(ALFRED_IMAP_PASSWORD).await?);
            servers.imap = Some(imap.map_err(Usage::error)?);
            if servers.smtp.is_none() {
                let missing = format!(
                    "{ALFRED_IMAP_URL} needs {ALFRED_SMTP_URL}: mail is read by the one and sent by the other"
                );
                return Err(Usage::error(missing));
            }
        }
        if let Some(url) = variable(ALFRED_CALDAV_URL) {
            let caldav = CalDavServer::read(&url, password(ALFRED_CALDAV_PASSWORD).await?);
            servers.caldav = Some(caldav.map_err(Usage::error)?);
        }
        Ok(servers)
    }

    /// Whether a person's mailbox or calendar is configured.
    pub fn are_somebodys(&self) -> bool {
        self.imap.is_some() || self.caldav.is_some()
    }

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
        let account = who.account.clone();
        let (store, clock) = (ports.store.clone(), ports.clock.clone());
        let theirs = OfSettings(Arc::new(ImapMail::new(
            [(account.clone(), person)],
            store,
            clock,
        )));
        Arc::new(SomePeople {
            people: vec![account],
            theirs: Arc::new(Opened(Arc::new(theirs))) as Arc<dyn Mail>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::workspace::destination;
    use alfred_embedded::{DataFolder, FolderError};

    async fn line(url: Option<&str>, kept: Option<&str>) -> Result<String, String> {
        let data = std::env::temp_dir().join(format!("alfred-{}", hex::encode(uuid())));
        let folder = DataFolder::open(&data).map_err(|error: FolderError| error.to_string())?;
        let secrets = folder.secrets();
        if let Some(kept) = kept {
            secrets
                .put("alfred/ALFRED_SMTP_PASSWORD", &kept.into())
                .await
                .unwrap();
        }
        let url = url.map(str::to_owned);
        let variable = move |name: &str| url.clone().filter(|_| name == ALFRED_SMTP_URL);
        let read = Servers::read(variable, &secrets).await;
        std::fs::remove_dir_all(&data).unwrap();
        match read {
            Ok(servers) => Ok(destination(servers.smtp.as_ref(), true)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn uuid() -> [u8; 16] {
        use alfred_core::ports::{Ids, SystemIds};
        *SystemIds.uuid().as_bytes()
    }

    #[tokio::test]
    async fn the_start_says_where_mail_goes_and_no_secret() {
        let none = line(None, None).await.unwrap();
        assert!(none.contains("ALFRED_SMTP_URL"), "{none}");
        let url = "smtps://ana%40example.com@mail.example.com";
        let through = line(Some(url), Some("hush")).await.unwrap();
        assert!(through.contains("mail.example.com:465 (TLS)"), "{through}");
        assert!(!through.contains("ana") && !through.contains("hush"));
        let missing = line(Some(url), None).await.unwrap_err();
        assert!(missing.contains("ALFRED_SMTP_PASSWORD"), "{missing}");
    }
}
