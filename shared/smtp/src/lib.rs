//! Sends mail by SMTP, command by command, so that each failure shows whether the mail was sent.

mod server;
mod session;

pub use server::{Login, MailServer, Security, Setting};

use alfred_core::config::{ALFRED_SMTP_PASSWORD, ALFRED_SMTP_URL};
use alfred_core::ports::{AccountError, Mailbox, OutgoingMail};
use alfred_core::{ConfigError, text};
use lettre::Address;
use secrecy::SecretString;
use std::time::Duration;

/// Longest time for one mail. An effect has 30 s, which must also cover storing the outcome.
const PATIENCE: Duration = Duration::from_secs(25);

const SETTING: Setting = Setting {
    url: ALFRED_SMTP_URL,
    password: ALFRED_SMTP_PASSWORD,
    scheme: "smtp",
    encrypted_port: 465,
    port: 587,
};

/// A mail server and its time limit.
#[derive(Clone, Debug)]
pub struct Smtp {
    pub server: MailServer,
    patience: Duration,
}

impl Smtp {
    /// Parses `smtps://user@host:465` (implicit TLS) or `smtp://user@host:587` (STARTTLS, except on this
    /// machine). An `@` in the user's name is `%40`. Fails as [`MailServer::read`].
    pub fn read(url: &str, password: Option<SecretString>) -> Result<Self, ConfigError> {
        Ok(Self {
            server: MailServer::read(url, password, &SETTING)?,
            patience: PATIENCE,
        })
    }

    /// Signs in and disconnects. `Expired` if the login is refused, otherwise `NotReached`.
    pub async fn check(&self) -> Result<(), AccountError> {
        let mut open = session::open(&self.server).await?;
        drop(open.quit().await);
        Ok(())
    }

    /// Changes the time limit of one mail (25 s).
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

/// A mail with its envelope.
#[derive(Debug)]
pub struct Parcel {
    from: Address,
    to: Vec<Address>,
    bytes: Vec<u8>,
}

impl Parcel {
    /// Includes copies, each recipient once. `Refused` for an address that no server accepts.
    pub fn new(from: &Mailbox, mail: &OutgoingMail, bytes: Vec<u8>) -> Result<Self, AccountError> {
        let mut to: Vec<Address> = Vec::new();
        for (field, boxes) in [("to", &mail.to), ("cc", &mail.cc)] {
            for mailbox in boxes {
                let one = address(field, mailbox)?;
                if !to.contains(&one) {
                    to.push(one);
                }
            }
        }
        Ok(Self {
            from: address("from", from)?,
            to,
            bytes,
        })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn address(field: &str, mailbox: &Mailbox) -> Result<Address, AccountError> {
    let refused = || AccountError::refused(text::no_address(field, &mailbox.address));
    let ascii = alfred_mime::ascii_domain(&mailbox.address);
    let (user, domain) = ascii.rsplit_once('@').ok_or_else(refused)?;
    if !mailbox.is_addressable() {
        return Err(refused());
    }
    Address::new(user, domain).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, password: Option<&str>) -> Result<String, String> {
        let smtp = Smtp::read(url, password.map(SecretString::from));
        let shown = smtp.map(|smtp| format!("{:?}", smtp.server));
        shown.map_err(|error| error.to_string())
    }

    #[test]
    fn the_scheme_says_how_it_is_kept_from_others() {
        for case in include_str!("scheme_cases.txt").lines() {
            let (url, expected) = case.split_once(" -> ").unwrap();
            assert_eq!(read(url, None).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn a_user_needs_a_password_and_neither_is_shown() {
        let shown = read("smtps://ana%40example.com@mail.example.com", Some("hush")).unwrap();
        assert!(!shown.contains("ana") && !shown.contains("hush"), "{shown}");
        let login = Smtp::read("smtps://ana%40b.example@c.example", Some("x".into()));
        assert_eq!(login.unwrap().server.login.unwrap().user, "ana@b.example");
        for case in include_str!("login_cases.txt").lines() {
            let parts: Vec<_> = case.splitn(3, ' ').collect();
            let password = Some(parts[1]).filter(|password| *password != "-");
            let error = read(parts[0], password).unwrap_err();
            assert!(error.contains(parts[2]), "{case}: {error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn a_recipient_is_named_once_and_in_ascii() {
        let mailbox = |address: &str| Mailbox::new("x", address);
        let mail = OutgoingMail {
            to: vec![mailbox("ben@büro.example"), mailbox("a@b.example")],
            cc: vec![mailbox("A@b.example"), mailbox("c@d.example")],
            ..OutgoingMail::default()
        };
        let parcel = Parcel::new(&mailbox("ana@example.com"), &mail, Vec::new()).unwrap();
        let to: Vec<&str> = parcel.to.iter().map(AsRef::as_ref).collect();
        let expected = "ben@xn--bro-hoa.example a@b.example c@d.example";
        assert_eq!(to.join(" "), expected);
        for bad in [
            "a@b.example>\r\nRCPT TO:<e@evil.example",
            "a b@c.example",
            "a@",
        ] {
            let from = Parcel::new(&mailbox(bad), &mail, Vec::new());
            assert!(matches!(from, Err(AccountError::Refused { .. })), "{bad}");
        }
    }
}
