//! Mail and calendars as a folder of real files, one for each person:
//!
//! ```text
//! mail/inbox/*.eml      what arrived; mail/archive/ is out of the inbox, mail/sent/ what was sent
//! mail/outbox/          what was given to an SMTP server that hasn't answered
//! mail/*.mbox           an export (Google Takeout, Thunderbird): read, never written
//! mail/.alfred/         states of mails
//! calendar.ics          the calendar that is written to; calendar/*.ics are read as well
//! people/ADDRESS.ics    calendars of others that this person can see
//! ```
//!
//! Everything is written whole or not at all, and nothing outside a person's folder is touched.
//! One process owns a folder's mail at a time; other programs may add, move and delete files.

mod calendar;
mod caller;
mod clean;
mod folder;
mod mail;
mod person;
mod port;
mod sample;
mod smtp;

pub use person::Identity;
pub use port::Workspace;
pub use sample::Sample;
pub use smtp::Smtp;
