//! A mailbox on a server that the person chooses: read and sorted by IMAP (RFC 3501, 6851 `MOVE`, 6154
//! `SPECIAL-USE`), sent by SMTP.
//!
//! | state | on the server |
//! |---|---|
//! | unread, read | in `INBOX`, without and with `\Seen` |
//! | backlog, processed | in `INBOX`, with a keyword of ours |
//! | archived | in the archive |
//!
//! Each call opens its own connection. A mail's id (arrival time, size, digest of the header) survives a move.

mod drafts;
mod entry;
mod id;
mod line;
mod list;
mod mail;
mod newest;
mod open;
mod outbox;
mod shelf;
mod status;

pub use mail::{ImapMail, Person};
pub use open::ImapServer;
