//! Sends one mail over one connection. Before the mail's first byte a failure means that nothing happened.
//! After its last byte only the server's answer decides.

use alfred_core::ports::{AccountError, AccountService};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use secrecy::ExposeSecret;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::time::timeout;

use super::{MailServer, Parcel, Security, Smtp};

const MAIL_SERVER_CONTENT: &str = "The mail server refuses this mail, so nothing was sent.";

/// Retry delay after a temporary refusal, as greylisting requires.
const GREYLISTED: Duration = Duration::from_secs(300);
/// Time for a polite goodbye, which can't change the outcome.
const FAREWELL: Duration = Duration::from_secs(2);

impl Smtp {
    /// Sends a mail within the time limit. `begin` is awaited after all recipients are accepted, before the first
    /// byte of the mail. Until then the mail certainly isn't sent. `done` is awaited as soon as the outcome is known,
    /// before anything else is sent to the server. `Refused`, `NotReached` and `Expired` (login refused): nobody got
    /// it. `Unknown`: it was sent without an answer.
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
        let begun = AtomicBool::new(false);
        let begin = async || begin().await.map(|()| begun.store(true, Relaxed));
        // Between DATA and the answer. A command sent then would become part of the mail.
        let within = AtomicBool::new(false);
        let mut line = None;
        let work = async {
            let opened = line.insert(open(&self.server).await?);
            introduce(opened, parcel).await?;
            content(opened, parcel, begin, &within).await
        };
        let outcome = match timeout(self.patience, work).await {
            Ok(outcome) => outcome,
            Err(_) if begun.load(Relaxed) => Err(unknown("no answer in time")),
            Err(_) => Err(not_reached("no answer in time", None)),
        };
        // The goodbye may be slow and can't change the outcome.
        let known = done(outcome).await;
        if let Some(mut open) = line.filter(|_| !within.load(Relaxed)) {
            drop(timeout(FAREWELL.min(self.patience), open.abort()).await);
        }
        known
    }
}

/// A signed-in connection, encrypted as configured.
pub(super) async fn open(to: &MailServer) -> Result<AsyncSmtpConnection, AccountError> {
    let name = ClientId::default();
    let tls = || TlsParameters::new(to.host.clone()).map_err(early);
    let at_once = match to.security {
        Security::Tls => Some(tls()?),
        Security::StartTls | Security::Plain => None,
    };
    let server = to.addresses().await;
    let server = server.map_err(|error| not_reached(&error.kind().to_string(), None))?;
    let open = AsyncSmtpConnection::connect_tokio1(&*server, None, &name, at_once, None).await;
    let mut open = open.map_err(early)?;
    if to.security == Security::StartTls {
        open.starttls(tls()?, &name).await.map_err(early)?;
    }
    if let Some(login) = &to.login {
        let password = login.password.expose_secret().to_owned();
        let login = Credentials::new(login.user.clone(), password);
        let signed_in = open.auth(&[Mechanism::Plain, Mechanism::Login], &login);
        match signed_in.await {
            Err(error) if error.is_permanent() => {
                return Err(AccountError::Expired(AccountService::MailSend));
            }
            other => other.map_err(early)?,
        };
    }
    Ok(open)
}

/// Sends the sender and recipients. If one is refused, the mail isn't sent to the others either.
async fn introduce(open: &mut AsyncSmtpConnection, parcel: &Parcel) -> Result<(), AccountError> {
    let Parcel { from, to, bytes } = parcel;
    let mut parameters = Vec::new();
    let mut everybody = std::iter::once(from).chain(to);
    if let Some(odd) = everybody.find(|address| !address.user().is_ascii()) {
        if !open.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(AccountError::refused(mail_server_ascii(odd.as_ref())));
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !bytes.is_ascii() {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let sender = Mail::new(Some(from.clone()), parameters);
    open.command(sender).await.map_err(|error| {
        let reason = format!(
            "The mail server takes no mail from \u{201c}{from}\u{201d}, so nothing was sent."
        );
        answered(&error, reason, None)
    })?;
    for one in to {
        let taken = open.command(Rcpt::new(one.clone(), Vec::new())).await;
        taken.map_err(|error| {
            let reason = format!(
                "The mail server takes no mail for \u{201c}{one}\u{201d}, so nothing was sent to anybody."
            );
            answered(&error, reason, Some(GREYLISTED))
        })?;
    }
    Ok(())
}

fn mail_server_ascii(address: &str) -> String {
    format!(
        "The mail server can't send to or from \u{201c}{address}\u{201d}: it knows no such letters before the @. Nothing was sent."
    )
}

async fn content(
    open: &mut AsyncSmtpConnection,
    parcel: &Parcel,
    begin: impl AsyncFnOnce() -> io::Result<()>,
    within: &AtomicBool,
) -> Result<(), AccountError> {
    let asked = open.command(Data).await;
    let asked = asked.map_err(|error| answered(&error, MAIL_SERVER_CONTENT.to_owned(), None))?;
    if !asked.has_code(354) {
        return Err(not_reached("DATA wasn't answered with 354", None));
    }
    within.store(true, Relaxed);
    let begun = begin().await;
    begun.map_err(|error| not_reached(&error.to_string(), None))?;
    // The end-of-mail marker brings its own line break.
    let bytes = parcel.bytes.strip_suffix(b"\r\n").unwrap_or(&parcel.bytes);
    let answer = open.message(bytes).await;
    within.store(false, Relaxed);
    match answer {
        Ok(answer) if answer.has_code(354) => Err(unknown("the mail was answered with 354")),
        Ok(_) => Ok(()),
        Err(error) if error.status().is_some() => {
            Err(answered(&error, MAIL_SERVER_CONTENT.to_owned(), None))
        }
        Err(error) => Err(unknown(&error.to_string())),
    }
}

/// The error of a refusal. A permanent one gives the reason; a temporary one is retried.
fn answered(error: &Error, reason: String, after: Option<Duration>) -> AccountError {
    if error.is_permanent() {
        tracing::warn!(%error, "the mail server refuses");
        return AccountError::Refused { reason };
    }
    not_reached(&error.to_string(), after.filter(|_| error.is_transient()))
}

fn early(error: Error) -> AccountError {
    not_reached(&error.to_string(), None)
}

fn not_reached(detail: &str, retry_after: Option<Duration>) -> AccountError {
    AccountError::NotReached {
        detail: format!("the mail server: {detail}"),
        retry_after,
    }
}

fn unknown(detail: &str) -> AccountError {
    AccountError::unknown(format!("the mail server: {detail}"))
}
