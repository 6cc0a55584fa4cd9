//! Google's clients against the local Google, over real HTTP.

mod calendar;
mod connect;
mod docs;
mod mail;
mod mail_list;
mod mail_send;
mod mail_units;
mod once;
mod sheets;
mod support;
