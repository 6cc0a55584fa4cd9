//! Microsoft's clients against a player of Graph.

mod calendar;
mod connect;
mod limits;
mod mail;
mod mail_send;
mod support;
