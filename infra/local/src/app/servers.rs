//! The configured servers of a person's mail and calendar.

use alfred_core::config::{
    ALFRED_CALDAV_PASSWORD, ALFRED_CALDAV_URL, ALFRED_SMTP_PASSWORD, ALFRED_SMTP_URL,
};
#[cfg(feature = "mail-servers")]
use alfred_core::config::{ALFRED_IMAP_PASSWORD, ALFRED_IMAP_URL};
use alfred_core::ports::Secrets;
#[cfg(feature = "mail-servers")]
use alfred_mail_servers::imap::ImapServer;
use alfred_workspace::{CalDavServer, Smtp};
use secrecy::SecretString;

use crate::exit::Usage;

#[derive(Default)]
pub struct Servers {
    /// The mailbox of the person of `--user`.
    #[cfg(feature = "mail-servers")]
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
        #[cfg(feature = "mail-servers")]
        if let Some(url) = variable(ALFRED_IMAP_URL) {
            let password = password(ALFRED_IMAP_PASSWORD).await?;
            servers.imap = Some(super::imap::server(&url, password, servers.smtp.is_some())?);
        }
        if let Some(url) = variable(ALFRED_CALDAV_URL) {
            let caldav = CalDavServer::read(&url, password(ALFRED_CALDAV_PASSWORD).await?);
            servers.caldav = Some(caldav.map_err(Usage::error)?);
        }
        Ok(servers)
    }

    /// Whether a person's mailbox or calendar is configured.
    pub fn have_owner(&self) -> bool {
        #[cfg(feature = "mail-servers")]
        if self.imap.is_some() {
            return true;
        }
        self.caldav.is_some()
    }
}
