//! Microsoft's clients against the local Graph, over real HTTP.

mod calendar;
mod connect;
mod limits;
mod mail;
mod mail_send;
mod support;
