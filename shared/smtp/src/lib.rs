//! Mail that really leaves: an SMTP server, to which a mail is given command by command, so that each failure tells
//! whether it was sent.

mod server;
mod session;

pub use server::{Login, MailServer, Security, Setting};

use alfred_core::config::{ALFRED_SMTP_PASSWORD, ALFRED_SMTP_URL};
use alfred_core::ports::{AccountError, Mailbox, OutgoingMail};
use alfred_core::{ConfigError, text};
use lettre::Address;
use secrecy::SecretString;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

/// The longest a server may take for one mail. An effect has 30 s, and what happened has to be written down too.
const PATIENCE: Duration = Duration::from_secs(25);

const SETTING: Setting = Setting {
    url: ALFRED_SMTP_URL,
    password: ALFRED_SMTP_PASSWORD,
    scheme: "smtp",
    encrypted_port: 465,
    port: 587,
};

/// A server that takes mail, and how it is talked to.
#[derive(Clone)]
pub struct Smtp {
    server: MailServer,
    patience: Duration,
}

impl Smtp {
    /// Reads `smtps://user@host:465` (TLS at once) or `smtp://user@host:587` (STARTTLS, but for this
    /// machine itself). An `@` in the user's name is written `%40`.
    ///
    /// # Errors
    /// Those of [`MailServer::read`].
    pub fn read(url: &str, password: Option<SecretString>) -> Result<Self, ConfigError> {
        Ok(Self {
            server: MailServer::read(url, password, &SETTING)?,
            patience: PATIENCE,
        })
    }

    /// Its name or number.
    pub fn host(&self) -> &str {
        &self.server.host
    }

    /// Connected to at these addresses alone.
    pub fn pinned(mut self, to: Vec<IpAddr>) -> Self {
        self.server.pinned = to;
        self
    }

    /// Signs in, and takes its leave.
    ///
    /// # Errors
    /// `Expired` where the server doesn't take the name and the password, else `NotReached`.
    pub async fn check(&self) -> Result<(), AccountError> {
        let mut open = session::open(&self.server).await?;
        drop(open.quit().await);
        Ok(())
    }

    /// With another patience than 25 s for one mail.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Gives a mail to the server. `begin` is awaited once everybody it goes to is accepted, before the
    /// first byte of the mail: until then it certainly isn't sent. `done` is awaited as soon as it is known
    /// what became of it, before anything else is said to the server.
    ///
    /// `Refused`, `NotReached` and `Expired` (it lets nobody in): nobody got it. `Unknown`: it was given, and nothing came back.
    pub async fn deliver<T, B, D>(
        &self,
        parcel: &Parcel,
        begin: impl FnOnce() -> B,
        done: impl FnOnce(Result<(), AccountError>) -> D,
    ) -> T
    where
        B: Future<Output = io::Result<()>>,
        D: Future<Output = T>,
    {
        session::deliver(self, parcel, begin, done).await
    }
}

/// Without user and password.
impl fmt::Display for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.server.fmt(f)
    }
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Smtp({self})")
    }
}

/// A mail with its envelope: who gives it, and all who are to get it.
#[derive(Debug)]
pub struct Parcel {
    from: Address,
    to: Vec<Address>,
    bytes: Vec<u8>,
}

impl Parcel {
    /// Each recipient once, copies included.
    ///
    /// # Errors
    /// `Refused` for what no server takes as an address.
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

    /// The mail itself.
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
        match smtp {
            Ok(smtp) => Ok(format!("{smtp:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_scheme_says_how_it_is_kept_from_others() {
        for (url, expected) in [
            (
                "smtps://mail.example.com",
                "Smtp(mail.example.com:465 (TLS))",
            ),
            (
                "smtps://mail.example.com:2465/",
                "Smtp(mail.example.com:2465 (TLS))",
            ),
            (
                "smtp://mail.example.com",
                "Smtp(mail.example.com:587 (STARTTLS))",
            ),
            (
                "smtp://localhost.example.com",
                "Smtp(localhost.example.com:587 (STARTTLS))",
            ),
            (
                "smtp://127.0.0.1:1025",
                "Smtp(127.0.0.1:1025 (unencrypted))",
            ),
            ("smtp://[::1]:1025", "Smtp(::1:1025 (unencrypted))"),
        ] {
            assert_eq!(read(url, None).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn a_user_needs_a_password_and_neither_is_shown() {
        let shown = read("smtps://ana%40example.com@mail.example.com", Some("hush")).unwrap();
        assert!(!shown.contains("ana") && !shown.contains("hush"), "{shown}");
        let login = Smtp::read("smtps://ana%40b.example@c.example", Some("x".into()));
        assert_eq!(login.unwrap().server.login.unwrap().user, "ana@b.example");
        for (url, password, part) in [
            ("smtps://ana@mail.example.com", None, "ALFRED_SMTP_PASSWORD"),
            ("smtps://mail.example.com", Some("hush"), "no user"),
            (
                "smtps://ana:hush@mail.example.com",
                None,
                "ALFRED_SMTP_PASSWORD",
            ),
            ("https://hush.example.com", None, "smtps://"),
            (
                "smtps://mail.example.com/inbox?hush",
                None,
                "nothing may follow",
            ),
            ("hush", None, "no URL"),
            ("smtps://:465", None, "no URL"),
        ] {
            let error = read(url, password).unwrap_err();
            assert!(error.contains(part), "{url}: {error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn a_recipient_is_named_once_and_in_ascii() {
        let mailbox = |address: &str| Mailbox::new("x", address);
        let mail = OutgoingMail {
            to: vec![mailbox("ben@büro.example"), mailbox("a@b.example")],
            cc: vec![mailbox("A@b.example"), mailbox("c@d.example")],
            subject: String::new(),
            text: String::new(),
            in_reply_to: None,
            references: Vec::new(),
            files: Vec::new(),
        };
        let parcel = Parcel::new(&mailbox("ana@example.com"), &mail, Vec::new()).unwrap();
        let to: Vec<&str> = parcel.to.iter().map(AsRef::as_ref).collect();
        assert_eq!(
            to,
            ["ben@xn--bro-hoa.example", "a@b.example", "c@d.example"]
        );
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
