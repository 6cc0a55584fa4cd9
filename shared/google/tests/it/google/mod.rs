//! Google's clients against the local Google, over real HTTP.

mod calendar;
mod connect;
mod docs;
mod mail;
mod mail_drafts;
mod mail_list;
mod mail_send;
mod mail_strict;
mod mail_units;
mod sheets;
mod support;
