//! Clients of the servers, and checks of their logins.

use alfred_core::ports::AccountError;
use alfred_core::text;
use alfred_http::Unreachable;
use alfred_smtp::Smtp;
use alfred_workspace::CalDavServer;
use std::time::Duration;
use tokio::time::timeout;

use crate::allowed::Allowed;
use crate::imap::ImapServer;
use crate::kept::Kept;

/// A working server accepts a login faster.
const PATIENCE: Duration = Duration::from_secs(8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Email,
    Password,
    User,
    Imap,
    Smtp,
    Calendar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untaken(pub Field, pub Wrong);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Unusable,
    /// Empty, and no default is known.
    Unknown,
    NotAllowed,
    /// There is no such server, or its encryption is insufficient.
    NotReached,
    NotLetIn,
    NoCalendar,
}

impl Untaken {
    /// The message for the person.
    pub fn words(self) -> String {
        let Self(field, wrong) = self;
        let what = server(field);
        match wrong {
            Wrong::Unusable => unusable(field).to_owned(),
            Wrong::Unknown => {
                format!("I don't know the {what} of that address; please write its name.")
            }
            Wrong::NotAllowed => format!(
                "The {what} isn't one that may be connected here; an administrator can allow it."
            ),
            Wrong::NotReached => {
                format!("The {what} doesn't answer, or not securely; please check its name.")
            }
            Wrong::NotLetIn => format!(
                "The {what} doesn't take this name and password. Does it want an app password?"
            ),
            Wrong::NoCalendar => text::SERVERS_NO_CALENDAR.to_owned(),
        }
    }
}

fn unusable(field: Field) -> &'static str {
    match field {
        Field::Email => "That is no e-mail address.",
        Field::Password => "Please write the password.",
        Field::User => "That is no name to sign in with.",
        Field::Imap => "The server for incoming mail is a name like mail.example.com, on port 993.",
        Field::Smtp => {
            "The server for outgoing mail is a name like mail.example.com, on port 465 or 587."
        }
        Field::Calendar => {
            "The calendar's address starts with https:// and names a calendar, not only a server."
        }
    }
}

fn server(field: Field) -> &'static str {
    match field {
        Field::Smtp => "server for outgoing mail",
        Field::Calendar => "calendar server",
        _ => "server for incoming mail",
    }
}

pub(crate) struct Clients {
    pub imap: ImapServer,
    pub smtp: Smtp,
    pub calendar: Option<CalDavServer>,
}

impl Clients {
    /// Each client is pinned to the currently resolved addresses, all of which are allowed.
    pub async fn of(kept: &Kept, allowed: &Allowed) -> Result<Self, Untaken> {
        let unusable = |field| move |_| Untaken(field, Wrong::Unusable);
        let imap = ImapServer::read(&kept.imap, Some(kept.password()));
        let mut imap = imap.map_err(unusable(Field::Imap))?;
        let smtp = Smtp::read(&kept.smtp, Some(kept.password()));
        let mut smtp = smtp.map_err(unusable(Field::Smtp))?;
        let calendar = kept.calendar.as_deref();
        let calendar = calendar.map(|url| CalDavServer::read(url, Some(kept.password())));
        let calendar = calendar.transpose().map_err(unusable(Field::Calendar))?;
        let at = async |field, host: &str| {
            let found = allowed.addresses(host).await;
            found.map_err(|error| match error {
                Unreachable::Inward => Untaken(field, Wrong::NotAllowed),
                Unreachable::NoSuchHost => Untaken(field, Wrong::NotReached),
            })
        };
        imap.0.pinned = at(Field::Imap, &imap.0.host).await?;
        smtp.server.pinned = at(Field::Smtp, &smtp.server.host).await?;
        let calendar = match calendar {
            Some(calendar) => {
                let to = at(Field::Calendar, calendar.host()).await?;
                Some(calendar.pinned(to))
            }
            None => None,
        };
        Ok(Self {
            imap,
            smtp,
            calendar,
        })
    }

    pub async fn check(&self) -> Result<(), Untaken> {
        let calendar = async {
            match &self.calendar {
                Some(calendar) => calendar.check().await,
                None => Ok(()),
            }
        };
        let (imap, smtp, calendar) = tokio::join!(
            timeout(PATIENCE, self.imap.check()),
            timeout(PATIENCE, self.smtp.check()),
            timeout(PATIENCE, calendar),
        );
        for (field, outcome) in [
            (Field::Imap, imap),
            (Field::Smtp, smtp),
            (Field::Calendar, calendar),
        ] {
            let wrong = match outcome {
                Ok(Ok(())) => continue,
                Ok(Err(AccountError::Expired(_))) => Wrong::NotLetIn,
                Ok(Err(AccountError::Refused { .. })) => Wrong::NoCalendar,
                Ok(Err(error)) => {
                    tracing::info!(%error, "a server that was named doesn't answer");
                    Wrong::NotReached
                }
                Err(_) => Wrong::NotReached,
            };
            return Err(Untaken(field, wrong));
        }
        Ok(())
    }
}
