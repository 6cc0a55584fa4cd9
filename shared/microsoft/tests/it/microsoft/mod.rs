//! Microsoft's clients against a player of Graph.

mod calendar;
mod case;
mod connect;
mod limits;
mod mail;
mod mail_send;
mod once;
mod support;
