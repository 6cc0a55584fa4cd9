//! The ports of all people's accounts, and which implementation a person's account uses.

use async_trait::async_trait;
use std::sync::Arc;

use super::{
    Account, AccountError, AccountService, Applied, Attendance, Availability, CalendarAccount,
    Call, CellRange, Connect, Connection, Discarded, Document, DocumentChange, DocumentSummary,
    DocumentsAccount, DraftRef, Event, EventChange, EventPage, Intercept, Intercepted, MailAccount,
    MailMessage, MailPage, MailQuery, MailStatus, MailSummary, Mailbox, NewEvent, Notice,
    OutgoingFile, OutgoingMail, Provider, Response, Result, Rows, SentMail, Share, Sheet,
    SheetChange, SheetSummary, SheetsAccount, Span,
};
use crate::id::{DocumentId, EventId, MailId, SheetId};

/// The ports of unconnected accounts: every call fails with `NotConnected`.
#[derive(Clone, Copy, Debug)]
pub struct Unconnected;

/// A port that uses a person's connected account, or a fallback if there is none.
pub struct PerPerson<P: ?Sized> {
    /// Knows who connected which account.
    pub connect: Arc<dyn Connect>,
    pub connected: Vec<(Provider, Arc<P>)>,
    pub otherwise: Arc<P>,
}

/// Opens the port of an account.
#[async_trait]
pub trait Opens<P: ?Sized>: Send + Sync {
    /// Opens the account's port. The string identifies this opening for [`Self::failed`]. Fails with
    /// `NotConnected`, `Expired` or `NotGranted` with the service; `NotReached` for temporary failures.
    async fn open(&self, account: &Account) -> Result<(Arc<P>, String)>;

    /// Translates the error of a call, for example if access has ended. `opening` comes from [`Self::open`].
    async fn failed(&self, account: &Account, opening: &str, error: AccountError) -> AccountError;
}

/// A port that is opened for each call.
pub struct Opened<P: ?Sized>(pub Arc<dyn Opens<P>>);

/// A port with a separate implementation for certain people.
pub struct SomePeople<P: ?Sized> {
    pub people: Vec<Account>,
    pub theirs: Arc<P>,
    /// For everybody else.
    pub otherwise: Arc<P>,
}

impl<P: ?Sized> SomePeople<P> {
    fn side(&self, account: &Account) -> &P {
        if self.people.contains(account) {
            &self.theirs
        } else {
            &self.otherwise
        }
    }
}

impl<P: ?Sized> PerPerson<P> {
    /// The port for a service. Of several accounts the one connected last is used, even if its
    /// access has ended, so that nobody works with another mailbox unnoticed.
    async fn side(&self, account: &Account, service: AccountService) -> Result<&P> {
        let connections = self.connect.connections(account).await;
        let connections = connections.map_err(AccountError::not_reached)?;
        let side = |one: &Connection| {
            let mut sides = self.connected.iter();
            sides.find(|(provider, _)| *provider == one.provider)
        };
        let gives = |one: &&Connection| one.used_for(service, &connections);
        let chosen = connections.iter().find(gives).and_then(side);
        let chosen = chosen.or_else(|| connections.iter().find_map(side));
        Ok(chosen.map_or(&*self.otherwise, |(_, port)| port))
    }
}

/// A person's account at a port that takes the account with each call.
struct At<'a, P> {
    port: &'a P,
    account: &'a Account,
}

/// Declares the port of all people's accounts of a kind. Implements it for interceptors, unconnected accounts and
/// connected ones.
macro_rules! account_port {
    ($port:ident of $one:ident, $prefix:literal;
     $($method:ident($($name:ident: $type:ty),*) -> $out:ty, $about:expr;)*) => {
        /// The accounts of all people. Every other method opens the account and calls its method of that name.
        #[async_trait]
        pub trait $port: Send + Sync {
            async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn $one + 'a>>;

            $(async fn $method(&self, account: &Account $(, $name: $type)*) -> Result<$out> {
                self.open(account).await?.$method($($name),*).await
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized, I: Intercept> $one for At<'_, Intercepted<P, I>> {
            $(async fn $method(&self $(, $name: $type)*) -> Result<$out> {
                let call = Call {
                    name: concat!($prefix, ".", stringify!($method)),
                    about: $about,
                };
                let Intercepted { by, port } = self.port;
                by.call(call, port.$method(self.account $(, $name)*)).await
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized, I: Intercept> $port for Intercepted<P, I> {
            async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn $one + 'a>> {
                Ok(Box::new(At { port: self, account }))
            }
        }

        #[async_trait]
        impl<P: $port + ?Sized> $one for At<'_, Opened<P>> {
            $(async fn $method(&self $(, $name: $type)*) -> Result<$out> {
                let Opened(opens) = self.port;
                let (port, opening) = opens.open(self.account).await?;
                match port.$method(self.account $(, $name)*).await {
                    Err(error) => Err(opens.failed(self.account, &opening, error).await),
                    done => done,
                }
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for Opened<P> {
            async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn $one + 'a>> {
                Ok(Box::new(At { port: self, account }))
            }
        }

        #[async_trait]
        impl $port for Unconnected {
            async fn open<'a>(&'a self, _: &'a Account) -> Result<Box<dyn $one + 'a>> {
                Err(AccountError::NotConnected(AccountService::$port))
            }
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for PerPerson<P> {
            async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn $one + 'a>> {
                self.side(account, AccountService::$port).await?.open(account).await
            }
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for SomePeople<P> {
            async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn $one + 'a>> {
                self.side(account).open(account).await
            }
        }
    };
}

account_port! { Mail of MailAccount, "mail";
    address() -> Mailbox, "";
    list(query: &MailQuery) -> MailPage, "";
    read(id: &MailId) -> Option<MailMessage>, id.as_str();
    attachment(id: &MailId, at: usize) -> Option<Vec<u8>>, id.as_str();
    summaries(ids: &[MailId]) -> Vec<Option<MailSummary>>, "";
    set_status(id: &MailId, status: MailStatus) -> Option<MailStatus>, id.as_str();
    set_statuses(ids: &[MailId], status: MailStatus) -> Vec<Result<Option<MailStatus>>>, "";
    send(mail: &OutgoingMail, key: &str) -> SentMail, key;
    find_sent(key: &str) -> Option<SentMail>, key;
    save_draft(mail: &OutgoingMail, key: &str) -> DraftRef, key;
    discard_draft(draft: &DraftRef) -> Discarded, &draft.id;
}

account_port! { Calendar of CalendarAccount, "calendar";
    events(span: Span) -> EventPage, "";
    event(id: &EventId) -> Option<Event>, id.as_str();
    video_calls() -> bool, "";
    tells_guests() -> bool, "";
    availability(addresses: &[String], span: Span) -> Vec<Availability>, "";
    create(event: &NewEvent, key: &str) -> Event, key;
    find_created(key: &str) -> Option<Event>, key;
    reschedule(id: &EventId, span: Span, notice: Option<&Notice>, key: &str) -> Event, id.as_str();
    find_moved(id: &EventId, span: Span, key: &str) -> Option<Event>, id.as_str();
    change(id: &EventId, change: &EventChange, key: &str) -> Event, id.as_str();
    find_changed(id: &EventId, change: &EventChange, key: &str) -> Option<Event>, id.as_str();
    cancel(id: &EventId, notify: bool, key: &str) -> bool, id.as_str();
    find_cancelled(id: &EventId, key: &str) -> Option<Event>, id.as_str();
    respond(id: &EventId, response: &Response, key: &str) -> Event, id.as_str();
    find_responded(id: &EventId, attendance: Attendance, key: &str) -> Option<Event>, id.as_str();
}

account_port! { Documents of DocumentsAccount, "documents";
    find(words: &[String], limit: usize) -> Vec<DocumentSummary>, "";
    read(id: &DocumentId) -> Option<Document>, id.as_str();
    create(title: &str, text: &str, key: &str) -> Document, key;
    find_created(key: &str) -> Option<Document>, key;
    change(id: &DocumentId, change: &DocumentChange, key: &str) -> Document, id.as_str();
    find_changed(id: &DocumentId, key: &str) -> Option<Document>, id.as_str();
    set_deleted(id: &DocumentId, deleted: bool) -> Option<DocumentSummary>, id.as_str();
    search(words: &[String], limit: usize) -> (Vec<DocumentSummary>, bool), "";
    export(id: &DocumentId, revision: &str) -> Option<OutgoingFile>, id.as_str();
    set_access(id: &DocumentId, to: &Share) -> (), id.as_str();
}

account_port! { Sheets of SheetsAccount, "sheets";
    find(words: &[String], limit: usize) -> Vec<SheetSummary>, "";
    sheet(id: &SheetId) -> Option<Sheet>, id.as_str();
    read(id: &SheetId, range: &CellRange) -> Option<Rows>, id.as_str();
    create(title: &str, header: &[String], key: &str) -> Sheet, key;
    find_created(key: &str) -> Option<Sheet>, key;
    apply(id: &SheetId, change: &SheetChange, key: &str) -> Applied, id.as_str();
    find_applied(id: &SheetId, key: &str) -> Option<Applied>, id.as_str();
}
