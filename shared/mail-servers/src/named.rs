//! Turns the typed fields into server addresses.

use alfred_core::ports::Mailbox;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::allowed::{Allowed, is_host};
use crate::check::{Field, Untaken, Wrong};

/// Longest field, in bytes.
const LONGEST: usize = 512;

/// The submitted form.
#[derive(Clone, Debug, Default)]
pub struct Named {
    pub email: String,
    pub password: SecretString,
    /// The sign-in name. Empty: the address.
    pub user: String,
    /// The IMAP server. Empty: the known one of the address's provider.
    pub imap: String,
    /// The SMTP server. Empty: likewise.
    pub smtp: String,
    /// The calendar's URL. Empty: none.
    pub calendar: String,
}

/// The validated form: URLs without passwords.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub email: String,
    pub imap: String,
    pub smtp: String,
    pub calendar: Option<String>,
}

/// Providers with known servers: domains, then host and port of IMAP and of SMTP, from the providers' help
/// pages.
const KNOWN: &str = include_str!("providers.txt");

/// The IMAP and SMTP servers of a provider with this domain.
fn known(domain: &str) -> Option<[&'static str; 2]> {
    KNOWN.lines().find_map(|line| {
        let [domains, imap, smtp] = line.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let mut domains = domains.split(',');
        domains.any(|known| known == domain).then_some([imap, smtp])
    })
}

impl Named {
    /// The validated addresses. The error names the first unusable field, in the form's order.
    pub(crate) fn addresses(&self, allowed: &Allowed) -> Result<Addresses, Untaken> {
        let email = self.email.trim().to_lowercase();
        let mailbox = Mailbox::new(String::new(), &email);
        if !mailbox.is_addressable() || !is_plain(&email) {
            return Err(Untaken(Field::Email, Wrong::Unusable));
        }
        let password = self.password.expose_secret();
        if password.is_empty() || !is_plain(password) {
            return Err(Untaken(Field::Password, Wrong::Unusable));
        }
        let user = match self.user.trim() {
            "" => &email,
            user => user,
        };
        if !is_plain(user) {
            return Err(Untaken(Field::User, Wrong::Unusable));
        }
        let domain = email.rsplit_once('@').map_or("", |(_, domain)| domain);
        let [imap, smtp] = known(domain).map_or([None; 2], |known| known.map(Some));
        let server = |field, typed: &str, known: Option<&str>| {
            let typed = match (typed.trim(), known) {
                ("", None) => return Err(Untaken(field, Wrong::Unknown)),
                ("", Some(known)) => known,
                (typed, _) => typed,
            };
            server(field, typed, user, allowed)
        };
        Ok(Addresses {
            imap: server(Field::Imap, &self.imap, imap)?,
            smtp: server(Field::Smtp, &self.smtp, smtp)?,
            calendar: calendar(self.calendar.trim(), user, allowed)?,
            email,
        })
    }
}

fn is_plain(text: &str) -> bool {
    text.len() <= LONGEST && !text.chars().any(char::is_control)
}

/// Parses `host` or `host:port`. Only ports with encryption, unless an administrator named the host.
fn server(field: Field, typed: &str, user: &str, allowed: &Allowed) -> Result<String, Untaken> {
    let unusable = || Untaken(field, Wrong::Unusable);
    let (scheme, ports): (_, &[u16]) = match field {
        Field::Imap => ("imap", &[993]),
        _ => ("smtp", &[465, 587]),
    };
    let typed = typed.to_lowercase();
    if !is_host(&typed) {
        return Err(unusable());
    }
    let typed = Url::parse(&format!("any://{typed}")).map_err(|_| unusable())?;
    let host = typed.host_str().ok_or_else(unusable)?;
    let port = typed.port().unwrap_or(ports[0]);
    if !ports.contains(&port) && !allowed.names(host) {
        return Err(unusable());
    }
    let encrypted = if port == ports[0] { "s" } else { "" };
    let mut url =
        Url::parse(&format!("{scheme}{encrypted}://{host}:{port}")).map_err(|_| unusable())?;
    url.set_username(user).map_err(|()| unusable())?;
    Ok(url.into())
}

fn calendar(typed: &str, user: &str, allowed: &Allowed) -> Result<Option<String>, Untaken> {
    let unusable = || Untaken(Field::Calendar, Wrong::Unusable);
    if typed.is_empty() {
        return Ok(None);
    }
    if !is_plain(typed) {
        return Err(unusable());
    }
    let mut url = Url::parse(typed).map_err(|_| unusable())?;
    let named = url.host_str().is_some_and(|host| allowed.names(host));
    let usual = url.scheme() == "https" && url.port().is_none();
    let has_login = !url.username().is_empty() || url.password().is_some();
    if !(usual || named) || has_login || url.path() == "/" {
        return Err(unusable());
    }
    url.set_username(user).map_err(|()| unusable())?;
    Ok(Some(url.into()))
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;
