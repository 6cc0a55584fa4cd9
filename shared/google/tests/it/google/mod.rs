//! Google's clients against the local Google, over real HTTP.

mod calendar;
mod connect;
mod discovery;
mod docs;
mod mail;
mod once;
mod player;
mod sheets;
mod support;
