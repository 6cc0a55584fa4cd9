//! The setting that names a mail server.

use alfred_core::ConfigError;
use secrecy::SecretString;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use url::Url;

type Result<T, E = ConfigError> = std::result::Result<T, E>;

#[derive(Clone)]
pub struct MailServer {
    /// Without brackets around an IPv6 address.
    pub host: String,
    pub port: u16,
    pub security: Security,
    /// `None` if the server needs no login.
    pub login: Option<Login>,
    /// The only addresses to connect to, if the name was resolved before.
    pub pinned: Vec<IpAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Implicit TLS (`smtps://`, `imaps://`).
    Tls,
    /// STARTTLS before anything else is sent, and required.
    StartTls,
    /// No encryption: the server is on this machine.
    Plain,
}

#[derive(Clone)]
pub struct Login {
    pub user: String,
    pub password: SecretString,
}

/// The variables and defaults of a server.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The variable with its URL.
    pub url: &'static str,
    /// The variable with its password.
    pub password: &'static str,
    /// Without the `s` for implicit TLS.
    pub scheme: &'static str,
    /// Default port with implicit TLS.
    pub encrypted_port: u16,
    /// Default port otherwise.
    pub port: u16,
}

impl Setting {
    pub fn invalid(&self, reason: impl Into<String>) -> ConfigError {
        ConfigError::invalid(self.url, reason)
    }
}

impl MailServer {
    /// Parses a URL such as `smtps://user@host:465`. An `@` in the user's name is `%40`. Without implicit TLS
    /// the server must offer STARTTLS, except on this machine. `Invalid` for another form or with a password
    /// in it; `Missing` for a user without a password. No error repeats the URL, which may contain a
    /// password.
    pub fn read(url: &str, password: Option<SecretString>, setting: &Setting) -> Result<Self> {
        let (scheme, encrypted_port) = (setting.scheme, setting.encrypted_port);
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

    pub async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        if self.pinned.is_empty() {
            let found = tokio::net::lookup_host((self.host.as_str(), self.port));
            return Ok(found.await?.collect());
        }
        let at = |ip: &IpAddr| SocketAddr::new(*ip, self.port);
        Ok(self.pinned.iter().map(at).collect())
    }
}

fn login(url: &Url, password: Option<SecretString>, setting: &Setting) -> Result<Option<Login>> {
    let user = percent_encoding::percent_decode_str(url.username()).decode_utf8();
    let user = user.map_err(|_| setting.invalid("the user's name isn't UTF-8"))?;
    let name = setting.password;
    match (user.as_ref(), password) {
        ("", None) => Ok(None),
        ("", Some(_)) => Err(setting.invalid("there is a password, but the URL names no user")),
        (_, None) => Err(ConfigError::Missing { name }),
        (user, Some(password)) => Ok(Some(Login {
            user: user.to_owned(),
            password,
        })),
    }
}

impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
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
