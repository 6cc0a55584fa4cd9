//! A person's mailbox on a server of their own choice: read and sorted by IMAP (RFC 3501, 6851 `MOVE`, 6154
//! `SPECIAL-USE`), sent by SMTP.
//!
//! | state | on the server |
//! |---|---|
//! | unread, read | in `INBOX`, without and with `\Seen` |
//! | backlog, processed | in `INBOX`, with a keyword of ours |
//! | archived | in the archive |
//!
//! Each call opens a connection of its own, so nothing is held while nothing is asked. A mail's id is made of when it
//! arrived, its size and a digest of its header, which stay as they are wherever it is moved.

mod drafts;
mod entry;
mod id;
mod line;
mod list;
mod mail;
mod open;
mod outbox;
mod shelf;
mod status;

pub use mail::{ImapMail, Person};
pub use open::ImapServer;
