//! The ports: interfaces to everything outside. Each has an implementation for AWS and one for a
//! single machine. A conformance suite in `alfred-testkit` tests both.

mod account;
mod account_ports;
mod accounts;
mod blobs;
mod body;
mod calendar;
mod cells;
mod chat;
mod clock;
mod connect;
mod documents;
mod event;
mod files;
mod files_error;
mod intercept;
mod item;
mod mail;
mod mail_message;
mod mail_query;
mod model;
mod outgoing_mail;
mod pages;
mod provider;
mod query;
mod queue;
mod recurrence;
mod search;
mod secrets;
mod shared;
mod sheets;
mod spill;
mod store;
mod vault;
mod virtual_path;

pub(crate) use account::Result;
pub use account::{Account, AccountError, AccountService};
pub use account_ports::{
    Calendar, Documents, Mail, Opened, Opens, PerPerson, Sheets, SomePeople, Unconnected,
};
pub use accounts::Accounts;
pub use blobs::{BlobError, Blobs};
pub use body::Body;
pub use calendar::{Availability, CalendarAccount, EventChange, NewEvent, Notice, Response};
pub use cells::{Cell, CellRange, Rows};
pub use chat::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, FILE_ELSEWHERE, FILE_NOT_PROCESSED,
    FILE_TOO_LARGE, Image, Live, LivePlace, LiveTask, Look, MessageBody, Post, Posted, Progress,
    Status, TaskState, refuses_token,
};
pub use clock::{Clock, Ids, SystemClock, SystemIds, random_secret};
pub use connect::{
    Connect, ConnectError, Connection, Credentials, Disconnected, NamedCredentials, Provider,
    credential_name,
};
pub use documents::{
    Access, Document, DocumentChange, DocumentSummary, DocumentsAccount, Edit, FileSummary, Share,
    SheetSummary,
};
pub use event::{Attendance, Attendee, Event, EventPage, EventTime, Span};
pub use files::{
    FileBody, FileInfo, FileKind, Files, Folders, Listing, MOST_FILES, MOST_LISTED, NoFolders,
};
pub use files_error::{FilesError, MOST_FILE_BYTES};
pub use intercept::{Call, Intercept, Intercepted};
pub use item::{Condition, Item, Key, Op, StoreError, Table, Write};
pub use mail::MailAccount;
pub use mail_message::{
    Attachment, MailMessage, MailPage, MailStatus, MailSummary, Mailbox, OneClick, Total,
    Unreadable, Unsubscribe,
};
pub use mail_query::MailQuery;
pub use model::{
    Echo, Finish, InputFile, Message, Model, ModelError, ModelHost, Output, TextSink, ToolCall,
    ToolSpec, Turn, TurnRequest, Usage,
};
pub use outgoing_mail::{Discarded, DraftRef, OutgoingFile, OutgoingMail, SentMail};
pub use pages::{Offline, PageError, Pages, Web, WebPage};
pub use provider::ProviderPorts;
pub use query::{Cursor, Direction, Page, Query, Range};
pub use queue::{Letter, Outgoing, Queue, QueueError, QueueName, Redelivery};
pub use recurrence::{BadRule, Frequency, Recurrence, RepeatEnd};
pub use search::{Answer, Citation, Domains, Found, FoundPage, Search, SearchError};
pub use secrets::{SecretError, Secrets};
pub use sheets::{Applied, Sheet, SheetChange, SheetsAccount, Tab};
pub use spill::{EXPIRING, SPILL_BYTES, Spilling, spilled};
pub use store::{Commit, MAX_COMMIT_BYTES, MAX_ITEM_BYTES, MAX_WRITES, Store};
pub use vault::{Vault, VaultError};
pub use virtual_path::{MOST_PATH_BYTES, UNFINISHED, VirtualPath, folded};
