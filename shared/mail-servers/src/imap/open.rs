//! A mail server and connections to it.

use crate::Result;
use alfred_core::ConfigError;
use alfred_core::config::{ALFRED_IMAP_PASSWORD, ALFRED_IMAP_URL};
use alfred_core::ports::{AccountError, AccountService};
use alfred_smtp::{Login, MailServer, Security};
use async_imap::error::{Error, ParseError};
use async_imap::{Client, Session};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::ConfigVerifierExt;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A connection with or without TLS.
pub(crate) trait Stream: AsyncRead + AsyncWrite + fmt::Debug + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + fmt::Debug + Send + Unpin> Stream for T {}

pub(crate) type Signed = Session<Box<dyn Stream>>;

#[derive(Clone, Debug)]
pub struct ImapServer(pub MailServer);

impl ImapServer {
    /// Parses `imaps://user@host:993` (implicit TLS) or `imap://user@host:143` (STARTTLS, except on this
    /// machine). An `@` in the user's name is `%40`. `Invalid` for another form, without a user, or with a
    /// password in it; `Missing` without a password. No error repeats the URL, which may contain a password.
    pub fn read(url: &str, password: Option<SecretString>) -> Result<Self, ConfigError> {
        let server = MailServer::read(url, password, &SETTING)?;
        if server.login.is_none() {
            return Err(SETTING.invalid("it names no user"));
        }
        Ok(Self(server))
    }

    /// Signs in and disconnects. `Expired` if the login is refused, otherwise `NotReached`.
    pub async fn check(&self) -> Result<()> {
        let mut signed = self.open().await?;
        drop(signed.logout().await);
        Ok(())
    }

    /// Signs in. `NotReached` if the server can't be reached, `Expired` if it refuses the login.
    pub(crate) async fn open(&self) -> Result<Signed> {
        let (host, login) = (&self.0.host, &self.0.login);
        let away = |error| not_reached(Error::Io(error));
        let addresses = self.0.addresses().await.map_err(away)?;
        let tcp = TcpStream::connect(&*addresses).await.map_err(away)?;
        // Commands are short and wait for their answers.
        tcp.set_nodelay(true).map_err(away)?;
        let client: Client<Box<dyn Stream>> = match self.0.security {
            Security::Tls => greeted(encrypted(host, tcp).await?).await?,
            Security::Plain => greeted(Box::new(tcp)).await?,
            Security::StartTls => {
                let mut plain = greeted(Box::new(tcp) as Box<dyn Stream>).await?;
                let asked = plain.run_command_and_check_ok("STARTTLS", None).await;
                asked.map_err(not_reached)?;
                Client::new(encrypted(host, plain.into_inner()).await?)
            }
        };
        let Some(Login { user, password }) = login else {
            return Err(AccountError::Expired(AccountService::Mail));
        };
        let signed = client.login(user, password.expose_secret()).await;
        signed.map_err(|(error, _)| match error {
            Error::No(said) if !for_now(&said) => {
                tracing::warn!(server = %self.0, "the mail server won't let its user in");
                AccountError::Expired(AccountService::Mail)
            }
            other => not_reached(other),
        })
    }
}

const SETTING: alfred_smtp::Setting = alfred_smtp::Setting {
    url: ALFRED_IMAP_URL,
    password: ALFRED_IMAP_PASSWORD,
    scheme: "imap",
    encrypted_port: 993,
    port: 143,
};

async fn encrypted(host: &str, plain: impl Stream + 'static) -> Result<Box<dyn Stream>> {
    let broken = |error: &dyn fmt::Display| {
        AccountError::not_reached(format!("the mail server's encryption: {error}"))
    };
    let config = ClientConfig::with_platform_verifier().map_err(|error| broken(&error))?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| broken(&error))?;
    let connector = TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, plain).await;
    Ok(Box::new(stream.map_err(|error| broken(&error))?))
}

/// Whether a refused login is temporary (RFC 5530).
fn for_now(said: &str) -> bool {
    let said = said.to_ascii_uppercase();
    let codes = ["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG"];
    codes.iter().any(|code| said.contains(&format!("[{code}]")))
}

async fn greeted(stream: Box<dyn Stream>) -> Result<Client<Box<dyn Stream>>> {
    let mut client = Client::new(stream);
    match client.read_response().await {
        Ok(Some(_)) => Ok(client),
        Ok(None) => Err(not_reached(Error::ConnectionLost)),
        Err(error) => Err(not_reached(Error::Io(error))),
    }
}

/// The error of a read. The server's text may quote mails, so it isn't logged.
pub(crate) fn not_reached(error: Error) -> AccountError {
    AccountError::not_reached(format!("the mail server: {}", what(&error)))
}

/// The error of a change that may have been made.
pub(crate) fn unknown(error: Error) -> AccountError {
    AccountError::unknown(format!("the mail server: {}", what(&error)))
}

fn what(error: &Error) -> String {
    match error {
        // The error's text may quote the unreadable answer.
        Error::Io(error) => error.kind().to_string(),
        Error::ConnectionLost => "it hung up".into(),
        Error::No(_) => "it said no".into(),
        Error::Bad(_) => "it didn't understand".into(),
        Error::Parse(ParseError::Authentication(..)) => "it can't be signed in to".into(),
        _ => "an answer that can't be read".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_busy_says_nothing_of_the_password() {
        for (said, expected) in [
            ("[UNAVAILABLE] try later", true),
            ("[LIMIT] too many", true),
            ("[AUTHENTICATIONFAILED] no", false),
            ("unavailable", false),
        ] {
            let said = format!("code: None, info: Some(\"{said}\")");
            assert_eq!(for_now(&said), expected, "{said}");
        }
    }
}
