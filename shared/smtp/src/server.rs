//! A mail server, as a setting names it.

use alfred_core::ConfigError;
use secrecy::SecretString;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use url::Url;

/// A server of a person's mail, and who signs in there.
#[derive(Clone)]
pub struct MailServer {
    /// Its name or number, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What keeps others from reading along.
    pub security: Security,
    /// Who signs in; nobody where the server asks for nobody.
    pub login: Option<Login>,
    /// The addresses that are connected to and no others, where the name was looked up before.
    pub pinned: Vec<IpAddr>,
}

/// What keeps others from reading along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte (`smtps://`, `imaps://`).
    Tls,
    /// TLS before anything is said; nothing without.
    StartTls,
    /// Nothing: the server is on this very machine.
    Plain,
}

/// Who signs in.
#[derive(Clone)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: SecretString,
}

/// The variables that name a server, and what they may say.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The variable with its URL.
    pub url: &'static str,
    /// The variable with its password.
    pub password: &'static str,
    /// The scheme, to which an `s` is added for TLS at once.
    pub scheme: &'static str,
    /// The usual port of the one with TLS at once.
    pub encrypted_port: u16,
    /// The usual port of the other.
    pub port: u16,
}

impl Setting {
    /// The URL can't be used.
    pub fn invalid(&self, reason: impl Into<String>) -> ConfigError {
        ConfigError::Invalid {
            name: self.url,
            reason: reason.into(),
        }
    }
}

impl MailServer {
    /// Reads a URL such as `smtps://user@host:465`. An `@` in the user's name is written `%40`. A server without TLS
    /// at once must offer STARTTLS, but for this machine itself.
    ///
    /// # Errors
    /// `Invalid` for what is no such URL, and one with a password in it; `Missing` for a user without a password. No
    /// error repeats the URL, which may hold a password.
    pub fn read(
        url: &str,
        password: Option<SecretString>,
        setting: &Setting,
    ) -> Result<Self, ConfigError> {
        let Setting {
            scheme,
            encrypted_port,
            ..
        } = *setting;
        let url = Url::parse(url.trim()).map_err(|_| {
            let example = format!("{scheme}s://user@mail.example.com:{encrypted_port}");
            setting.invalid(format!("it is no URL such as {example}"))
        })?;
        if url.password().is_some() {
            let elsewhere = format!("the password belongs into {}", setting.password);
            return Err(setting.invalid(elsewhere));
        }
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| setting.invalid("it names no server"))?;
        let is_here = matches!(host, "127.0.0.1" | "localhost" | "[::1]");
        let (security, usual) = match url.scheme().strip_prefix(scheme) {
            Some("s") => (Security::Tls, encrypted_port),
            Some("") if is_here => (Security::Plain, setting.port),
            Some("") => (Security::StartTls, setting.port),
            _ => {
                let start = format!("it must start with {scheme}s:// or {scheme}://");
                return Err(setting.invalid(start));
            }
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            let behind = "behind the server's name and port nothing may follow";
            return Err(setting.invalid(behind));
        }
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(usual),
            security,
            login: login(&url, password, setting)?,
            pinned: Vec::new(),
        })
    }

    /// Where to connect.
    ///
    /// # Errors
    /// When its name can't be looked up.
    pub async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        if self.pinned.is_empty() {
            let found = tokio::net::lookup_host((self.host.as_str(), self.port));
            return Ok(found.await?.collect());
        }
        let at = |ip: &IpAddr| SocketAddr::new(*ip, self.port);
        Ok(self.pinned.iter().map(at).collect())
    }
}

fn login(
    url: &Url,
    password: Option<SecretString>,
    setting: &Setting,
) -> Result<Option<Login>, ConfigError> {
    let user = percent_encoding::percent_decode_str(url.username()).decode_utf8();
    let user = user.map_err(|_| setting.invalid("the user's name isn't UTF-8"))?;
    match (user.as_ref(), password) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err(setting.invalid("there is a password, but the URL names no user")),
        (_, None) => Err(ConfigError::Missing {
            name: setting.password,
        }),
        (user, Some(password)) => Ok(Some(Login {
            user: user.to_owned(),
            password,
        })),
    }
}

/// Without user and password.
impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, port) = (&self.host, self.port);
        match self.security {
            Security::Tls => write!(f, "{host}:{port} (TLS)"),
            Security::StartTls => write!(f, "{host}:{port} (STARTTLS)"),
            Security::Plain => write!(f, "{host}:{port} (unencrypted)"),
        }
    }
}
