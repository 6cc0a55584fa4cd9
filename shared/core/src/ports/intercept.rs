//! Wraps ports with an interceptor: for metering, and in tests to fail calls. Also defines the
//! ports of unconnected accounts and of several providers.

use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

use super::{
    Account, AccountError, AccountService, Applied, Attendance, Availability, Calendar, CellRange,
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Commit, Connect, Connection, Discarded,
    Document, DocumentChange, DocumentSummary, Documents, Domains, DraftRef, Event, EventPage,
    Found, Image, Item, Key, Look, Mail, MailMessage, MailPage, MailQuery, MailStatus, MailSummary,
    Mailbox, MessageBody, Model, ModelError, NewEvent, Notice, Outgoing, OutgoingMail, Page,
    PageError, Pages, Post, Posted, Provider, Query, Queue, QueueError, Response, Rows, Search,
    SearchError, SentMail, Sheet, SheetChange, SheetSummary, Sheets, Span, Store, StoreError, Turn,
    TurnRequest, Usage, WebPage,
};
use crate::id::{ChannelId, DocumentId, EventId, FileId, MailId, SheetId, TeamId, UserId};

#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Port and method, such as `store.get` or `mail.set_status`.
    pub name: &'static str,
    /// The subject of the call: a partition, a conversation, a mail id; empty if there is none.
    pub about: &'a str,
}

/// Intercepts port calls: it can pass, delay or fail them.
pub trait Intercept: Send + Sync {
    fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;

    /// Handles a model turn (`model.turn`), with its request.
    fn turn(
        &self,
        _request: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> impl Future<Output = Result<Turn, ModelError>> + Send {
        let call = Call {
            name: "model.turn",
            about: "",
        };
        self.call(call, work)
    }
}

impl<I: Intercept> Intercept for Arc<I> {
    fn call<T: Send, E: Send + 'static>(
        &self,
        call: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send {
        (**self).call(call, work)
    }

    fn turn(
        &self,
        request: &TurnRequest,
        work: impl Future<Output = Result<Turn, ModelError>> + Send,
    ) -> impl Future<Output = Result<Turn, ModelError>> + Send {
        (**self).turn(request, work)
    }
}

#[derive(Debug)]
pub struct Intercepted<P: ?Sized, I> {
    pub by: I,
    pub port: Arc<P>,
}

macro_rules! intercepted {
    ($port:ident, $error:ty, $prefix:literal;
     $($method:ident($($name:ident: $type:ty),*) -> $out:ty, $about:expr;)*) => {
        #[async_trait]
        impl<P: $port + ?Sized, I: Intercept> $port for Intercepted<P, I> {
            $(async fn $method(&self, $($name: $type),*) -> Result<$out, $error> {
                let call = Call {
                    name: concat!($prefix, ".", stringify!($method)),
                    about: $about,
                };
                self.by.call(call, self.port.$method($($name),*)).await
            })*
        }
    };
}

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
    async fn open(&self, account: &Account) -> Result<(Arc<P>, String), AccountError>;

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
        match self.people.contains(account) {
            true => &self.theirs,
            false => &self.otherwise,
        }
    }
}

impl<P: ?Sized> PerPerson<P> {
    /// The port for a service. Of several accounts the one connected last is used, even if its
    /// access has ended, so that nobody works with another mailbox unnoticed.
    async fn side(&self, account: &Account, service: AccountService) -> Result<&P, AccountError> {
        let connections = self.connect.connections(account).await;
        let connections = connections.map_err(|error| AccountError::NotReached {
            detail: error.to_string(),
            retry_after: None,
        })?;
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

/// Implements an account port for interceptors, unconnected accounts and connected ones.
macro_rules! account_port {
    ($port:ident, $prefix:literal;
     $($method:ident($account:ident: &Account $(, $name:ident: $type:ty)*) -> $out:ty, $about:expr;)*) => {
        intercepted! { $port, AccountError, $prefix;
            $($method($account: &Account $(, $name: $type)*) -> $out, $about;)* }

        #[async_trait]
        impl $port for Unconnected {
            $(async fn $method(&self, _: &Account $(, _: $type)*) -> Result<$out, AccountError> {
                Err(AccountError::NotConnected(AccountService::$port))
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for PerPerson<P> {
            $(async fn $method(&self, $account: &Account $(, $name: $type)*) -> Result<$out, AccountError> {
                self.side($account, AccountService::$port).await?.$method($account $(, $name)*).await
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for Opened<P> {
            $(async fn $method(&self, $account: &Account $(, $name: $type)*) -> Result<$out, AccountError> {
                let (port, opening) = self.0.open($account).await?;
                match port.$method($account $(, $name)*).await {
                    Err(error) => Err(self.0.failed($account, &opening, error).await),
                    done => done,
                }
            })*
        }

        #[async_trait]
        impl<P: $port + ?Sized> $port for SomePeople<P> {
            $(async fn $method(&self, $account: &Account $(, $name: $type)*) -> Result<$out, AccountError> {
                self.side($account).$method($account $(, $name)*).await
            })*
        }
    };
}

intercepted! { Store, StoreError, "store";
    get(key: &Key) -> Option<Item>, &key.partition;
    query(query: &Query) -> Page, &query.partition;
    commit(commit: &Commit) -> (), "";
}

intercepted! { Queue, QueueError, "queue";
    send(message: &Outgoing) -> (), message.queue.as_str();
}

intercepted! { Chat, ChatError, "chat";
    team() -> TeamId, "";
    post(post: &Post) -> Posted, post.channel.as_str();
    upload(image: &Image) -> FileId, "";
    download(file: &FileId, most: u64) -> Vec<u8>, file.as_str();
    update(posted: &Posted, text: &str, blocks: &[Value]) -> (), posted.channel.as_str();
    ephemeral(user: &UserId, post: &Post) -> (), post.channel.as_str();
    before(channel: &ChannelId, thread_ts: Option<&str>, ts: &str, limit: usize) -> Vec<ChatMessage>, channel.as_str();
    set_status(channel: &ChannelId, thread_ts: &str, status: &str) -> (), channel.as_str();
    message(posted: &Posted, thread_ts: Option<&str>) -> Option<MessageBody>, posted.channel.as_str();
    find(look: &Look) -> Option<Posted>, look.channel.as_str();
    thread(channel: &ChannelId, thread_ts: &str, limit: usize) -> Vec<ChatMessage>, channel.as_str();
    user(user: &UserId) -> Option<ChatUser>, user.as_str();
    channels(member: &UserId) -> Vec<ChatChannel>, member.as_str();
    open_view(trigger_id: &str, view: &Value) -> String, trigger_id;
    update_view(view_id: &str, view: &Value) -> (), view_id;
}

// Calls are reported without queries and addresses, since these don't belong in logs.
intercepted! { Search, SearchError, "search";
    search(query: &str, domains: &Domains, limit: usize) -> Found, "";
}

intercepted! { Pages, PageError, "pages";
    fetch(url: &str) -> WebPage, "";
    leave_list(url: &str) -> (), "";
}

account_port! { Mail, "mail";
    address(account: &Account) -> Mailbox, "";
    list(account: &Account, query: &MailQuery) -> MailPage, "";
    read(account: &Account, id: &MailId) -> Option<MailMessage>, id.as_str();
    attachment(account: &Account, id: &MailId, at: usize) -> Option<Vec<u8>>, id.as_str();
    summaries(account: &Account, ids: &[MailId]) -> Vec<Option<MailSummary>>, "";
    set_status(account: &Account, id: &MailId, status: MailStatus) -> Option<MailStatus>, id.as_str();
    set_statuses(account: &Account, ids: &[MailId], status: MailStatus) -> Vec<Result<Option<MailStatus>, AccountError>>, "";
    send(account: &Account, mail: &OutgoingMail, idempotency_key: &str) -> SentMail, idempotency_key;
    find_sent(account: &Account, idempotency_key: &str) -> Option<SentMail>, idempotency_key;
    save_draft(account: &Account, mail: &OutgoingMail, idempotency_key: &str) -> DraftRef, idempotency_key;
    discard_draft(account: &Account, draft: &DraftRef) -> Discarded, &draft.id;
}

account_port! { Calendar, "calendar";
    events(account: &Account, span: Span) -> EventPage, "";
    event(account: &Account, id: &EventId) -> Option<Event>, id.as_str();
    video_calls(account: &Account) -> bool, "";
    tells_guests(account: &Account) -> bool, "";
    availability(account: &Account, addresses: &[String], span: Span) -> Vec<Availability>, "";
    create(account: &Account, event: &NewEvent, idempotency_key: &str) -> Event, idempotency_key;
    find_created(account: &Account, idempotency_key: &str) -> Option<Event>, idempotency_key;
    reschedule(account: &Account, id: &EventId, span: Span, notice: Option<&Notice>, idempotency_key: &str) -> Event, id.as_str();
    find_moved(account: &Account, id: &EventId, span: Span, idempotency_key: &str) -> Option<Event>, id.as_str();
    cancel(account: &Account, id: &EventId, notify: bool, idempotency_key: &str) -> bool, id.as_str();
    find_cancelled(account: &Account, id: &EventId, idempotency_key: &str) -> Option<Event>, id.as_str();
    respond(account: &Account, id: &EventId, response: &Response, idempotency_key: &str) -> Event, id.as_str();
    find_responded(account: &Account, id: &EventId, attendance: Attendance, idempotency_key: &str) -> Option<Event>, id.as_str();
}

account_port! { Documents, "documents";
    find(account: &Account, words: &[String], limit: usize) -> Vec<DocumentSummary>, "";
    read(account: &Account, id: &DocumentId) -> Option<Document>, id.as_str();
    create(account: &Account, title: &str, text: &str, idempotency_key: &str) -> Document, idempotency_key;
    find_created(account: &Account, idempotency_key: &str) -> Option<Document>, idempotency_key;
    change(account: &Account, id: &DocumentId, change: &DocumentChange, idempotency_key: &str) -> Document, id.as_str();
    find_changed(account: &Account, id: &DocumentId, idempotency_key: &str) -> Option<Document>, id.as_str();
}

account_port! { Sheets, "sheets";
    find(account: &Account, words: &[String], limit: usize) -> Vec<SheetSummary>, "";
    sheet(account: &Account, id: &SheetId) -> Option<Sheet>, id.as_str();
    read(account: &Account, id: &SheetId, range: &CellRange) -> Option<Rows>, id.as_str();
    create(account: &Account, title: &str, header: &[String], idempotency_key: &str) -> Sheet, idempotency_key;
    find_created(account: &Account, idempotency_key: &str) -> Option<Sheet>, idempotency_key;
    apply(account: &Account, id: &SheetId, change: &SheetChange, idempotency_key: &str) -> Applied, id.as_str();
    find_applied(account: &Account, id: &SheetId, idempotency_key: &str) -> Option<Applied>, id.as_str();
}

#[async_trait]
impl<P: Model + ?Sized, I: Intercept + Clone + 'static> Model for Intercepted<P, I> {
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        self.by.turn(request, self.port.turn(request, wasted)).await
    }

    fn name(&self) -> String {
        self.port.name()
    }

    fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
        self.port.costs_at_most(usage)
    }

    fn named(&self, name: &str) -> Option<Arc<dyn Model>> {
        let (by, port) = (self.by.clone(), self.port.named(name)?);
        Some(Arc::new(Intercepted { by, port }))
    }
}
